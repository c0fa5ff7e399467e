"""Reads the lines of the data sets that memory is measured on: one guild for each conversation."""

from __future__ import annotations

import re
from typing import Any

from memory.importing.schemas import Item, Raw, ReadMessage, Skipped
from notes.messages.schemas import GuildRef, IncomingMessage

ASSISTANT = "assistant"  # the author's name where one side of the conversation is a machine
_OFFSET = re.compile(r"Z$|\+|(?:-.*){3}")


def recognise(first: Raw) -> bool:
    """Tell whether a file that begins with this object is a data set: its messages name their conversation."""
    return {"conversation", "author", "message_id"} <= first.keys()


def shape(raw: dict[str, Any], guild: str) -> Item:
    """Return the message; in a guild that the operator names, a conversation is a channel with ids of its own.

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
