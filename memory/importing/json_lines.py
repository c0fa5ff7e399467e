"""Reads one JSON object a line: a message of our API with its guild, or one of the data that memory is measured on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Literal

from pydantic import ValidationError

from memory.importing.open_file import Source, Unreadable, wrong_encoding
from memory.importing.schemas import Invalid, InvalidMessage, Item, Raw, ReadMessage, Skipped, reason
from notes.messages.schemas import GuildRef, IncomingMessage

ASSISTANT = "assistant"  # the author's name where one side of the conversation is a machine
_OFFSET = re.compile(r"Z$|\+|(?:-.*){3}")
LONGEST = 4 << 20  # bytes of a line: 100,000 characters, each written as an escape, and room for the rest
Shape = Callable[[dict[str, Any], str], Item]
"""Makes the object of one line into a message; raises InvalidMessage or ValidationError."""


def read(source: Source, *, shape: Shape, guild: str) -> Iterator[Item]:
    """Yield what each line holds; a bad line is refused and the next one read. Raises Unreadable."""
    number = 0
    while line := source.readline(LONGEST):
        number += 1
        if not line.strip():
            continue
        try:
            yield shape(_json_object(line, source, number), guild)
        except ValidationError as error:
            yield Invalid(f"line {number}", reason(error))
        except InvalidMessage as error:
            yield Invalid(f"line {number}", str(error))


class Line(IncomingMessage):
    """A message as the API takes it, with its guild; what came by a file says so unless the line says otherwise."""

    source: Literal["text", "voice", "import"] = "import"
    guild: GuildRef | None = None


def shape(raw: dict[str, Any], guild: str) -> Item:
    """Return the message of a line in the contract's form."""
    line = Line.model_validate(raw)
    place = GuildRef(key=guild) if guild else line.guild
    if place is None:
        raise InvalidMessage('guild: none is named; add "guild": {"key": "platform:id"} to the line, or give --guild')
    return ReadMessage(place, line)


def _json_object(line: bytes, source: Source, number: int) -> dict[str, Any]:
    if not line.endswith(b"\n") and len(line) >= LONGEST:
        while (rest := source.readline(LONGEST)) and not rest.endswith(b"\n"):
            pass
        raise InvalidMessage(f"longer than {LONGEST >> 20} MB")
    try:
        value = json.loads(line.decode())
    except UnicodeDecodeError as error:
        if error.end == len(line):  # cut inside a letter
            raise _broken_off(source, number, len(line)) from error
        raise wrong_encoding(f"line {number}, byte {source.position - len(line) + error.start}") from error
    except (ValueError, RecursionError) as error:
        if not line.endswith(b"\n"):
            raise _broken_off(source, number, len(line)) from error
        raise InvalidMessage("is not JSON") from error
    if not isinstance(value, dict):
        raise InvalidMessage("is not a JSON object")
    return value


def _broken_off(source: Source, number: int, length: int) -> Unreadable:
    return Unreadable(
        f"breaks off in line {number}, which begins at byte {source.position - length}: "
        "the file was cut. What stood before it is in; import the whole file for the rest."
    )


def is_dataset(first: Raw) -> bool:
    """Tell whether a file that begins with this object is a data set: its messages name their conversation."""
    return {"conversation", "author", "message_id"} <= first.keys()


def shape_dataset(raw: dict[str, Any], guild: str) -> Item:
    """Return the message, in a guild for each conversation; in one that the operator names, each is a channel.

    An author's name is the id. Times without an offset are UTC.
    """
    if raw.get("system"):
        return Skipped("system_message")
    conversation, author = raw.get("conversation"), raw.get("author")
    channel = conversation if guild else raw.get("channel") or conversation
    time = raw.get("timestamp") or raw.get("session_timestamp")
    # The first other message that this one answers; the annotation lets a message answer itself.
    answers = raw.get("answers")
    others = [answer for answer in answers if answer != raw.get("message_id")] if isinstance(answers, list) else []
    message = {
        "message_id": _id(raw.get("message_id"), conversation, guild),
        "channel": {"id": channel, "name": channel, "kind": "text"},
        "author": {"id": author, "name": author, "is_bot": author == ASSISTANT},
        "text": raw.get("text"),
        "sent_at": f"{time}Z" if isinstance(time, str) and not _OFFSET.search(time) else time,
        "reply_to": _id(next(iter(others), None), conversation, guild),
        "source": "import",
    }
    ref = GuildRef(key=guild) if guild else GuildRef(key=f"conversation:{conversation}", name=str(conversation))
    return ReadMessage(ref, IncomingMessage.model_validate(message))


def _id(number: Any, conversation: Any, guild: str) -> Any:
    """Return a message's id; the data sets count anew in each conversation."""
    return f"{conversation}/{number}" if guild and number is not None else number
