"""Reads the JSON exports of DiscordChatExporter, one channel a file, in constant memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from memory.importing.open_file import Source, Unreadable, wrong_encoding
from memory.importing.schemas import Item, LeftOut, NotAMessage, Raw, Refused, Said, part, reason
from notes.messages.schemas import GuildRef, IncomingChannel, IncomingMessage

NO_GUILD = "0"  # the guild id of an export of direct messages
# Discord gives the messages of accounts that are gone to this one account: many people, who must not become one member.
DELETED_ACCOUNT = "456226577798135808"
REPLY = frozenset({"Reply", "19"})  # exporters older than a type write its number
SPOKEN = frozenset({"Default", "0", *REPLY})
MOST_MENTIONS = 100

# What a channel is for us, and who could read it where its type says so; an unknown type is only its readers' own.
KINDS: dict[str, tuple[str, str | None]] = {
    "GuildTextChat": ("text", None),
    "GuildNews": ("text", None),
    "GuildForum": ("text", None),
    "GuildMedia": ("text", None),
    "GuildVoiceChat": ("voice", None),
    "GuildStageVoice": ("voice", None),
    "GuildPublicThread": ("thread", None),
    "GuildNewsThread": ("thread", None),
    "GuildPrivateThread": ("thread", "channel"),
    "DirectTextChat": ("direct", "channel"),
    "DirectGroupTextChat": ("direct", "channel"),
}


def recognise(first: Raw) -> bool:
    """Tell whether a file that begins with this object is an export; its messages come last."""
    return "id" in part(first, "guild") and ("channel" in first or first.keys() == {"guild"})


def read(source: Source, *, preamble: Raw, guild: str) -> Iterator[Item]:
    """Yield what the export holds; raises Unreadable where it breaks off."""
    import ijson  # type: ignore[import-untyped]

    place = _place(preamble, guild)
    number = 0
    try:
        for raw in ijson.items(source, "messages.item"):
            number += 1
            yield _item(raw, number, *place)
    except ijson.JSONError as error:
        raise _broken(str(error), source, number) from None  # the parser's own words quote the file


def _place(preamble: Raw, guild: str) -> tuple[GuildRef, IncomingChannel]:
    try:
        channel = _channel(part(preamble, "channel"))
        return _guild(part(preamble, "guild"), channel, guild), channel
    except ValidationError as error:
        raise Unreadable(f"does not say where it was said: {reason(error)}.") from error


def _guild(raw: Raw, channel: IncomingChannel, key: str) -> GuildRef:
    """Return the guild; each direct chat is a guild of its own, and a guild that the operator names keeps its name."""
    if key:
        return GuildRef(key=key)
    if raw.get("id") == NO_GUILD:
        return GuildRef(key=f"discord-dm:{channel.id}", name=channel.name)
    return GuildRef(key=f"discord:{raw.get('id')}", name=raw.get("name") or "")


def _channel(raw: Raw) -> IncomingChannel:
    """Return the channel; the exporter calls a thread's parent its category."""
    kind, audience = KINDS.get(str(raw.get("type")), ("text", "channel"))
    parent = raw.get("categoryId") if kind == "thread" else None
    fields = {"kind": kind, "audience": audience, "parent_id": parent or None}
    return IncomingChannel.model_validate({"id": raw.get("id"), "name": raw.get("name") or "", **fields})


def _item(raw: Any, number: int, guild: GuildRef, channel: IncomingChannel) -> Item:
    try:
        if not isinstance(raw, dict):
            raise NotAMessage("is not a JSON object")
        left_out = _left_out(raw)
        return LeftOut(left_out) if left_out else Said(guild, _message(raw, channel))
    except ValidationError as error:
        return Refused(f"message {number}", reason(error))
    except NotAMessage as error:
        return Refused(f"message {number}", str(error))


def _left_out(raw: Raw) -> str:
    """Return why the message is not one that its author said; empty if it is."""
    if str(raw.get("type", "Default")) not in SPOKEN:
        return "system_message"
    if raw.get("forwardedMessage") or part(raw, "reference").get("type") == "Forward":
        return "forwarded"
    return "deleted_account" if part(raw, "author").get("id") == DELETED_ACCOUNT else ""


def _message(raw: Raw, channel: IncomingChannel) -> IncomingMessage:
    author, reference = part(raw, "author"), part(raw, "reference")
    return IncomingMessage.model_validate(
        {
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
            "reply_to": reference.get("messageId") if str(raw.get("type")) in REPLY else None,
            "mentions": _mentions(raw),
            "source": "import",
        }
    )


def _mentions(raw: Raw) -> list[Any]:
    mentions = raw.get("mentions")
    people = mentions if isinstance(mentions, list) else []
    return [person.get("id") for person in people[:MOST_MENTIONS] if isinstance(person, dict)]


def _broken(error: str, source: Source, number: int) -> Unreadable:
    if "premature EOF" in error or source.ends_inside_a_letter():
        return Unreadable(
            f"breaks off at byte {source.position}, after {number} whole messages and without the messageCount that "
            "ends an export: it was cut. What stood before is in; export again and import the whole file for the rest."
        )
    if "UTF8" in error:
        return wrong_encoding(f"after message {number}, before byte {source.position}")
    return Unreadable(f"is not JSON after message {number}, before byte {source.position}.")
