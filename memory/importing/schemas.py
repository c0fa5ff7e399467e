"""What a file yields: messages to take in, messages left out, lines refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from pydantic import ValidationError

from memoryhub.errors import wrong_in_field
from notes.messages.schemas import GuildRef, IncomingMessage

Raw = Mapping[str, Any]
"""An object as the file holds it."""


@dataclass(frozen=True, slots=True)
class ReadMessage:
    """A message and the guild it belongs to."""

    guild: GuildRef
    message: IncomingMessage


@dataclass(frozen=True, slots=True)
class Skipped:
    """A sound message that is not one to remember, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Invalid:
    """Something that is no message: where it stands in the file, and why."""

    where: str
    reason: str


Item = ReadMessage | Skipped | Invalid

MOST_REASONS = 3
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class InvalidMessage(ValueError):
    """What stands there is no message; the text says why and never quotes the chat."""


def moment(stamp: str, *, a_second: int = 1) -> Any:
    """Return the time of a number since 1970, such as 1355517523.000005; what is no time comes back as it is."""
    try:
        seconds = Decimal(stamp) / a_second
        return EPOCH + timedelta(microseconds=int(seconds * 1_000_000))
    except (ArithmeticError, ValueError):
        return stamp


def reason(error: ValidationError) -> str:
    """Return the first complaints, with the names of the fields and without what stood in them."""
    complaints = error.errors(include_url=False, include_input=False)
    shown = [
        f"{'.'.join(str(step) for step in each['loc'])}: {wrong_in_field(each).removesuffix('.')}"
        for each in complaints[:MOST_REASONS]
    ]
    more = len(complaints) - len(shown)
    return printable("; ".join([*shown, *([f"and {more} more"] if more else [])]))


def printable(text: str) -> str:
    """Return text from a file with nothing in it that a terminal would obey."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def message_of(fields: Raw, *, guild: GuildRef | Raw, where: str) -> ReadMessage | Invalid:
    """Return the message that these fields of the contract make in this guild, or what of them can't be one."""
    try:
        place = GuildRef.model_validate(guild)
        return ReadMessage(place, IncomingMessage.model_validate({"source": "import", **fields}))
    except ValidationError as error:
        return Invalid(where, reason(error))


def part(raw: Raw, name: str) -> Raw:
    """Return the object under this name; an empty one if there is none."""
    value = raw.get(name)
    return value if isinstance(value, dict) else {}
