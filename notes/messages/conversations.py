"""Turns a channel's stream of messages into conversations: opens, closes, claims and advances buffers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet

from memoryhub import db
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.db import leases
from notes.models import ChannelBuffer, Message

OLDEST = timedelta(hours=2)  # a conversation that never goes quiet
MOST_MESSAGES = 100
COUNTED = ("message_count", "opened_at", "last_message_at", "due_at")
Status, Step = ChannelBuffer.Status, ChannelBuffer.Step

# Written out, since every message that comes in, and every digest, asks them.
OPEN_IN = f"WHERE guild_id = %s AND {db.among('channel_id')} AND status = 'open'"
_SAID = Message._meta.db_table
SAID_IN = f"""WHERE {_SAID}.buffer_id = %s AND {db.unindexed(f"{_SAID}.guild_id")} = %s AND deleted_at IS NULL
    AND let_go_at IS NULL AND NOT is_bot ORDER BY sent_at, {_SAID}.id"""


@dataclass
class OpenBuffers:
    """The open buffers of the channels that one call touches; `save` writes what changed."""

    guild: Guild
    now: datetime
    open: dict[int, ChannelBuffer] = field(default_factory=dict)

    def load(self, channels: Iterable[Channel]) -> None:
        """Read the open buffers of these channels, in one query."""
        ids = db.id_list(channel.pk for channel in channels)
        rows = db.read(ChannelBuffer, OPEN_IN, [self.guild.pk, ids])
        self.open = {row.channel_id: row for row in rows}

    def buffer_for(self, channel: Channel, sent_at: datetime) -> ChannelBuffer:
        """Return the conversation that a message of this time belongs to, opening the next one if need be."""
        quiet, current = timedelta(minutes=self.guild.quiet_minutes), self.open.get(channel.pk)
        if current:
            # Imports bring old messages, out of order.
            apart = sent_at - current.last_message_at > quiet or current.opened_at - sent_at > quiet
            if apart or sent_at - current.opened_at >= OLDEST or current.message_count >= MOST_MESSAGES:
                close(current, now=self.now)
                current = None
        if current is None:
            current = self.open[channel.pk] = ChannelBuffer.objects.create(
                guild=self.guild, channel=channel, opened_at=sent_at, last_message_at=sent_at, due_at=sent_at
            )
        current.message_count += 1
        current.opened_at = min(current.opened_at, sent_at)
        current.last_message_at = max(current.last_message_at, sent_at)
        current.due_at = min(current.last_message_at + quiet, current.opened_at + OLDEST)
        if current.message_count >= MOST_MESSAGES:  # a full one ends at once
            current.due_at = current.last_message_at
        return current

    def save(self) -> None:
        """Write the buffers' counts and times."""
        db.update(list(self.open.values()), *COUNTED)


def close(buffer: ChannelBuffer, *, now: datetime) -> None:
    """End the conversation: it waits for its digest, and the next message opens another."""
    buffer.status, buffer.closed_at = Status.CLOSED, now
    buffer.save(update_fields=["status", "closed_at", *COUNTED])


def close_due(*, now: datetime) -> int:
    """Close every buffer that went quiet, grew old or grew full; return how many."""
    return ChannelBuffer.objects.due(now).update(status=Status.CLOSED, closed_at=now)


def close_all(*, guild: Guild | None, now: datetime, channel: Channel | None = None) -> int:
    """Close the open buffers of a guild, of a channel, or all; return how many.

    Named, the guild is locked: no message joins a conversation that ends, and the background looks at the guild next.
    """
    rows = ChannelBuffer.objects.filter(status=Status.OPEN)
    rows = rows.filter(guild=guild) if guild else rows
    with transaction.atomic():
        if guild:
            db.lock_guild(guild.pk)
        return (rows.filter(channel=channel) if channel else rows).update(status=Status.CLOSED, closed_at=now)


def more_wait_than(number: int, *, guild: Guild) -> bool:
    """Return whether more conversations of the guild than these wait for their digest."""
    return ChannelBuffer.objects.of(guild).filter(status=Status.CLOSED).order_by()[number : number + 1].exists()


def claim(*, now: datetime, guild: Guild | None = None, recovered: bool = False) -> ChannelBuffer | None:
    """Claim the conversation that has waited longest for its digest; None if none waits.

    `recovered` says that those of dead workers were looked for a moment ago.
    """
    rows = ChannelBuffer.objects.filter(status=Status.CLOSED).order_by("closed_at", "pk")
    rows = rows.filter(guild=guild) if guild else rows
    buffer = leases.claim(rows, now=now, joined=("guild", "channel"), recovered=recovered)
    if buffer:
        buffer.channel.guild = buffer.guild
    return buffer


def said_in(buffer: ChannelBuffer) -> list[Message]:
    """Return people's own words of the conversation that are still here, oldest first, each with its author."""
    rows = db.read(Message, SAID_IN, [buffer.pk, buffer.guild_id], joined=("author",))
    authors: dict[int, Member] = {}
    for row in rows:
        row.guild, row.channel, row.buffer = buffer.guild, buffer.channel, buffer
        row.author = authors.setdefault(row.author_id, row.author)
        row.author.guild = buffer.guild
    return rows


def advance(buffer: ChannelBuffer, *, now: datetime) -> bool:
    """Go on to the next step; False if the buffer was reopened or another worker took it over meanwhile."""
    return leases.checkpoint(buffer, now=now, step=_next_step(buffer), reached="")


def finish(buffer: ChannelBuffer, *, now: datetime) -> bool:
    """End the digest after its last step; False if the buffer was reopened or taken over meanwhile."""
    return leases.finish(buffer, status=Status.DONE, digested_at=now, step=_next_step(buffer), reached="")


def _next_step(buffer: ChannelBuffer) -> ChannelBuffer.Step:
    steps = list(Step)
    return steps[steps.index(Step(buffer.step)) + 1]


def drop_messages_of(guild: Guild, members: QuerySet[Member], *, now: datetime) -> int:
    """Take what these members said out of the conversations that are not digested yet; return how many messages.

    These messages stay unread, even if their authors choose otherwise later.
    """
    waiting = ChannelBuffer.objects.of(guild).exclude(status=Status.DONE)
    rows = Message.objects.filter(buffer__in=waiting, author__in=members)
    return rows.update(buffer=None, processed_at=now)


def reopen(buffers: Iterable[int], *, now: datetime) -> int:
    """Have closed buffers digested again from the first step, because a message of theirs changed."""
    rows = ChannelBuffer.objects.filter(pk__in=buffers).exclude(status=Status.OPEN)
    return rows.update(status=Status.CLOSED, step=Step.EXTRACT, reached="", closed_at=now, **leases.FRESH)


def read_again(messages: QuerySet[Message], *, now: datetime) -> None:
    """Have extraction read these messages once more, where their text is still there."""
    rows = Message.objects.filter(pk__in=set(messages.values_list("pk", flat=True))).said()
    rows.update(processed_at=None, **leases.FRESH, **leases.FREE)
    at_the_end = rows.filter(guild__extraction_mode=Guild.ExtractionMode.FLUSH).exclude(buffer=None)
    reopen(set(at_the_end.values_list("buffer", flat=True)), now=now)
