"""What the tools for the community take and give: answers with sources, what was missed, who knows about something."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, Field

from memory.api.schemas.answers import AnswerOut
from memory.api.schemas.catchup import CaughtUpOut
from memory.api.schemas.expertise import KnowersOut
from memory.api.schemas.search import LONGEST_QUESTION
from memory.expertise.who_knows import MOST
from memory.model_context.fence import Said
from memory.model_context.schemas import ChannelName, Given, MemberName, Memory, Source, ToolResult
from notes.messages.schemas import Moment, Text

Question = Annotated[str, Text, Field(min_length=1, max_length=LONGEST_QUESTION)]
WHERE = "where the answer will be read; without it, only what the whole guild may know"


class ToAsk(Given):
    """A question to be answered."""

    question: Question = Field(description="in plain words")
    member: MemberName | None = Field(default=None, description='who asks, and says "I" in the question')
    channel: ChannelName | None = Field(default=None, description=WHERE)


class ToCatchUp(Given):
    """Who was away, since when."""

    member: MemberName | None = Field(default=None, description="who was away, since they last spoke")
    since: Moment | None = Field(default=None, description="since this time instead, with its offset")
    channel: ChannelName | None = Field(default=None, description="only what was said in this channel")


class ToFindWho(Given):
    """What somebody should know about."""

    about: Question = Field(description='in a word or a few: "rust", "keeping bees"')
    channel: ChannelName | None = Field(default=None, description=WHERE)
    limit: int = Field(default=10, ge=1, le=MOST)


class Sentence(BaseModel):
    """A sentence of an answer."""

    text: Said
    sources: list[int] = Field(description="numbers of the memories that tell it")


class Cited(Memory):
    """A memory that an answer rests on."""

    number: int


class Answer(ToolResult):
    """The answer; where it is not known, nothing that is remembered and may be told answers: say so."""

    known: bool
    by: Literal["model", "rules"] = Field(description="rules: the sentences are memories as they are, the best first")
    sentences: list[Sentence]
    sources: list[Cited]

    @classmethod
    def of(cls, answer: AnswerOut) -> Self:
        """Return an answer as the JSON API has it."""
        sentences = [Sentence(text=row.text, sources=row.sources) for row in answer.sentences]
        sources = [Cited(**_memory(row.model_dump())) for row in answer.sources]
        return cls(known=answer.known, by=answer.by, sentences=sentences, sources=sources)


def _memory(found: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a search's result as a tool shows them."""
    return {name: value for name, value in found.items() if name not in ("scores", "created_at")} | {
        "at": found["created_at"]
    }


class Missed(BaseModel):
    """One thing that was missed."""

    kind: Literal["mention", "answered", "decision", "talk", "topic"]
    text: Said
    at: datetime
    channel: str | None = None
    members: list[Said] = Field(description="who said it, or took part")
    sources: list[Source]


class CaughtUp(ToolResult):
    """What was missed, what concerns the member first; empty: nothing was."""

    since: datetime
    missed: list[Missed]

    @classmethod
    def of(cls, found: CaughtUpOut) -> Self:
        """Return what was missed as the JSON API has it."""
        return cls(since=found.since, missed=[Missed(**row.model_dump()) for row in found.items])


class OwnWords(BaseModel):
    """Something that a member told themselves: a fact, or a sentence of a message."""

    kind: Literal["fact", "message"]
    id: str
    text: Said
    at: datetime
    sources: list[Source]


class Knower(BaseModel):
    """A member who told of it."""

    member: str
    member_name: Said
    told: list[OwnWords]


class Knowers(ToolResult):
    """Members, the best first; empty: nobody told of it who lets themselves be found."""

    members: list[Knower]

    @classmethod
    def of(cls, found: KnowersOut) -> Self:
        """Return the members as the JSON API has them."""
        return cls(
            members=[
                Knower(
                    member=row.member, member_name=row.member_name,
                    told=[OwnWords(**_memory(told.model_dump(exclude={"score"}))) for told in row.told],
                )
                for row in found.items
            ]
        )  # fmt: skip
