"""Finds the channels whose summary is out of date, and has a few of them summarised each minute, each by one worker."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from memoryhub.ai import ModelFailed
from memoryhub.community.models import Channel, Guild
from memoryhub.community.querysets import same_guild
from memoryhub.db import leases
from notes.models import Message, Summary
from notes.summaries.summarize import summarize

logger = logging.getLogger(__name__)

A_TICK = 5  # channels; the rest wait for the next tick
LOOKED_AT = 500  # dirty channels, the busiest first


def due(now: datetime, *, waiting: bool = True) -> list[Channel]:
    """Return the channels to summarise, the busiest first; not `waiting`: every one with new messages."""
    found = _with_times(leases.ready(dirty(), now=now), now=now)
    return [channel for channel, at in found if not waiting or at <= now]


def next_time(guild: Guild, *, now: datetime) -> datetime | None:
    """Return when the next summary of the guild is due; None if nobody spoke since the last ones."""
    return min((at for _, at in _with_times(dirty().filter(guild=guild), now=now)), default=None)


def _with_times(rows: QuerySet[Channel], *, now: datetime) -> list[tuple[Channel, datetime]]:
    """Return dirty channels, the busiest first, each with when its summary is due."""
    rolling = Summary.objects.filter(same_guild(), channel=OuterRef("pk"), kind=Summary.Kind.ROLLING)
    first_said = Message.objects.said().filter(same_guild(), channel=OuterRef("pk")).order_by("sent_at")
    timed = rows.annotate(
        summarized_at=Subquery(rolling.values("generated_at")[:1]),
        first_at=Subquery(first_said.values("sent_at")[:1]),
    )
    found: list[tuple[Channel, datetime]] = []
    for channel in timed.select_related("guild").order_by("-unsummarized", "pk")[:LOOKED_AT]:
        # Since the last summary; before one, since the first word.
        since = channel.summarized_at or channel.first_at or now
        full = channel.unsummarized >= channel.guild.summary_messages
        found.append((channel, now if full else since + timedelta(minutes=channel.guild.summary_minutes)))
    return found


def profile_times() -> dict[int, datetime]:
    """Return when profiles may be renewed that were written too lately when the newest summary came, by channel."""
    newer = Summary.objects.filter(same_guild(), channel=OuterRef("channel"), kind=Summary.Kind.ROLLING)
    profiles = Summary.objects.filter(kind=Summary.Kind.PROFILE, channel__unsummarized=0)
    behind = profiles.filter(Exists(newer.filter(generated_at__gt=OuterRef("generated_at"))))
    rows = behind.values_list("channel", "generated_at", "guild__summary_profile_hours")
    return {channel: written + timedelta(hours=hours) for channel, written, hours in rows}


def dirty() -> QuerySet[Channel]:
    """Return the channels with new messages, where memory is on."""
    listening = Q(parent=None) | Q(parent__memory_on=True)
    return Channel.objects.filter(listening, unsummarized__gt=0, memory_on=True, guild__memory_on=True)


def summarize_due(*, now: datetime, waiting: bool = True, keep_going: Callable[[], bool] = lambda: True) -> int:
    """Summarise a few channels that are due; one that fails keeps its old summary and waits. Returns how many."""
    waited = [channel for channel, at in profile_times().items() if at <= now]
    Channel.objects.filter(pk__in=waited[:LOOKED_AT], unsummarized=0).update(unsummarized=1)
    leases.recover(dirty(), now=now)
    done = 0
    for found in due(now, waiting=waiting)[:A_TICK]:
        if keep_going() and (channel := leases.claim(dirty().filter(pk=found.pk), now=now)):
            try:
                done += summarize(channel, now=now, anew=False) is not None
            except ModelFailed as error:
                leases.fail(channel, error=str(error), now=now)
            except Exception as error:
                logger.exception("a summary failed", extra={"channel": channel.pk})
                leases.fail(channel, error=type(error).__name__, now=now)  # its words may quote a message
            else:
                leases.finish(channel)
    return done
