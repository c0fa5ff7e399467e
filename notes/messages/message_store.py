"""Takes messages in: stores each once, rewrites an edited one, empties a deleted one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from memoryhub import db
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.db import leases
from memoryhub.errors import NotFound
from notes.messages.schemas import IncomingMessage
from notes.models import ChannelBuffer, Message

CHUNK = 500  # ids a query; SQLite takes 32,766 parameters at most

# Written out, since every message that comes in asks it.
STORED = f"""SELECT platform_id FROM {Message._meta.db_table}
    WHERE guild_id = %s AND {db.among("platform_id", kind="text")}"""  # noqa: S608  every value is a parameter


class MessageUnknown(NotFound):
    """The guild has no message of this id."""

    public = "There is no such message in this guild."


def stored_ids(guild: Guild, ids: Iterable[str]) -> set[str]:
    """Return which of these platform ids are stored already."""
    return {name for (name,) in db.select(STORED, [guild.pk, db.text_list(set(ids))])}


def new_message(
    incoming: IncomingMessage, *, channel: Channel, author: Member, buffer: ChannelBuffer | None, now: datetime
) -> Message:
    """Return the row to store. A message from the future was sent now; what is part of no conversation is read for
    facts only where it is a tool's summary.
    """
    summary = incoming.tool_summary and author.is_bot
    return Message(
        guild=author.guild,
        channel=channel,
        author=author,
        buffer=buffer,
        platform_id=incoming.message_id,
        text=incoming.text,
        reply_to=incoming.reply_to or "",
        mentions=incoming.mentions,
        source=incoming.source,
        sent_at=min(incoming.sent_at, now),
        received_at=now,
        tool_summary=summary,
        processed_at=None if buffer or summary else now,
    )


def store(messages: Sequence[Message]) -> Sequence[Message]:
    """Write new rows, in order."""
    if len(messages) == 1:
        db.insert(messages[0])  # as chat comes in
    else:
        db.insert_all(messages)
    return messages


def find(guild: Guild, message_id: str) -> Message:
    """Return the guild's message with its channel and author, also a deleted one; raises MessageUnknown."""
    rows = Message.objects.of(guild).select_related("channel", "author", "guild")
    message = rows.filter(platform_id=message_id).first()
    if message is None:
        raise MessageUnknown(f"No message {message_id} is stored in {guild.key}.")
    return message


def find_said(guild: Guild, message_id: str) -> Message:
    """Return the guild's message that has a text; raises MessageUnknown, also for a deleted one."""
    message = find(guild, message_id)
    if message.deleted_at:
        raise MessageUnknown(f"Message {message_id} was deleted in {guild.key}.")
    return message


def rewrite(message: Message, *, text: str, now: datetime) -> None:
    """Put the edited text in place of the old one and let extraction read it anew."""
    message.text, message.edited_at, message.deleted_at, message.let_go_at = text, now, None, None
    message.processed_at = None if message.buffer_id or message.tool_summary else now
    for name, value in {**leases.FRESH, **leases.FREE}.items():
        setattr(message, name, value)
    message.save()


def let_go(messages: Iterable[Message], *, now: datetime) -> None:
    """Take the texts out for good by retention; whom they answered and named stays, as what was counted does."""
    rows = Message.objects.filter(pk__in=[message.pk for message in messages])
    rows.update(text="", let_go_at=now, last_error="")


def empty(messages: Iterable[Message], *, now: datetime) -> None:
    """Take the text out for good; the row stays so that a late copy of the message is known as a duplicate."""
    gone: dict[str, Any] = {
        "text": "", "deleted_at": now, "mentions": [], "carries_instruction": False, "last_error": "",
    }  # fmt: skip
    rows = list(messages)
    for message in rows:
        for name, value in gone.items():
            setattr(message, name, value)
    for start in range(0, len(rows), CHUNK):
        ids = [message.pk for message in rows[start : start + CHUNK]]
        Message.objects.filter(pk__in=ids).update(**gone)
