"""Which days of a guild still wait for their nightly job, and whose night is looked at first."""

from __future__ import annotations

from collections import defaultdict
from datetime import date, datetime, timedelta

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q

from memory.models import JobRun
from memory.records import job_runs
from memory.withdrawal import fact_limits, withdraw
from memoryhub.community.days import day_of, span
from memoryhub.community.models import Guild
from notes.models import ChannelBuffer, InteractionNote, Message

Phase, Status = JobRun.Phase, JobRun.Status


def days_due(guild: Guild, *, now: datetime) -> list[date]:
    """Return the days that ended and whose job is not complete, oldest first, once their last talk is digested.

    A day counts if something was said; begun ones at any age, others as far back as MEMORYHUB_CATCH_UP_DAYS.
    Yesterday also counts if only facts grew old.
    """
    today = day_of(guild, now)
    recent = [today - timedelta(days=back) for back in range(settings.MEMORYHUB_CATCH_UP_DAYS, 0, -1)]
    runs = _runs(guild, since=recent[0] if recent else today)
    begun = {day for day in runs if day < today and day not in recent}
    wanted = sorted(begun) + [day for day in recent if day in runs or _eventful(guild, day, now=now, today=today)]
    return [day for day in wanted if _open(guild, day, runs[day], now=now) and not _still_digesting(guild, day)]


def guilds() -> list[Guild]:
    """Return whose nights are to be looked at, those last whose job was stopped in the middle: none waits for ever."""
    stopped = Exists(JobRun.objects.filter(guild=OuterRef("pk"), status=Status.RUNNING))
    return list(Guild.objects.filter(memory_on=True).annotate(stopped=stopped).order_by("stopped", "pk"))


def _runs(guild: Guild, *, since: date) -> defaultdict[date, dict[str, JobRun]]:
    """Return the runs by day and phase: of the days since then, and of older ones that were begun and not ended."""
    rows = JobRun.objects.of(guild)
    settled = Count("pk", filter=Q(status__in=[Status.DONE, Status.PARKED]))
    begun = rows.filter(day__lt=since).order_by().values("day").annotate(settled=settled)
    unended = begun.filter(settled__lt=len(Phase.values)).values("day")
    found: defaultdict[date, dict[str, JobRun]] = defaultdict(dict)
    for run in rows.filter(Q(day__gte=since) | Q(day__in=unended)):
        found[run.day][run.phase] = run
    return found


def _eventful(guild: Guild, day: date, *, now: datetime, today: date) -> bool:
    begin, end = span(guild, day)
    said = Message.objects.of(guild).said().filter(sent_at__gte=begin, sent_at__lt=end)
    noted = InteractionNote.objects.of(guild).filter(note_date=day, kind=InteractionNote.Kind.CONVERSATION)
    return said.exists() or noted.exists() or (day == today - timedelta(days=1) and _facts_grew_old(guild, now))


def _facts_grew_old(guild: Guild, now: datetime) -> bool:
    return bool(fact_limits.facts_to_archive(guild, now=now)) or withdraw.expired_archive(guild, now=now).exists()


def _open(guild: Guild, day: date, runs: dict[str, JobRun], *, now: datetime) -> bool:
    """Tell whether a phase of the day can be worked on now."""
    return any(phase not in runs or job_runs.is_ready(runs[phase], guild, now=now) for phase in Phase.values)


def _still_digesting(guild: Guild, day: date) -> bool:
    """Tell whether a conversation that ended on this day has still to be noted; parked ones are not waited for."""
    begin, end = span(guild, day)
    waiting = ChannelBuffer.objects.of(guild).filter(status__in=["open", "closed"])
    return waiting.filter(last_message_at__gte=begin, last_message_at__lt=end).exists()
