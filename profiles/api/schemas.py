"""What the JSON API takes and gives about profiles and relationships."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Self

from pydantic import BaseModel, Field

from memoryhub.common.pagination import Page, Window
from memoryhub.common.schemas import ChannelId, MemberRef
from memoryhub.community.models import Member
from notes.messages.schemas import Strict
from profiles.models import EntrySource, ProfileEntry
from profiles.relationships.evidence import Encounter
from profiles.relationships.graph import Edge
from profiles.relationships.strength import Counts


class EntryNote(BaseModel):
    """What a line of a profile cites: a note, or (`note_id` is null) a message of a talk that was too short for one."""

    note_id: str | None
    message_id: str | None
    title: str
    date: date

    @classmethod
    def of(cls, source: EntrySource) -> Self:
        """Return the source as the API shows it."""
        return cls(
            note_id=str(source.note_id) if source.note_id else None, title=source.title, date=source.day,
            message_id=source.message.platform_id if source.message else None,
        )  # fmt: skip


class EntryOut(BaseModel):
    """One line of a profile; `audience` as with notes, `pinned` if it is a person's own wording."""

    id: str
    section: str
    text: str
    pinned: bool
    status: str
    audience: str | None
    sources: list[EntryNote]

    @classmethod
    def of(cls, entry: ProfileEntry) -> Self:
        """Return the row, with its audience, its sources and their notes loaded, as the API shows it."""
        return cls(
            id=str(entry.pk), section=entry.section, text=entry.text, pinned=entry.pinned, status=entry.status,
            audience=entry.audience.platform_id if entry.audience else None,
            sources=[EntryNote.of(source) for source in entry.sources.all()],
        )  # fmt: skip


class ProfileOut(BaseModel):
    """What a member is like."""

    sections: dict[str, list[EntryOut]]
    summary: str
    updated_at: datetime | None


# --- Relationships -----------------------------------------------------------------------------------------------


class Acts(BaseModel):
    """What one member did towards another."""

    replies: int
    mentions: int

    @classmethod
    def of(cls, counts: Counts) -> Self:
        """Return the counts as the API shows them."""
        return cls(replies=counts.replies, mentions=counts.mentions)


class StatedOut(BaseModel):
    """What one of two said that they are to each other, and the line of a profile that says so and has its sources."""

    tie: str
    words: str
    by: MemberRef
    entry_id: str


class Tie(BaseModel):
    """How close two members probably are; `level` is an operator's word (null: none), which then is the strength.

    Without one, what one of them said of the two (`stated`) is, whatever is counted.
    """

    strength: float
    confidence: float
    label: str
    reciprocity: float
    level: float | None
    stated: StatedOut | None = None
    days: int
    together: int
    voice_minutes: int
    last_day: date | None


class RelationshipOut(Tie):
    """What a member has to do with another: what they did towards them, and (`received`) what came back."""

    member: MemberRef
    replies: int
    mentions: int
    received: Acts

    @classmethod
    def of(cls, edge: Edge, member: Member) -> Self:
        """Return the edge as seen from the member."""
        other, forth, back = edge.seen_from(member)
        return cls(
            member=MemberRef.of(other), replies=forth.replies, mentions=forth.mentions, received=Acts.of(back),
            **_tie(edge),
        )  # fmt: skip


class EdgeOut(Tie):
    """What two members have to do with each other: what the first did towards the second, and the other way."""

    members: list[MemberRef]
    forth: Acts
    back: Acts

    @classmethod
    def of(cls, edge: Edge) -> Self:
        """Return the edge as the API shows it."""
        pair = [MemberRef.of(member) for member in (edge.first, edge.second)]
        return cls(members=pair, forth=Acts.of(edge.forth), back=Acts.of(edge.back), **_tie(edge))


def _tie(edge: Edge) -> dict[str, Any]:
    said = edge.stated
    return {
        "strength": round(edge.strength, 4),
        "confidence": round(edge.confidence, 4),
        "label": edge.label,
        "reciprocity": round(edge.reciprocity, 4),
        "level": edge.level,
        "stated": said
        and StatedOut(tie=said.tie, words=said.words, by=MemberRef.of(said.by), entry_id=str(said.entry)),
        "days": edge.days,
        "together": edge.forth.together,
        "voice_minutes": edge.forth.voice_minutes,
        "last_day": edge.last_day,
    }


class RelationshipsOut(Page[RelationshipOut]):
    """A member's relationships, the strongest first; `on` is false while the guild counts none."""

    on: bool


class TieFilters(Window):
    """Says where the answer is to be used."""

    channel: ChannelId = None


class GraphFilters(TieFilters):
    """Narrows the guild's graph."""

    limit: int = Field(default=100, ge=1, le=500)
    least: float = Field(default=0.0, ge=0, le=1, description="the least strength")


class GraphOut(Page[EdgeOut]):
    """The guild's graph, the strongest edges first; `on` is false while it counts none."""

    on: bool


class Switch(Strict):
    """Whether the guild counts who has to do with whom."""

    on: bool


class Level(Strict):
    """How close two members are, as an operator says."""

    level: float = Field(ge=0, le=1)


class LevelOut(BaseModel):
    """The level as it now stands."""

    members: list[MemberRef]
    level: float
    actor: str
    set_at: datetime


class EncounterOut(BaseModel):
    """A channel's day on which two members had to do with each other: by which messages, told of by which notes."""

    day: date
    channel: str
    messages: list[str]
    notes: list[str]

    @classmethod
    def of(cls, encounter: Encounter) -> Self:
        """Return the day as the API shows it."""
        return cls(
            day=encounter.day, channel=encounter.channel.platform_id,
            messages=[message.platform_id for message in encounter.messages],
            notes=[str(note.pk) for note in encounter.notes],
        )  # fmt: skip


class RelationshipDetail(BaseModel):
    """What two members have to do with each other (null: nothing that may be told), and what that rests on."""

    edge: EdgeOut | None
    encounters: list[EncounterOut]
