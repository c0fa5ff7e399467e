"""Turns a channel's stream of messages into conversations: opens, closes, claims and finishes buffers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db.models import F, QuerySet

from memoryhub.community.models import Channel, Guild, Member
from memoryhub.db import process_id
from notes.models import BufferQuerySet, ChannelBuffer, Message

OLDEST = timedelta(hours=2)  # seed 001: a conversation that never goes quiet
MOST_MESSAGES = 100  # seed 001 as shipped
LEASE = timedelta(minutes=15)  # longer than the slowest step; a buffer waits this long for a machine that is gone
MOST_ATTEMPTS = 5
COUNTED = ("message_count", "opened_at", "last_message_at", "due_at")
BACK_OFF = timedelta(minutes=2)  # doubled at each failure
Status, Step = ChannelBuffer.Status, ChannelBuffer.Step


@dataclass
class Turns:
    """The open buffers of the channels that one call touches; `save` writes what changed."""

    guild: Guild
    now: datetime
    open: dict[int, ChannelBuffer] = field(default_factory=dict)

    def load(self, channels: Iterable[Channel]) -> None:
        """Read the open buffers of these channels, in one query."""
        rows = ChannelBuffer.objects.of(self.guild).filter(channel__in=channels, status=Status.OPEN)
        self.open = {row.channel_id: row for row in rows}

    def buffer_for(self, channel: Channel, sent_at: datetime) -> ChannelBuffer:
        """Return the conversation that a message of this time belongs to, opening the next one if need be."""
        current = self.open.get(channel.pk)
        if current and self._is_over(current, sent_at):
            close(current, now=self.now)
            current = None
        if current is None:
            current = self.open[channel.pk] = ChannelBuffer.objects.create(
                guild=self.guild, channel=channel, opened_at=sent_at, last_message_at=sent_at, due_at=sent_at
            )
        current.message_count += 1
        current.opened_at = min(current.opened_at, sent_at)
        current.last_message_at = max(current.last_message_at, sent_at)
        current.due_at = self._due_at(current)
        return current

    def save(self) -> None:
        """Write the buffers' counts and times."""
        for buffer in self.open.values():
            buffer.save(update_fields=COUNTED)

    def _due_at(self, buffer: ChannelBuffer) -> datetime:
        """Return when the conversation ends by itself; a full one ends at once."""
        if buffer.message_count >= MOST_MESSAGES:
            return buffer.last_message_at
        quiet = timedelta(minutes=self.guild.quiet_minutes)
        return min(buffer.last_message_at + quiet, buffer.opened_at + OLDEST)

    def _is_over(self, buffer: ChannelBuffer, sent_at: datetime) -> bool:
        """Tell whether a message of this time starts another conversation; imports bring old ones, out of order."""
        quiet = timedelta(minutes=self.guild.quiet_minutes)
        apart = sent_at - buffer.last_message_at > quiet or buffer.opened_at - sent_at > quiet
        return apart or sent_at - buffer.opened_at >= OLDEST or buffer.message_count >= MOST_MESSAGES


def close(buffer: ChannelBuffer, *, now: datetime) -> None:
    """End the conversation: it waits for its digest, and the next message opens another."""
    buffer.status, buffer.closed_at = Status.CLOSED, now
    buffer.save(update_fields=["status", "closed_at", *COUNTED])


def close_due(*, now: datetime) -> int:
    """Close every buffer that went quiet, grew old or grew full; return how many."""
    return ChannelBuffer.objects.due(now).update(status=Status.CLOSED, closed_at=now)


def close_all(*, guild: Guild | None, now: datetime, channel: Channel | None = None) -> int:
    """Close the open buffers of a guild, of a channel, or all; return how many."""
    rows = ChannelBuffer.objects.filter(status=Status.OPEN)
    rows = rows.filter(guild=guild) if guild else rows
    return (rows.filter(channel=channel) if channel else rows).update(status=Status.CLOSED, closed_at=now)


def claim(*, now: datetime, guild: Guild | None = None) -> ChannelBuffer | None:
    """Take the oldest closed buffer that nobody works on, with a lease; None if there is none.

    The attempt is counted before the work, so that a buffer whose digest kills the process is parked in the end.
    """
    _free_of_the_dead(now)
    _park_killers(now)
    rows = ChannelBuffer.objects.claimable(now)
    for pk in (rows.filter(guild=guild) if guild else rows).values_list("pk", flat=True)[:20]:
        taken = ChannelBuffer.objects.claimable(now).filter(pk=pk)
        if taken.update(claimed_until=now + LEASE, claimed_by=process_id.me(), attempts=F("attempts") + 1):
            return ChannelBuffer.objects.select_related("guild", "channel__parent").get(pk=pk)
    return None


def _free_of_the_dead(now: datetime) -> None:
    """End the claims of this machine's processes that were killed: nobody need wait for their leases."""
    held = ChannelBuffer.objects.filter(status=Status.CLOSED, claimed_until__gt=now).exclude(claimed_by="")
    for holder in set(held.values_list("claimed_by", flat=True)):
        if process_id.gone(holder):
            held.filter(claimed_by=holder).update(**process_id.FREE)


def _park_killers(now: datetime) -> None:
    """Park what was tried often enough without ever coming back: its digest ended with the worker."""
    told = f"The worker ended {MOST_ATTEMPTS} times while it digested this conversation."
    worn = ChannelBuffer.objects.claimable(now).filter(attempts__gte=MOST_ATTEMPTS)
    worn.update(status=Status.PARKED, parked_at=now, last_error=told, **process_id.FREE)


def leave(guild: Guild, members: QuerySet[Member], *, now: datetime) -> int:
    """Take what these members said out of the conversations that are not digested yet; return how many messages.

    They are not read any more, also when their authors choose otherwise later.
    """
    waiting = ChannelBuffer.objects.of(guild).exclude(status=Status.DONE)
    rows = Message.objects.filter(buffer__in=waiting, author__in=members)
    return rows.update(buffer=None, processed_at=now)


def _held(buffer: ChannelBuffer) -> BufferQuerySet:
    """Return the row if this claim on it still holds: another worker may have taken over after the lease."""
    return ChannelBuffer.objects.filter(pk=buffer.pk, claimed_by=buffer.claimed_by, claimed_until=buffer.claimed_until)


def advance(buffer: ChannelBuffer, *, now: datetime) -> bool:
    """Go on to the next step, with a fresh lease; False if the buffer was reopened or taken over meanwhile."""
    steps = list(Step)
    following, until = steps[steps.index(Step(buffer.step)) + 1], now + LEASE
    if not _held(buffer).filter(step=buffer.step).update(step=following, reached="", claimed_until=until):
        return False
    buffer.step, buffer.reached, buffer.claimed_until = following, "", until
    return True


def reach(buffer: ChannelBuffer, key: str, *, now: datetime) -> bool:
    """Record how far a long step came, with a fresh lease; False if the buffer was taken over or reopened meanwhile."""
    until = now + LEASE
    mine = _held(buffer).filter(step=buffer.step)
    if not mine.update(reached=key, attempts=1, claimed_until=until):
        return False
    buffer.reached, buffer.attempts, buffer.claimed_until = key, 1, until
    return True


def finish(buffer: ChannelBuffer, *, now: datetime) -> None:
    """Give the buffer back: digested, or, if it was reopened meanwhile, waiting again."""
    done = {"status": Status.DONE, "attempts": 0, "next_attempt_at": None, "last_error": "", "digested_at": now}
    if not _held(buffer).filter(step=Step.DONE).update(**done, **process_id.FREE):
        _held(buffer).update(**process_id.FREE)


def fail(buffer: ChannelBuffer, *, error: str, now: datetime, wait: timedelta = timedelta()) -> None:
    """Keep the buffer and all its messages; try again later, or park it after too many attempts.

    `wait` is the least pause, where the provider asks for one. What was reopened meanwhile is only given back.
    """
    parked = buffer.attempts >= MOST_ATTEMPTS
    failed = {
        "status": Status.PARKED if parked else Status.CLOSED,
        "parked_at": now if parked else None,
        "next_attempt_at": now + max(wait, BACK_OFF * 2 ** min(buffer.attempts, 6)),
        "last_error": error[:300],
    }
    if not _held(buffer).filter(step=buffer.step, attempts=buffer.attempts).update(**failed, **process_id.FREE):
        _held(buffer).update(**process_id.FREE)


def give_back(buffer: ChannelBuffer) -> None:
    """Let go of a buffer whose digest was interrupted, as if nobody had begun: the next one goes on at its step."""
    if not _held(buffer).filter(attempts=buffer.attempts).update(attempts=buffer.attempts - 1, **process_id.FREE):
        _held(buffer).update(**process_id.FREE)


def reopen(buffers: Iterable[int], *, now: datetime) -> int:
    """Have digested buffers digested again from the first step, because a message of theirs changed."""
    again = ChannelBuffer.objects.filter(pk__in=buffers).exclude(status=Status.OPEN)
    return again.update(
        status=Status.CLOSED, step=Step.EXTRACT, reached="", closed_at=now, attempts=0, next_attempt_at=None,
        parked_at=None,
    )  # fmt: skip


def read_again(messages: QuerySet[Message], *, now: datetime) -> None:
    """Have extraction read these messages once more, where their words are still there."""
    rows = Message.objects.filter(pk__in=set(messages.values_list("pk", flat=True)), let_go_at=None).said()
    rows.update(processed_at=None, attempts=0, next_attempt_at=None, parked=False, parked_at=None)
    at_the_end = rows.filter(guild__extraction_mode=Guild.ExtractionMode.FLUSH).exclude(buffer=None)
    reopen(set(at_the_end.values_list("buffer", flat=True)), now=now)


def take_up(buffers: Iterable[int]) -> int:
    """Have parked buffers digested again, from the step that failed; return how many."""
    parked = ChannelBuffer.objects.filter(pk__in=buffers, status=Status.PARKED)
    return parked.update(status=Status.CLOSED, attempts=0, next_attempt_at=None, parked_at=None)
