"""What the JSON API takes and gives about channels, members and consent."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Annotated, Any, Self

from django.http import HttpResponse
from pydantic import AliasPath, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticSerializationError

from memoryhub.common.pagination import Window
from memoryhub.community.models import Member
from memoryhub.errors import A_DAY

JSON = "application/json; charset=utf-8"
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


DEEPEST = 100  # lists and objects within each other, where a client may send any; far below what Python can follow


def no_deeper(value: Any) -> Any:
    """Return the value; raises ValueError where it is nested so deeply that nothing could go through it."""
    layer = [value]
    for _ in range(DEEPEST + 1):
        inside = [each.values() if isinstance(each, dict) else each for each in layer if isinstance(each, dict | list)]
        layer = [part for parts in inside for part in parts]
    if layer:
        raise ValueError(f"Must be nested at most {DEEPEST} deep.")
    return value


def iso_day(value: object) -> object:
    """Return the day of an ISO date; numbers are refused, which pydantic would count as seconds from 1970."""
    if not isinstance(value, str) or not _ISO.fullmatch(value):
        raise ValueError(A_DAY)
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise ValueError("There is no such day.") from None


Day = Annotated[date, BeforeValidator(iso_day)]

ChannelId = Annotated[str | None, Field(max_length=200, description="in which channel it is to be used")]


class RowOut(BaseModel):
    """An answer whose fields are a row's own attributes; ids become words, as everywhere in the API."""

    model_config = ConfigDict(
        from_attributes=True, coerce_numbers_to_str=True, json_schema_serialization_defaults_required=True
    )

    @classmethod
    def of(cls, row: object) -> Self:
        """Return the row as the API shows it."""
        return cls.model_validate(row)


Written = HttpResponse | BaseModel


def written(shown: BaseModel, *, exclude_unset: bool = False) -> Written:
    """Return an answer as JSON; as it is where pydantic cannot write it, such as half a character, which Ninja can.

    Ninja takes an answer apart before it writes it: for those that name hundreds of sources that is half of the work.
    """
    try:
        return HttpResponse(shown.model_dump_json(exclude_unset=exclude_unset), content_type=JSON)
    except PydanticSerializationError:
        return shown


def via(*path: str, **options: Any) -> Any:
    """Fill a field of an answer from another attribute of the row: its name, or the way to it through other rows."""
    return Field(validation_alias=AliasPath(*path), **options)


class GuildOut(RowOut):
    """A guild; `key` stands in the addresses of all that is its own."""

    key: str
    name: str
    kind: str
    time_zone: str
    memory_on: bool
    created_at: datetime


class MemberRef(BaseModel):
    """A member as other answers mention them."""

    id: str
    name: str

    @classmethod
    def of(cls, member: Member) -> Self:
        """Return the mention."""
        return cls(id=member.platform_id, name=str(member))


class MemberOut(RowOut):
    """A member; `remember` is null while the guild's mode decides for them, `findable` false if they will not be found.

    Found are those who told of something, by who asks who knows about it.
    """

    id: str = via("platform_id")
    name: str
    display_name: str
    is_bot: bool
    remember: bool | None
    findable: bool
    first_seen_at: datetime
    last_seen_at: datetime


class ChannelOut(RowOut):
    """A channel; `audience` says who could read it."""

    id: str = via("platform_id")
    name: str
    kind: str
    parent_id: str | None = via("parent", "platform_id", default=None)
    audience: str
    memory_on: bool


class Consent(BaseModel):
    """A member's choice about being remembered."""

    model_config = ConfigDict(extra="forbid", strict=True)

    remember: bool


class ConsentOut(BaseModel):
    """The choice as it now stands."""

    id: str
    remember: bool


class Findable(BaseModel):
    """A member's choice about being named to who asks who knows about something."""

    model_config = ConfigDict(extra="forbid", strict=True)

    findable: bool


class FindableOut(BaseModel):
    """The choice as it now stands."""

    id: str
    findable: bool


class MemberFilters(Window):
    """Narrows a list of members."""

    q: str | None = Field(default=None, max_length=200, description="a part of the name")
