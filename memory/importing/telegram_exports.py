"""Reads Telegram Desktop's result.json, of one chat or of an account, in constant memory."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, tzinfo
from typing import Any

from memory.importing.open_file import Source, broken_off
from memory.importing.schemas import Item, Raw, Skipped, message_of, moment

DIRECT = {"personal_chat", "bot_chat", "saved_messages", "replies", "verification_codes"}
GROUPS = {"private_group", "private_supergroup", "public_supergroup", "private_channel", "public_channel"}
CHATS = ("", "chats.list.item", "left_chats.list.item")
MESSAGES = ("messages.item", *(f"{chat}.messages.item" for chat in CHATS[1:]))
SAID = ("name", "type", "id")


def recognise(first: Raw) -> bool:
    """Tell whether a file that begins with this object is an export."""
    return str(first.get("type")) in DIRECT | GROUPS or "personal_information" in first or "about" in first


def read(source: Source, *, guild: str, zone: tzinfo) -> Iterator[Item]:
    """Yield what the export holds, chat by chat; raises Unreadable where it breaks off."""
    import ijson  # type: ignore[import-untyped]

    chat: dict[str, Any] = {}
    number, builder, inside = 0, None, ""
    try:
        for prefix, event, value in ijson.parse(source, use_float=True):
            if builder is not None:
                builder.event(event, value)
                if prefix == inside and event == "end_map":
                    number += 1
                    yield _item(builder.value, f"message {number}", chat, guild, zone)
                    builder = None
                continue
            place, _, name = prefix.rpartition(".")
            if prefix in CHATS and event == "start_map":
                chat = {}
            elif name in SAID and place in CHATS:
                chat[name] = value
            elif prefix in MESSAGES and event == "start_map":
                builder, inside = ijson.ObjectBuilder(), prefix
                builder.event(event, value)
    except ijson.JSONError:
        raise broken_off(source, number) from None


def _item(raw: Raw, where: str, chat: Raw, guild: str, zone: tzinfo) -> Item:
    if raw.get("type") != "message":
        return Skipped("system_message")
    if raw.get("forwarded_from") or raw.get("forwarded_from_id"):
        return Skipped("forwarded")
    number, direct = str(chat.get("id") or "saved"), str(chat.get("type")) not in GROUPS
    name, sender = str(chat.get("name") or "")[:200], raw.get("from_id")
    text, mentions = plain(raw.get("text"))
    answered = raw.get("reply_to_message_id")
    fields: dict[str, Any] = {
        "message_id": f"{number}/{raw.get('id')}",
        "channel": {
            "id": number, "name": name, "kind": "direct" if direct else "text",
            "audience": "channel" if direct else None,
        },
        "author": {
            "id": f"user{sender}" if isinstance(sender, int) else str(sender or ""),
            "display_name": str(raw.get("from") or "")[:200],
            "is_bot": str(sender or "").startswith("channel"),  # a post of the channel itself, which nobody signed
        },
        "text": text,
        "sent_at": _sent_at(raw, zone),
        "reply_to": f"{number}/{answered}" if answered else None,
        "mentions": mentions,
    }  # fmt: skip
    place = {"key": guild or f"telegram{'-dm' if direct else ''}:{number}", "name": "" if guild else name}
    return message_of(fields, guild=place, where=where)


def _sent_at(raw: Raw, zone: tzinfo) -> Any:
    """Return when it was sent; exports of before 2021 know only the exporter's own clock."""
    if stamp := raw.get("date_unixtime"):
        return moment(str(stamp))
    try:
        return datetime.fromisoformat(str(raw.get("date"))).replace(tzinfo=zone)
    except ValueError:
        return raw.get("date")


def plain(text: Any) -> tuple[str, list[str]]:
    """Return a text, which may be a list of pieces with their styles, and the members that it names by account."""
    pieces = text if isinstance(text, list) else [text]
    mentions = [f"user{each['user_id']}" for each in pieces if isinstance(each, dict) and each.get("user_id")]
    words = (str(each.get("text", "")) if isinstance(each, dict) else str(each or "") for each in pieces)
    return "".join(words), mentions[:100]
