"""Files to import, written as their makers write them: exports of Discord chats and JSON lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

NOWHERE = "https://cdn.example/0.png"


def user(name: str = "Alice", **fields: Any) -> dict[str, Any]:
    """Return a user of an export."""
    made = {
        "id": f"u-{name.lower()}", "name": name.lower(), "discriminator": "0000", "nickname": name, "color": None,
        "isBot": False, "roles": [{"id": "5", "name": "crew", "color": None, "position": 1}], "avatarUrl": NOWHERE,
    }  # fmt: skip
    return {**made, **fields}


def exported(number: int = 1, content: str = "I live in Toronto.", **fields: Any) -> dict[str, Any]:
    """Return a message of an export; each number is sent a minute after the one before."""
    clock = f"{12 + number // 60}:{number % 60:02}"
    made = {
        "id": f"m-{number}", "type": "Default", "timestamp": f"2026-03-02T{clock}:00.123+01:00",
        "timestampEdited": None, "callEndedTimestamp": None, "isPinned": False, "content": content,
        "author": user(), "attachments": [], "embeds": [], "stickers": [], "reactions": [], "mentions": [],
        "inlineEmojis": [],
    }  # fmt: skip
    return {**made, **fields}


def export(*messages: Any, guild: Any = None, **channel: Any) -> bytes:
    """Return an export of one channel."""
    place = {
        "id": "c-general", "type": "GuildTextChat", "categoryId": "k-1", "category": "Rooms", "name": "general",
        "topic": None, **channel,
    }  # fmt: skip
    whole = {
        "guild": guild or {"id": "1", "name": "North", "iconUrl": NOWHERE},
        "channel": place,
        "dateRange": {"after": None, "before": None},
        "exportedAt": "2026-03-03T00:00:00+00:00",
        "messages": list(messages),
        "messageCount": len(messages),
    }
    return json.dumps(whole, indent=2, ensure_ascii=False).encode()


def line(number: int = 1, text: str = "I live in Toronto.", author: str = "alice", **fields: Any) -> dict[str, Any]:
    """Return a message in the contract's form, with its guild; a field given as None is left out."""
    made = {
        "guild": {"key": "discord:1", "name": "North"}, "message_id": f"m-{number}", "channel": {"id": "c-general"},
        "author": {"id": f"u-{author}", "name": author}, "text": text, "sent_at": f"2026-03-02T12:{number % 60:02}:00Z",
    }  # fmt: skip
    return {name: value for name, value in {**made, **fields}.items() if value is not None}


def lines(*objects: Any) -> bytes:
    """Return the objects as JSON lines."""
    return b"".join(json.dumps(each, ensure_ascii=False).encode() + b"\n" for each in objects)


def studied(number: int = 1, text: str = "I live in Toronto.", author: str = "Alice", **fields: Any) -> dict[str, Any]:
    """Return a line of a measuring data set."""
    made = {
        "conversation": "talk-1", "session": 1, "timestamp": f"2026-03-02T12:{number % 60:02}:00", "author": author,
        "message_id": f"D1:{number}", "text": text,
    }  # fmt: skip
    return {**made, **fields}


def write(folder: Path, data: bytes, name: str = "messages") -> str:
    """Write a file and return its path; the name says nothing of what it is."""
    path = folder / name
    path.write_bytes(data)
    return str(path)
