"""Messages as doors hand them in, and a scripted world: `say` puts words in somebody's mouth."""

from __future__ import annotations

from datetime import datetime
from itertools import count
from typing import Any

from memory import pipeline
from memory.pipeline import Received
from memoryhub.community.models import Guild
from notes.messages.schemas import GuildRef, IncomingMessage
from tests.factories import NOON

NORTH = GuildRef(key="discord:1", name="North")
SOUTH = GuildRef(key="discord:2", name="South")

_numbers = count(1)


def incoming(text: str = "I live in Toronto.", author: str = "Alice", **fields: Any) -> IncomingMessage:
    """Return a checked message; `channel`, `author` and others as in the contract, with short forms for tests."""
    channel = fields.pop("channel", "general")
    body = {
        "message_id": fields.pop("id", f"said-{next(_numbers)}"),
        "channel": channel if isinstance(channel, dict) else {"id": f"c-{channel}", "name": channel},
        "author": {
            "id": f"u-{author.lower()}",
            "display_name": author,
            **{name: fields.pop(name) for name in ("is_bot", "is_own_bot") if name in fields},
        },
        "text": text,
        "sent_at": fields.pop("at", NOON),
        **fields,
    }
    return IncomingMessage.model_validate(body)


def say(
    text: str, author: str = "Alice", *, guild: GuildRef = NORTH, now: datetime | None = None, **fields: Any
) -> Received:
    """Let somebody say something; it is received at the time it was sent."""
    message = incoming(text, author, **fields)
    return pipeline.receive(message, guild=guild, now=now or message.sent_at)


def north() -> Guild:
    """Return the guild that `say` speaks in."""
    return Guild.objects.get(key=NORTH.key)
