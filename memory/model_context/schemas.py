"""What the tools take and give: their schemas are what a model reads of them, so each field says what it is."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date, datetime
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from memory.api.schemas.context import ContextOut
from memory.api.schemas.facts import FACT_ID, FactOut, Statement
from memory.api.schemas.search import LONGEST_QUESTION, MOST_RESULTS, Found
from memory.context.builder import DEFAULT_TOKENS
from memory.facts import NOTICE
from memory.facts.kinds import Kind
from memory.model_context.fence import Said
from memoryhub.common.pagination import Cursor
from memoryhub.community.models import PLATFORM_ID
from notes.api.schemas import ChannelSummary, SummaryOut
from notes.messages.schemas import MAX_TEXT, Moment, Text
from profiles.api.schemas import ProfileOut

MOST_MEMBERS = 100
CITED = 20  # messages named as what a summary rests on

# Models write ids as numbers, too; whatever else is a text is sent as one.
Id = Annotated[str, Field(coerce_numbers_to_str=True), Text]
Name = Annotated[Id, Field(min_length=1, max_length=PLATFORM_ID)]
MemberName = Annotated[Name, Field(description="a member, by id or by name as other tools show it")]
ChannelName = Annotated[Name, Field(description="a channel, by id or by name")]
MemoryId = Annotated[Id, Field(pattern=FACT_ID, description="the id of a fact, as other tools show it")]


class Given(BaseModel):
    """What a tool is called with; names that it does not know are refused."""

    model_config = ConfigDict(extra="forbid")


class ToolResult(BaseModel):
    """What a tool answers."""

    notice: str = Field(default=NOTICE, description="how to take what follows")


# --- What is asked -----------------------------------------------------------------------------------------------


class ToSearch(Given):
    """A question to memory."""

    question: Annotated[str, Text, Field(min_length=1, max_length=LONGEST_QUESTION, description="in plain words")]
    member: MemberName | None = Field(default=None, description="only what is about this member")
    channel: ChannelName | None = Field(
        default=None, description="where the answer will be used; without it, only what the whole guild may know"
    )
    kinds: list[Literal["fact", "note", "message"]] = Field(default=["fact", "note", "message"], min_length=1)
    limit: int = Field(default=10, ge=1, le=MOST_RESULTS)
    as_of: Moment | None = Field(default=None, description="what was believed at this time, with its offset")


class ToReply(Given):
    """The moment before a reply."""

    text: Annotated[str, Text, Field(max_length=MAX_TEXT, description="the message that will be replied to")] = ""
    channel: ChannelName | None = Field(default=None, description="where the reply will be read")
    members: list[MemberName] = Field(
        default=[], max_length=MOST_MEMBERS, description="who takes part, the author of the text first"
    )
    max_tokens: int = Field(default=DEFAULT_TOKENS, ge=1, le=100_000)


class ToList(Given):
    """Which facts to list."""

    member: MemberName | None = Field(default=None, description="only those about this member")
    kind: Kind | None = None
    words: Annotated[str, Text, Field(max_length=200, description="only those that hold these words")] | None = None
    status: Literal["active", "archived", "superseded", "all"] = Field(
        default="active", description="active: believed now; superseded: replaced by a newer one"
    )
    limit: int = Field(default=50, ge=1, le=200)
    cursor: Cursor | None = Field(default=None, description="next_cursor of the page before")


class ToRemember(Given):
    """One lasting statement."""

    text: Statement = Field(description='one statement in the third person: "Sails on Sundays"')
    member: MemberName | None = Field(default=None, description="whom it is about; leave it out for the whole guild")
    kind: Kind | None = None
    channel: ChannelName | None = Field(default=None, description="where it was said, which decides who may be told")


class ToCorrect(Given):
    """What to change of a fact; what is left out stays."""

    id: MemoryId
    text: Statement | None = Field(default=None, description="the new words, in place of the old ones")
    kind: Kind | None = None
    pinned: bool | None = Field(default=None, description="true: it never fades")


class ToForget(Given):
    """Which fact to erase."""

    id: MemoryId


class OfMember(Given):
    """Whose profile."""

    member: MemberName
    channel: ChannelName | None = Field(
        default=None, description="where it will be used; without it, only what the whole guild may know"
    )


class OfChannel(Given):
    """Which channel."""

    channel: ChannelName


class ToExplain(Given):
    """Which memory."""

    kind: Literal["fact", "note", "message"] = "fact"
    id: Name = Field(description="its id, as search_memory shows it")


# --- What is answered --------------------------------------------------------------------------------------------


class Source(BaseModel):
    """A message or a note that something rests on."""

    message_id: str | None = None
    note_id: str | None = None
    author: Said = ""
    quote: Said = ""
    at: datetime | date | None = None


class Memory(BaseModel):
    """Something found."""

    kind: str
    id: str
    text: Said
    score: float
    member: str | None = Field(default=None, description="the id of whom it is about, or who wrote it")
    member_name: Said | None = None
    at: datetime
    sources: list[Source]

    @classmethod
    def of(cls, found: Found) -> Self:
        """Return what the search found."""
        return cls(**found.model_dump(exclude={"scores", "created_at"}), at=found.created_at)


class Memories(ToolResult):
    """What was found, the best first; empty where nothing answers the question."""

    memories: list[Memory]


class Context(ToolResult):
    """What to know before replying, in a fence, and what it rests on."""

    context: str = Field(description="lines between <background_facts> and </background_facts>; empty: nothing matters")
    tokens: int
    sources: list[Source]

    @classmethod
    def of(cls, built: ContextOut) -> Self:
        """Return what was built; its text is fenced already."""
        return cls(context=built.text, tokens=built.tokens, sources=[Source(**asdict(row)) for row in built.sources])


class Fact(BaseModel):
    """A fact about a member, or (no member) about the guild."""

    id: str
    text: Said
    kind: str
    member: str | None = None
    member_name: Said | None = None
    status: str
    confidence: float
    pinned: bool
    audience: str | None = Field(default=None, description="the channel whose readers may know; none: the whole guild")
    said_at: datetime
    sources: list[Source]

    @classmethod
    def of(cls, fact: FactOut) -> Self:
        """Return a fact as the JSON API has it."""
        sources = [
            Source(message_id=row.message_id, author=row.speaker or "", quote=row.quote, at=row.said_at)
            for row in fact.sources
        ]
        return cls(**fact.model_dump(include=cls.model_fields.keys() - {"sources"}), sources=sources)


class Facts(ToolResult):
    """Facts, the newest first."""

    facts: list[Fact]
    next_cursor: str | None = Field(default=None, description="give it as cursor to go on; none: these were the last")


class Changed(ToolResult):
    """The fact as it now stands."""

    fact: Fact


class Forgotten(ToolResult):
    """That it is gone for good."""

    forgotten: str = Field(description="the id of the fact that was erased, with its sources and its history")


class ProfileLine(BaseModel):
    """A line of a profile."""

    id: str
    text: Said
    pinned: bool
    sources: list[Source]


class Profile(ToolResult):
    """What a member is like; sections without a line are left out."""

    member: str
    member_name: Said
    summary: Said
    sections: dict[str, list[ProfileLine]]

    @classmethod
    def of(cls, profile: ProfileOut, **whose: str) -> Self:
        """Return a profile as the JSON API has it."""
        sections = {
            name: [
                ProfileLine(
                    id=line.id, text=line.text, pinned=line.pinned,
                    sources=[
                        Source(message_id=row.message_id, note_id=row.note_id, quote=row.title, at=row.date)
                        for row in line.sources
                    ],
                )
                for line in lines
            ]
            for name, lines in profile.sections.items() if lines
        }  # fmt: skip
        return cls(summary=profile.summary, sections=sections, **whose)


class Summary(BaseModel):
    """What a channel is about over some time."""

    text: Said
    topics: list[Said]
    threads: list[Said]
    unresolved: list[Said]
    decisions: list[Said]
    glossary: list[Said]
    from_at: datetime
    to_at: datetime
    messages: list[str] = Field(description=f"ids of the newest {CITED} that it rests on")

    @classmethod
    def of(cls, summary: SummaryOut | None) -> Self | None:
        """Return a summary as the JSON API has it."""
        if summary is None:
            return None
        plain: dict[str, Any] = summary.model_dump(exclude={"generated_at", "messages"})
        return cls(**plain, messages=summary.messages[:CITED])


class OpenQuestion(BaseModel):
    """A question that nobody answered yet."""

    text: Said
    asked_by: Said
    asked_at: datetime
    messages: list[str]


class Channel(ToolResult):
    """A channel lately and over time (none: nothing was written yet), and what it left open."""

    channel: str
    channel_name: Said
    lately: Summary | None = None
    over_time: Summary | None = None
    questions: list[OpenQuestion]
    waiting: int = Field(description="messages since the last summary")

    @classmethod
    def of(cls, known: ChannelSummary, *, name: str) -> Self:
        """Return a channel's summaries as the JSON API has them."""
        questions = [
            OpenQuestion(
                text=row.text, asked_by=row.asked_by.name if row.asked_by else "", asked_at=row.asked_at,
                messages=row.messages,
            )
            for row in known.questions
        ]  # fmt: skip
        return cls(
            channel=known.channel, channel_name=name, lately=Summary.of(known.rolling),
            over_time=Summary.of(known.profile), questions=questions, waiting=known.waiting,
        )  # fmt: skip


class Change(BaseModel):
    """Something that was done to a fact."""

    action: str
    actor: str
    at: datetime
    undone: bool


class Reasons(ToolResult):
    """What a memory rests on, and (of a fact) what was done to it, the newest change first."""

    kind: str
    id: str
    text: Said
    member_name: Said | None = None
    sources: list[Source]
    changes: list[Change] = []
