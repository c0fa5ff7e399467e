"""What the hub knows, does now and did lately, in numbers: for the home page, Discord and the API."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import CharField, Count, F, Max, Q, QuerySet, Sum
from django.db.models.functions import Cast, Substr
from django_q.models import OrmQ, Success

from memory.models import Fact, JobRun, ModelCall
from memory.records.skipped import SkipCount, counts_since
from memoryhub.community.models import Channel, Guild, Member
from notes.models import ChannelBuffer, InteractionNote, Message
from profiles.models import Profile

DAYS = 30
SHOWN_BUFFERS = 8
SHOWN_RUNS = 6


@dataclass(frozen=True, kw_only=True)
class Totals:
    """How much is known."""

    guilds: int
    channels: int
    members: int
    messages: int
    facts: int
    notes: int


@dataclass(frozen=True, kw_only=True)
class Activity:
    """What is open, what waits, what was given up; `oldest_waiting` is since when the first closed buffer waits."""

    open_buffers: Sequence[ChannelBuffer]
    open_count: int
    waiting_buffers: int
    oldest_waiting: datetime | None
    unread_messages: int
    parked_buffers: int
    parked_messages: int
    parked_profiles: int
    queued: int
    task_finished_at: datetime | None


@dataclass(frozen=True)
class Day:
    """What came in and what was learned on one UTC day."""

    day: date
    messages: int
    facts: int
    notes: int


@dataclass(frozen=True)
class CallsOfDay:
    """The model calls of one day for one purpose."""

    day: date
    purpose: str
    calls: int
    tokens_in: int
    tokens_out: int
    cost_usd: Decimal


@dataclass(frozen=True, kw_only=True)
class Overview:
    """Everything at once; days are oldest first and end with the newest message, `job_runs` newest first."""

    totals: Totals
    activity: Activity
    job_runs: Sequence[JobRun]
    days: Sequence[Day]
    calls: Sequence[CallsOfDay]
    left_out: Sequence[SkipCount]


def overview(guild: Guild | None = None, *, now: datetime, guilds: QuerySet[Guild] | None = None) -> Overview:
    """Return the numbers of one guild, of several, or (neither given) of all; the queue is always everybody's."""
    scope = Guild.objects.all() if guilds is None else guilds
    where: dict[str, Any] = {}
    if guild is not None:
        scope = scope.filter(pk=guild.pk)
    if guild is not None or guilds is not None:
        where = {"guild__in": scope}
    # Up to the last sign of anybody: after an import of old messages that is not today.
    last_seen = Member.objects.filter(**where).aggregate(last=Max("last_seen_at"))["last"]
    until = min(now, last_seen or now).date()
    in_scope = {"guild__in": scope.values("pk")}  # all of them, too: the indexes by time begin with the guild
    messages = count_by_day(Message.objects.filter(**in_scope), "sent_at", until)
    facts = count_by_day(Fact.objects.filter(**in_scope), "said_at", until)
    notes = count_by_day(InteractionNote.objects.filter(**in_scope), "ended_at", until)
    days = [Day(day, messages[day], facts[day], notes[day]) for day in messages]
    return Overview(
        totals=Totals(
            guilds=scope.count(),
            channels=Channel.objects.filter(**where).count(),
            members=Member.objects.filter(**where, is_bot=False).count(),
            messages=Message.objects.filter(**where).count(),
            facts=Fact.objects.filter(**where, status=Fact.Status.ACTIVE).count(),
            notes=InteractionNote.objects.filter(**where).count(),
        ),
        activity=_activity(scope, where),
        job_runs=list(JobRun.objects.filter(**where).select_related("guild").order_by("-started_at")[:SHOWN_RUNS]),
        days=days,
        calls=calls_by_day(ModelCall.objects.filter(**where), now=now),
        left_out=counts_since((now - timedelta(days=DAYS)).date(), **where),
    )


def _activity(scope: QuerySet[Guild], where: dict[str, Any]) -> Activity:
    buffers = ChannelBuffer.objects.filter(**where)
    status = ChannelBuffer.Status
    counts = dict(buffers.exclude(status=status.DONE).order_by().values_list("status").annotate(Count("pk")))
    waiting = buffers.filter(status=status.CLOSED).order_by("closed_at").first()
    unread_rows = Message.objects.filter(processed_at=None, deleted_at=None, author__is_bot=False)
    if where:
        # A sum (+ 0), for else SQLite walks a guild's messages by their index, and not the few that are unread.
        unread_rows = unread_rows.annotate(_guild=F("guild_id") + 0).filter(_guild__in=scope.values("pk"))
    unread = unread_rows.aggregate(
        waiting=Count("pk", filter=Q(parked_at=None)), parked=Count("pk", filter=Q(parked_at__isnull=False))
    )
    return Activity(
        open_buffers=list(buffers.filter(status=status.OPEN).select_related("channel", "guild")[:SHOWN_BUFFERS]),
        open_count=counts.get(status.OPEN, 0),
        waiting_buffers=counts.get(status.CLOSED, 0),
        oldest_waiting=waiting.closed_at if waiting else None,
        unread_messages=unread["waiting"],
        parked_buffers=counts.get(status.PARKED, 0),
        parked_messages=unread["parked"],
        parked_profiles=Profile.objects.filter(dirty=True, parked_at__isnull=False, member__guild__in=scope).count(),
        queued=OrmQ.objects.count(),
        task_finished_at=Success.objects.order_by("-stopped").values_list("stopped", flat=True).first(),
    )


def count_by_day(rows: QuerySet[Any], field: str, until: date) -> dict[date, int]:
    """Count rows on each of the days before and on `until`, UTC.

    The day is cut out of the stored text: TruncDate calls Python for each row.
    """
    days = [until - timedelta(days=number) for number in reversed(range(DAYS))]
    start = datetime.combine(days[0], time.min, tzinfo=UTC)
    recent = rows.filter(**{f"{field}__gte": start}).annotate(_day=Substr(Cast(field, CharField()), 1, 10))
    counts = dict(recent.order_by().values_list("_day").annotate(Count("pk")))
    return {day: counts.get(day.isoformat(), 0) for day in days}


def calls_by_day(rows: QuerySet[ModelCall], *, now: datetime) -> list[CallsOfDay]:
    """Sum the calls of the last 30 days by UTC day and purpose, oldest first."""
    start = now - timedelta(days=DAYS)
    calls = rows.filter(at__gte=start).annotate(day=Substr(Cast("at", CharField()), 1, 10))
    sums = calls.order_by("day", "purpose").values_list("day", "purpose").annotate(
        Count("pk"), Sum("tokens_in"), Sum("tokens_out"), Sum("cost_usd")
    )  # fmt: skip
    return [CallsOfDay(date.fromisoformat(row[0]), *row[1:]) for row in sums]
