"""What the hub knows, does now and did lately, in numbers: for the home page, Discord and the API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Count, QuerySet, Sum
from django_q.models import OrmQ, Success

from memory.curation import figures
from memory.curation.fact_review import JunkStatistics
from memory.curation.figures import Figures, figures_of, kept_figures, summed
from memory.models import JobRun, ModelCall
from memory.records import skipped
from memory.records.skipped import SkipCount
from memoryhub.community.models import Guild
from notes.models import ChannelBuffer

DAYS = figures.DAYS
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
    junk: JunkStatistics
    withheld: int  # messages today that the platform did not show
    nights_missed: int  # days of talk that were never consolidated and are too old to be caught up


def overview(guild: Guild | None = None, *, now: datetime, guilds: QuerySet[Guild] | None = None) -> Overview:
    """Return the numbers of one guild, of several, or (neither given) of all; the queue is always everybody's.

    Those of several are summed up from what is kept of each.
    """
    scope = Guild.objects.all() if guilds is None else guilds
    where: dict[str, Any] = {}
    if guild is not None:
        scope = scope.filter(pk=guild.pk)
    if guild is not None or guilds is not None:
        where = {"guild__in": scope}
    each = {guild.pk: figures_of(guild, now=now)} if guild else kept_figures(scope, now=now)
    seen = summed(each.values())
    # Up to the last sign of anybody: after an import of old messages that is not today.
    shown = _shown_days(min(now, seen.last_seen or now).date())
    return Overview(
        totals=Totals(
            guilds=len(each), channels=seen.channels, members=seen.members, messages=seen.messages, facts=seen.facts,
            notes=seen.notes,
        ),
        activity=_activity(each, seen),
        job_runs=_job_runs(each),
        days=[Day(day, *seen.days.get(day.isoformat(), (0, 0, 0))) for day in shown],
        calls=calls_by_day(ModelCall.objects.filter(**where), now=now),
        left_out=skipped.summed(seen.left_out, since=(now - timedelta(days=DAYS)).date()),
        junk=seen.junk,
        withheld=sum(row.count for row in skipped.summed(seen.left_out, since=now.astimezone(UTC).date())
                     if row.reason == skipped.WITHHELD),
        nights_missed=seen.nights_missed,
    )  # fmt: skip


def _job_runs(each: Mapping[int, Figures]) -> list[JobRun]:
    ran = {pk: found.last_run for pk, found in each.items() if found.last_run}
    newest = sorted(ran, key=lambda pk: ran[pk], reverse=True)[:SHOWN_RUNS]
    return list(JobRun.objects.filter(guild__in=newest).select_related("guild").order_by("-started_at")[:SHOWN_RUNS])


def _activity(each: Mapping[int, Figures], seen: Figures) -> Activity:
    status = ChannelBuffer.Status
    talking = [pk for pk, found in each.items() if found.buffers.get(status.OPEN)][:SHOWN_BUFFERS]
    buffers = ChannelBuffer.objects.filter(guild__in=talking, status=status.OPEN).select_related("channel", "guild")
    return Activity(
        open_buffers=list(buffers[:SHOWN_BUFFERS]),
        open_count=seen.buffers.get(status.OPEN, 0),
        waiting_buffers=seen.buffers.get(status.CLOSED, 0),
        oldest_waiting=seen.oldest_waiting,
        unread_messages=seen.unread,
        parked_buffers=seen.buffers.get(status.PARKED, 0),
        parked_messages=seen.parked_messages,
        parked_profiles=seen.parked_profiles,
        queued=OrmQ.objects.count(),
        task_finished_at=Success.objects.order_by("-stopped").values_list("stopped", flat=True).first(),
    )


def count_each_day(rows: QuerySet[Any], field: str, until: date) -> dict[date, int]:
    """Count rows on each of the days before and on `until`, UTC."""
    shown = _shown_days(until)
    counts = figures.count_by_day(rows, field, datetime.combine(shown[0], time.min, tzinfo=UTC))
    return {day: counts.get(day.isoformat(), 0) for day in shown}


def _shown_days(until: date) -> list[date]:
    return [until - timedelta(days=number) for number in reversed(range(DAYS))]


def calls_by_day(rows: QuerySet[ModelCall], *, now: datetime) -> list[CallsOfDay]:
    """Sum the calls of the last 30 days by UTC day and purpose, oldest first."""
    start = now - timedelta(days=DAYS)
    calls = rows.filter(at__gte=start).annotate(day=figures.utc_day("at"))
    sums = calls.order_by("day", "purpose").values_list("day", "purpose").annotate(
        Count("pk"), Sum("tokens_in"), Sum("tokens_out"), Sum("cost_usd")
    )  # fmt: skip
    return [CallsOfDay(date.fromisoformat(row[0]), *row[1:]) for row in sums]
