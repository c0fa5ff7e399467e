"""What was given up after five attempts: which messages and conversations, why and since when, and the way back."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from memory.ledger import log
from notes import turning
from notes.models import ChannelBuffer, Message
from profiles.models import Guild

SHOWN = 100


@dataclass(frozen=True, kw_only=True)
class Parked:
    """How much is parked, and of each kind the newest hundred: ids, places, reasons and times, no text."""

    message_count: int
    buffer_count: int
    messages: Sequence[Message]
    buffers: Sequence[ChannelBuffer]


@dataclass(frozen=True)
class Replayed:
    """How many of each will be tried again."""

    messages: int
    buffers: int


def parked(guilds: Collection[Guild] | QuerySet[Guild]) -> Parked:
    """Return what is parked in these guilds, the newest first."""
    messages, buffers = _messages().filter(guild__in=guilds), _buffers().filter(guild__in=guilds)
    return Parked(
        message_count=messages.count(),
        buffer_count=buffers.count(),
        messages=list(messages.defer("text").select_related("guild", "channel", "author").order_by(*_NEWEST)[:SHOWN]),
        buffers=list(buffers.select_related("guild", "channel").order_by(*_NEWEST)[:SHOWN]),
    )


@transaction.atomic
def replay(
    guild: Guild, *, actor: str, now: datetime, messages: Collection[int] | None = None,
    buffers: Collection[int] | None = None,
) -> Replayed:  # fmt: skip
    """Have these row ids tried again, with no attempt counted; neither given: all that is parked in the guild.

    Messages of a guild that learns when conversations end are read with their conversation, digested once more.
    """
    everything = messages is None and buffers is None
    rows = _messages().filter(guild=guild, **({} if everything else {"pk__in": messages or []}))
    kept = _buffers().filter(guild=guild, **({} if everything else {"pk__in": buffers or []}))
    again = set(rows.values_list("buffer", flat=True)) if guild.extraction_mode == Guild.ExtractionMode.FLUSH else set()
    done = Replayed(
        rows.update(parked=False, parked_at=None, attempts=0, next_attempt_at=None, last_error=""),
        turning.take_up(kept.values_list("pk", flat=True)),
    )
    turning.reopen(again - {None}, now=now)
    log("replay", guild=guild, actor=actor, now=now, messages=done.messages, buffers=done.buffers)
    return done


_NEWEST = ("-parked_at", "-pk")


def _messages() -> QuerySet[Message]:
    return Message.objects.filter(parked=True, processed_at=None, deleted_at=None)


def _buffers() -> QuerySet[ChannelBuffer]:
    return ChannelBuffer.objects.filter(status=ChannelBuffer.Status.PARKED)
