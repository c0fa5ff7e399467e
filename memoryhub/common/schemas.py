"""What the JSON API takes and gives about channels, members and consent."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from memoryhub.common.pagination import Window
from memoryhub.community.models import Channel, Member

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def iso_day(value: object) -> object:
    """Return the day of an ISO date; numbers are refused, which pydantic would count as seconds from 1970."""
    if not isinstance(value, str) or not _ISO.fullmatch(value):
        raise ValueError("a day is written as 2026-02-23")
    return date.fromisoformat(value)


Day = Annotated[date, BeforeValidator(iso_day)]

ChannelId = Annotated[str | None, Field(max_length=200, description="in which channel it is to be used")]


class RowOut(BaseModel):
    """An answer whose fields are a row's own attributes; ids become words, as everywhere in the API."""

    model_config = ConfigDict(from_attributes=True, coerce_numbers_to_str=True)

    @classmethod
    def of(cls, row: object) -> Self:
        """Return the row as the API shows it."""
        return cls.model_validate(row)


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


class MemberFilters(Window):
    """Narrows a list of members."""

    q: str | None = Field(default=None, max_length=200, description="a part of the name")
