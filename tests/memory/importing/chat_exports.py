"""Exports of chats made for tests, in the forms that the products document."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from memory.importing import Invalid, ReadMessage, Skipped, open_export, read
from notes.messages.schemas import IncomingMessage


def items(path: Path, *, guild: str = "", zone: str = "UTC") -> list:
    with open_export(str(path)) as source:
        return list(read(source, guild=guild, zone=ZoneInfo(zone)))


def kind(path: Path) -> str:
    with open_export(str(path)) as source:
        list(read(source))
        return source.kind


def said(found: list) -> list[IncomingMessage]:
    return [each.message for each in found if isinstance(each, ReadMessage)]


def left_out(found: list) -> list[str]:
    return [each.reason for each in found if isinstance(each, Skipped | Invalid)]


def folder(place: Path, files: dict[str, Any]) -> Path:
    """Write files below a folder: texts as they are, all else as JSON."""
    for name, data in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return place


def zipped(path: Path, files: dict[str, Any]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(name, data if isinstance(data, str | bytes) else json.dumps(data))
    return path


# --- Slack --------------------------------------------------------------------------------------------------------


def slack_user(number: str, name: str, **more: Any) -> dict[str, Any]:
    return {"id": number, "team_id": "T1", "name": name, "profile": {"display_name": name.title()}, **more}


def slack(text: str, ts: str = "1760000000.000100", user: str = "U1", **more: Any) -> dict[str, Any]:
    return {"type": "message", "user": user, "text": text, "ts": ts, "team": "T1", **more}


def slack_export(*messages: Any, channel: str = "general", **files: Any) -> dict[str, Any]:
    return {
        "users.json": [slack_user("U1", "alice"), slack_user("U2", "bob"), slack_user("UB", "robo", is_bot=True)],
        "channels.json": [{"id": "C1", "name": "general"}],
        "groups.json": [{"id": "G1", "name": "board"}],
        "dms.json": [{"id": "D1", "members": ["U1", "U2"]}],
        "mpims.json": [{"id": "M1", "name": "mpdm-alice--bob--carol-1"}],
        f"{channel}/2025-10-09.json": list(messages),
        **files,
    }


# --- Telegram, Matrix, Mattermost ---------------------------------------------------------------------------------


def telegram(text: Any, number: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "id": number, "type": "message", "date": "2025-10-09T10:53:20", "date_unixtime": "1760000000",
        "from": "Alice", "from_id": "user7", "text": text, "text_entities": [], **more,
    }  # fmt: skip


def telegram_chat(*messages: Any, of: str = "private_supergroup", number: int = 99) -> dict[str, Any]:
    return {"name": "Harbour", "type": of, "id": number, "messages": list(messages)}


def matrix(body: str, number: int = 1, **more: Any) -> dict[str, Any]:
    content = {"msgtype": "m.text", "body": body, **more.pop("content", {})}
    return {
        "type": "m.room.message", "room_id": "!r:example.org", "sender": "@alice:example.org", "content": content,
        "event_id": f"$e{number}", "origin_server_ts": 1760000000123, **more,
    }  # fmt: skip


def matrix_room(*messages: Any) -> dict[str, Any]:
    return {
        "room_name": "Harbour", "room_creator": "@alice:example.org", "topic": "", "export_date": "9 October 2025",
        "exported_by": "Alice (@alice:example.org)", "messages": list(messages),
    }  # fmt: skip


def mattermost(*posts: dict[str, Any]) -> str:
    before = [
        {"type": "version", "version": 1},
        {"type": "team", "team": {"name": "north", "display_name": "North"}},
        {"type": "channel", "channel": {"team": "north", "name": "town", "display_name": "Town", "type": "O"}},
        {"type": "channel", "channel": {"team": "north", "name": "board", "display_name": "Board", "type": "P"}},
        {"type": "user", "user": {"username": "alice", "nickname": "Ali", "email": "a@example.org"}},
        {"type": "bot", "bot": {"username": "robo", "owner": "alice"}},
    ]
    return "".join(f"{json.dumps(each)}\n" for each in [*before, *posts])


def post(message: str, channel: str = "town", user: str = "alice", **more: Any) -> dict[str, Any]:
    told = {"team": "north", "channel": channel, "user": user, "message": message, "create_at": 1760000000123, **more}
    return {"type": "post", "post": told}
