"""What the JSON API takes and gives about channels, members, consent and relationships."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field

from memoryhub.paging import Window
from profiles.edges import Edge
from profiles.models import Channel, Member
from profiles.strength import Counts

ChannelId = Annotated[str | None, Field(max_length=200, description="in which channel it is to be used")]


class MemberRef(BaseModel):
    """A member as other answers mention them."""

    id: str
    name: str

    @classmethod
    def of(cls, member: Member) -> Self:
        """Return the mention."""
        return cls(id=member.platform_id, name=str(member))


class MemberOut(BaseModel):
    """A member; `remember` is null while the guild's mode decides for them."""

    id: str
    name: str
    display_name: str
    is_bot: bool
    remember: bool | None
    first_seen_at: datetime
    last_seen_at: datetime

    @classmethod
    def of(cls, member: Member) -> Self:
        """Return the row as the API shows it."""
        return cls(
            id=member.platform_id, name=member.name, display_name=member.display_name, is_bot=member.is_bot,
            remember=member.remember, first_seen_at=member.first_seen_at, last_seen_at=member.last_seen_at,
        )  # fmt: skip


class ChannelOut(BaseModel):
    """A channel; `audience` says who could read it."""

    id: str
    name: str
    kind: str
    parent_id: str | None
    audience: str
    memory_on: bool

    @classmethod
    def of(cls, channel: Channel) -> Self:
        """Return the row as the API shows it."""
        return cls(
            id=channel.platform_id, name=channel.name, kind=channel.kind, audience=channel.audience,
            parent_id=channel.parent.platform_id if channel.parent else None, memory_on=channel.memory_on,
        )  # fmt: skip


class Consent(BaseModel):
    """A member's choice about being remembered."""

    model_config = ConfigDict(extra="forbid", strict=True)

    remember: bool


class ConsentOut(BaseModel):
    """The choice as it now stands."""

    id: str
    remember: bool


class Acts(BaseModel):
    """What one member did towards another."""

    replies: int
    mentions: int

    @classmethod
    def of(cls, counts: Counts) -> Self:
        """Return the counts as the API shows them."""
        return cls(replies=counts.replies, mentions=counts.mentions)


class Tie(BaseModel):
    """How close two members probably are; `level` is an operator's word (null: none), which then is the strength."""

    strength: float
    confidence: float
    label: str
    reciprocity: float
    level: float | None
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
    return {
        "strength": round(edge.strength, 4),
        "confidence": round(edge.confidence, 4),
        "label": edge.label,
        "reciprocity": round(edge.reciprocity, 4),
        "level": edge.level,
        "days": edge.days,
        "together": edge.forth.together,
        "voice_minutes": edge.forth.voice_minutes,
        "last_day": edge.last_day,
    }


class RelationshipsOut(BaseModel):
    """A member's relationships, the strongest first; `on` is false while the guild counts none."""

    on: bool
    items: list[RelationshipOut]
    next_cursor: str | None = None


class GraphFilters(BaseModel):
    """Narrows the guild's graph."""

    channel: ChannelId = None
    least: float = Field(default=0.0, ge=0, le=1, description="the least strength")
    limit: int = Field(default=100, ge=1, le=500)


class GraphOut(BaseModel):
    """The guild's graph, the strongest edges first; `on` is false while it counts none."""

    on: bool
    items: list[EdgeOut]
    next_cursor: str | None = None


class Switch(BaseModel):
    """Whether the guild counts who has to do with whom."""

    model_config = ConfigDict(extra="forbid", strict=True)

    on: bool


class Level(BaseModel):
    """How close two members are, as an operator says."""

    model_config = ConfigDict(extra="forbid", strict=True)

    level: float = Field(ge=0, le=1)


class LevelOut(BaseModel):
    """The level as it now stands."""

    members: list[MemberRef]
    level: float
    actor: str
    set_at: datetime


class MemberFilters(Window):
    """Narrows a list of members."""

    q: str | None = Field(default=None, max_length=200, description="a part of the name")
