"""What the questions of notes and summaries take and give; an answer that is too long is cut, not refused."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field

from memoryhub.ai.chat_fence import Line
from memoryhub.language.clip import Clip, First

TITLE_CHARS = 80
UNTITLED = "A conversation"
NOTE_CHARS = 1200
SUMMARY_CHARS = 1800
ITEM_CHARS = 200
LIST_ITEMS = 6
CLUSTERS = (3, 8)

Title = Annotated[str, Field(min_length=1, max_length=TITLE_CHARS), BeforeValidator(Clip(TITLE_CHARS))]
NoteBody = Annotated[str, Field(min_length=1, max_length=NOTE_CHARS), BeforeValidator(Clip(NOTE_CHARS, lines=True))]
SummaryBody = Annotated[
    str, Field(min_length=1, max_length=SUMMARY_CHARS), BeforeValidator(Clip(SUMMARY_CHARS, lines=True))
]
Item = Annotated[str, Field(max_length=ITEM_CHARS), BeforeValidator(Clip(ITEM_CHARS))]
Items = Annotated[list[Item], Field(max_length=LIST_ITEMS), BeforeValidator(First(LIST_ITEMS))]


class Arranged(BaseModel):
    """What a message decides or plans, in its own words; `day` is when, "" where the words themselves name the date."""

    message: int
    text: str
    decided: bool
    day: str = ""


class NoteInput(BaseModel):
    """A closed buffer: the messages of one channel, oldest first, and what of them stands as decided or planned."""

    guild: str
    channel: str
    lines: list[Line]
    arranged: list[Arranged] = []
    kept: list[str] = []


class NoteText(BaseModel):
    """What a conversation was about."""

    title: Title
    summary: NoteBody


class ClusterNote(BaseModel):
    """A conversation note as the clusterer sees it."""

    id: int
    title: str
    summary: str
    participants: list[str]


class ClusterInput(BaseModel):
    """A day's conversation notes of one audience; `embeddings` (note id to vector) never reach a prompt."""

    notes: list[ClusterNote]
    embeddings: dict[int, list[float]] | None = Field(default=None, exclude=True, repr=False)


class Cluster(BaseModel):
    """One topic of the day and the ids of the notes that tell of it."""

    title: Title
    summary: NoteBody
    notes: Annotated[list[int], Field(min_length=1)]


class Clusters(BaseModel):
    """The topics of a day; `settling.settle` makes an answer of a model fit the notes that it was given."""

    clusters: Annotated[list[Cluster], Field(max_length=CLUSTERS[1]), BeforeValidator(First(CLUSTERS[1]))]


class SummaryInput(BaseModel):
    """The last messages of a channel, oldest first, with what the summary before them said and left open.

    `arranged` is what they decide and plan, for the rules.
    """

    channel: str
    previous: str = ""
    unresolved: list[str] = []
    lines: list[Line]
    arranged: list[Arranged] = []
    kept: list[str] = []


class Term(BaseModel):
    """A word of the channel's own and what it stands for there."""

    term: Annotated[str, Field(min_length=1, max_length=60), BeforeValidator(Clip(60))]
    meaning: Item


class SummaryText(BaseModel):
    """What is going on in a channel now."""

    summary: SummaryBody
    topics: Items = []
    threads: Items = []
    unresolved: Items = []
    answered: Annotated[list[int], Field(description='numbers of what stands under "open"')] = []
    decisions: Items = []
    glossary: Annotated[list[Term], Field(max_length=LIST_ITEMS), BeforeValidator(First(LIST_ITEMS))] = []


class ChannelInput(BaseModel):
    """A channel's profile so far and its newest rolling summary; where it has no profile yet, its latest notes.

    `lines` are what was said there and stands, for the rules: they write from it alone, and so the same again.
    """

    channel: str
    previous: str = ""
    notes: list[NoteText] = []
    rolling: SummaryText
    lines: list[Line] = []


class ChannelText(BaseModel):
    """What a channel is for in the long run."""

    text: SummaryBody
