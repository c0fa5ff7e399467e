"""Reads the JSON that Element writes of a Matrix room, in constant memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memory.importing.open_file import Source, broken_off
from memory.importing.schemas import Invalid, Item, Raw, Skipped, message_of, moment, part

SPOKEN = {"m.text", "m.emote"}


def recognise(first: Raw) -> bool:
    """Tell whether a file that begins with this object is an export."""
    return "room_name" in first and ("export_date" in first or "exported_by" in first or "room_creator" in first)


def read(source: Source, *, preamble: Raw, guild: str) -> Iterator[Item]:
    """Yield what the export holds; raises Unreadable where it breaks off."""
    import ijson  # type: ignore[import-untyped]

    number = 0
    try:
        for raw in ijson.items(source, "messages.item"):
            number += 1
            yield _item(raw, f"message {number}", str(preamble.get("room_name") or "")[:200], guild)
    except ijson.JSONError:
        raise broken_off(source, number) from None


def _item(raw: Any, where: str, name: str, guild: str) -> Item:
    if not isinstance(raw, dict):
        return Invalid(where, "is not a JSON object")
    content, related = part(raw, "content"), part(part(raw, "content"), "m.relates_to")
    if left_out := _left_out(raw, content, related):
        return Skipped(left_out)
    room, sender = str(raw.get("room_id") or ""), str(raw.get("sender") or "")
    edited = part(part(part(part(part(raw, "unsigned"), "m.relations"), "m.replace"), "content"), "m.new_content")
    thread = str(related.get("event_id") or "") if related.get("rel_type") == "m.thread" else ""
    answered = part(related, "m.in_reply_to").get("event_id") or thread or None
    own = {"id": f"{room}/{thread}", "kind": "thread", "parent_id": room} if thread else {"id": room, "name": name}
    body = str(edited.get("body") or content.get("body") or "")
    fields = {
        "message_id": raw.get("event_id"),
        "channel": own,
        "author": {"id": sender, "name": sender.removeprefix("@").partition(":")[0][:200]},
        "text": without_quote(body) if answered else body,
        "sent_at": moment(str(raw.get("origin_server_ts")), a_second=1000),
        "reply_to": answered,
        "mentions": [each for each in part(content, "m.mentions").get("user_ids") or [] if isinstance(each, str)][:100],
    }
    place = {"key": guild or f"matrix:{room}", "name": "" if guild else name}
    return message_of(fields, guild=place, where=where)


def _left_out(raw: Raw, content: Raw, related: Raw) -> str:
    """Return why an event is no message of somebody, empty if it is one."""
    if part(raw, "unsigned").get("redacted_because") or (raw.get("type") == "m.room.message" and not content):
        return "deleted"
    if raw.get("type") == "m.room.encrypted":
        return "encrypted"
    if raw.get("type") != "m.room.message" or content.get("msgtype") == "m.notice":
        return "system_message"
    if related.get("rel_type") == "m.replace":
        return "edit"
    return "" if content.get("msgtype") in SPOKEN else "attachment"


def without_quote(body: str) -> str:
    """Return an answer without the quoted lines that old clients put before it."""
    lines = body.split("\n")
    while lines and lines[0].startswith("> "):
        lines.pop(0)
    return "\n".join(lines).lstrip("\n") if len(lines) < body.count("\n") + 1 else body
