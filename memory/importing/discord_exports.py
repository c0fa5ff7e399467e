"""Reads the JSON exports of DiscordChatExporter, one channel a file, in constant memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from memory.importing.open_file import Source, Unreadable, wrong_encoding
from memory.importing.schemas import Invalid, Item, Raw, Skipped, message_of, part, reason
from notes.messages.schemas import GuildRef, IncomingChannel

NO_GUILD = "0"  # the guild id of an export of direct messages
# Discord gives the messages of accounts that are gone to this one account: many people, who must not become one member.
DELETED_ACCOUNT = "456226577798135808"
REPLY = frozenset({"Reply", "19"})  # exporters older than a type write its number
SPOKEN = frozenset({"Default", "0", *REPLY})
MOST_MENTIONS = 100

# What a channel is for us, and who could read it where its type says so; an unknown type is only its readers' own.
KINDS: dict[str, tuple[str, str | None]] = {
    **dict.fromkeys(("GuildTextChat", "GuildNews", "GuildForum", "GuildMedia"), ("text", None)),
    **dict.fromkeys(("GuildVoiceChat", "GuildStageVoice"), ("voice", None)),
    **dict.fromkeys(("GuildPublicThread", "GuildNewsThread"), ("thread", None)),
    "GuildPrivateThread": ("thread", "channel"),
    **dict.fromkeys(("DirectTextChat", "DirectGroupTextChat"), ("direct", "channel")),
}


def recognise(first: Raw) -> bool:
    """Tell whether a file that begins with this object is an export; its messages come last."""
    return "id" in part(first, "guild") and ("channel" in first or first.keys() == {"guild"})


def read(source: Source, *, preamble: Raw, guild: str) -> Iterator[Item]:
    """Yield what the export holds; raises Unreadable where it breaks off."""
    import ijson  # type: ignore[import-untyped]

    try:
        raw = part(preamble, "channel")
        kind, audience = KINDS.get(str(raw.get("type")), ("text", "channel"))
        parent = raw.get("categoryId") if kind == "thread" else None  # the exporter's word for a thread's parent
        fields = {"kind": kind, "audience": audience, "parent_id": parent or None}
        channel = IncomingChannel.model_validate({"id": raw.get("id"), "name": raw.get("name") or "", **fields})
        # Each direct chat is a guild of its own, and a guild that the operator names keeps its name.
        if guild:
            ref = GuildRef(key=guild)
        elif (exported := part(preamble, "guild")).get("id") == NO_GUILD:
            ref = GuildRef(key=f"discord-dm:{channel.id}", name=channel.name)
        else:
            ref = GuildRef(key=f"discord:{exported.get('id')}", name=exported.get("name") or "")
    except ValidationError as error:
        raise Unreadable(f"does not say where it was said: {reason(error)}.") from error
    number = 0
    try:
        for raw in ijson.items(source, "messages.item"):
            number += 1
            yield _item(raw, number, ref, channel)
    except ijson.JSONError as error:
        # Not chained: the parser's own words quote the file.
        if "premature EOF" in str(error) or source.ends_inside_a_letter():
            raise Unreadable(
                f"breaks off at byte {source.position}, after {number} whole messages and without the messageCount "
                "that ends an export: it was cut. What stood before is in; export again and import the whole file for "
                "the rest."
            ) from None
        if "UTF8" in str(error):
            raise wrong_encoding(f"after message {number}, before byte {source.position}") from None
        raise Unreadable(f"is not JSON after message {number}, before byte {source.position}.") from None


def _item(raw: Any, number: int, guild: GuildRef, channel: IncomingChannel) -> Item:
    """Return a message, or why it is none that its author said."""
    if not isinstance(raw, dict):
        return Invalid(f"message {number}", "is not a JSON object")
    kind, author, reference = str(raw.get("type", "Default")), part(raw, "author"), part(raw, "reference")
    if kind not in SPOKEN:
        return Skipped("system_message")
    if raw.get("forwardedMessage") or reference.get("type") == "Forward":
        return Skipped("forwarded")
    if author.get("id") == DELETED_ACCOUNT:
        return Skipped("deleted_account")
    mentions = raw.get("mentions")
    people = mentions[:MOST_MENTIONS] if isinstance(mentions, list) else []
    fields = {
        "message_id": raw.get("id"),
        "channel": channel,
        "author": {
            "id": author.get("id"),
            "name": author.get("name") or "",
            "display_name": author.get("nickname") or "",
            "is_bot": author.get("isBot") or False,
        },
        "text": raw.get("content"),
        "sent_at": raw.get("timestamp"),
        "reply_to": reference.get("messageId") if kind in REPLY else None,
        "mentions": [person.get("id") for person in people if isinstance(person, dict)],
    }
    return message_of(fields, guild=guild, where=f"message {number}")
