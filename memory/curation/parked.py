"""What was given up after five attempts: which messages and conversations, why and since when; and its replay."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from django.db import transaction
from django.db.models import Model, Q, QuerySet

from memory.records.action_log import log
from memoryhub import db
from memoryhub.community.models import Guild
from memoryhub.db import leases
from notes.messages import conversations
from notes.models import ChannelBuffer, Message

Row = TypeVar("Row", bound=Model)
SHOWN = 100
MESSAGES = Message.objects.filter(processed_at=None, deleted_at=None, parked_at__isnull=False)
BUFFERS = ChannelBuffer.objects.filter(status=ChannelBuffer.Status.PARKED)


@dataclass(frozen=True, kw_only=True)
class Parked:
    """How much is parked, and a page of each kind, the newest first: ids, places, reasons and times, no text.

    `next_message` and `next_buffer` are the row ids to go on before, None where that was all.
    """

    message_count: int
    buffer_count: int
    messages: Sequence[Message]
    buffers: Sequence[ChannelBuffer]
    next_message: int | None = None
    next_buffer: int | None = None


@dataclass(frozen=True)
class Replayed:
    """How many of each will be tried again."""

    messages: int
    buffers: int


def list_parked(
    guilds: Collection[Guild] | QuerySet[Guild], *, messages_before: int | None = None,
    buffers_before: int | None = None, limit: int = SHOWN,
) -> Parked:  # fmt: skip
    """Return a page of what is parked in these guilds."""
    messages, buffers = MESSAGES.filter(guild__in=guilds), BUFFERS.filter(guild__in=guilds)
    rows = messages.defer("text").select_related("guild", "channel", "author")
    shown_messages, next_message = _page(rows, messages_before, limit)
    shown_buffers, next_buffer = _page(buffers.select_related("guild", "channel"), buffers_before, limit)
    return Parked(
        message_count=messages.count(), buffer_count=buffers.count(), messages=shown_messages, buffers=shown_buffers,
        next_message=next_message, next_buffer=next_buffer,
    )  # fmt: skip


def _page(rows: QuerySet[Row], before: int | None, limit: int) -> tuple[list[Row], int | None]:
    older = rows.filter(pk__lt=before) if before else rows
    page = list(older.order_by("-pk")[: limit + 1])
    return page[:limit], page[limit - 1].pk if len(page) > limit else None


def guilds_with_parked(guilds: QuerySet[Guild]) -> QuerySet[Guild]:
    """Return those of the guilds in which anything is parked."""
    return guilds.filter(Q(pk__in=MESSAGES.values("guild")) | Q(pk__in=BUFFERS.values("guild")))


@transaction.atomic
def replay(
    guild: Guild, *, actor: str, now: datetime, messages: Collection[int] | None = None,
    buffers: Collection[int] | None = None,
) -> Replayed:  # fmt: skip
    """Have these row ids tried again, with no attempt counted; neither given: all that is parked in the guild.

    Messages of a guild that learns when conversations end are read with their conversation, digested once more.
    """
    db.lock_guild(guild.pk)
    everything = messages is None and buffers is None
    parked_messages = MESSAGES.filter(guild=guild, **({} if everything else {"pk__in": messages or []}))
    parked_buffers = BUFFERS.filter(guild=guild, **({} if everything else {"pk__in": buffers or []}))
    reopened: set[int | None] = set()
    if guild.extraction_mode == Guild.ExtractionMode.FLUSH:
        reopened = set(parked_messages.values_list("buffer", flat=True))  # before they are parked no more
    done = Replayed(messages=leases.unpark(parked_messages, last_error=""), buffers=leases.unpark(parked_buffers))
    conversations.reopen({pk for pk in reopened if pk}, now=now)
    log("replay", guild=guild, actor=actor, now=now, messages=done.messages, buffers=done.buffers)
    return done
