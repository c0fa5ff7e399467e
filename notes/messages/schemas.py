"""What a door hands in: a message, its channel and its author, checked."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic.config import JsonDict

from memoryhub.community.identity import Place
from memoryhub.community.models import PLATFORM_ID
from memoryhub.errors import A_MOMENT, pattern

MAX_TEXT = 100_000  # characters
A_GUILD_KEY = "a guild's key as platform:id, such as discord:1234"
EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_YEAR_FIRST = re.compile("[0-9]{4}-")


def storable(text: object) -> object:
    """Take out what no database text can hold: null characters and halves of surrogate pairs."""
    return _UNSTORABLE.sub("", text) if isinstance(text, str) else text


def _written_out(value: object) -> object:
    # Of digits alone pydantic makes seconds since 1970: "2026" would be half an hour into that year.
    if isinstance(value, datetime) or (isinstance(value, str) and _YEAR_FIRST.match(value)):
        return value
    raise ValueError(A_MOMENT)


def _plus_kept(value: object) -> object:
    """Undo that an address turns the + of an offset into a space."""
    return value.replace(" ", "+") if isinstance(value, str) else value


def in_history(value: datetime) -> datetime:
    """Return a moment with a time zone in UTC; raises ValueError for one that no message can have been said at."""
    try:
        moment = value.astimezone(UTC)
    except OverflowError:
        raise ValueError("Must lie within the calendar, from 1970 to 9999.") from None
    if moment < EARLIEST:
        raise ValueError("Must not lie before 1970.")
    return moment


def _in_one_line(value: str) -> str:
    if "\n" in value:  # no address of the JSON API could name it
        raise ValueError("Must be one line.")
    if "\x00" in value:  # without it, it would be another's id
        raise ValueError("Must be text without null characters.")
    if not value.strip():
        raise ValueError("Must not be spaces only.")
    return value


def _whole(value: object) -> object:
    """Take 25.0 for 25: to JSON, and to a schema, they are one number."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


# What the validators refuse is in the patterns too, so that whoever reads the document knows it.
HISTORY = {"type": "string", "format": "date-time", "pattern": "^(197[1-9]|19[89][0-9]|[2-8][0-9]{3}|9[0-8][0-9]{2})-"}
GUILD_KEY = pattern(r"^[a-z][a-z0-9_-]{0,31}:\S+$", A_GUILD_KEY)
ONE_LINE: JsonDict = {"pattern": r"^[^\n\x00]*[^\s\x00][^\n\x00]*$"}
Text = BeforeValidator(storable)
Whole = BeforeValidator(_whole)
PlatformId = Annotated[
    str, Field(min_length=1, max_length=PLATFORM_ID, json_schema_extra=ONE_LINE), AfterValidator(_in_one_line)
]
Name = Annotated[str, Text, Field(max_length=200)]
Moment = Annotated[
    AwareDatetime, Field(strict=False), BeforeValidator(_written_out), AfterValidator(in_history),
    WithJsonSchema(HISTORY),
]  # fmt: skip
MomentInAddress = Annotated[Moment, BeforeValidator(_plus_kept)]


class Strict(BaseModel):
    """A body whose unknown fields are refused and whose types are not guessed."""

    model_config = ConfigDict(extra="forbid", strict=True)


class GuildRef(Strict):
    """A guild by its key, `platform:id`, created when first named."""

    key: Annotated[str, Text, Field(pattern=GUILD_KEY, max_length=PLATFORM_ID + 32)]
    name: Name = ""


class IncomingChannel(Strict):
    """Where it was said. What is left out stays as it is known, or takes the default of a new channel."""

    id: PlatformId
    name: Name = ""
    kind: Literal["text", "thread", "voice", "direct"] | None = None
    parent_id: PlatformId | None = None
    audience: Literal["guild", "channel"] | None = None

    @property
    def ids(self) -> list[str]:
        """Return its own id and its parent's."""
        return [self.id, self.parent_id] if self.parent_id else [self.id]

    @property
    def place(self) -> Place:
        """Return it as `CommunityCache.channel` takes it."""
        return Place(**self.model_dump())


class IncomingAuthor(Strict):
    """Who said it."""

    id: PlatformId
    name: Name = ""
    display_name: Name = ""
    is_bot: bool = False
    is_own_bot: bool = Field(default=False, description="The bot that is handed this memory: never learned from.")


class IncomingMessage(Strict):
    """One message as a door hands it in."""

    message_id: PlatformId
    channel: IncomingChannel
    author: IncomingAuthor
    text: Annotated[str, Text, Field(max_length=MAX_TEXT)]
    sent_at: Moment
    reply_to: PlatformId | None = None
    mentions: Annotated[list[PlatformId], Field(max_length=100)] = []
    source: Literal["text", "voice", "import"] = "text"
    tool_summary: bool = False
    """A bot tells here what a tool found for the member it answers: learned from, as no other word of a bot is."""
