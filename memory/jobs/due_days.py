"""Which days of a guild still wait for their nightly job, and whose night is looked at first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, datetime, timedelta

from django.conf import settings
from django.db.models import CharField, Count, Max, Min, Q
from django.db.models.functions import Cast, Substr

from memory.models import JobRun
from memory.records import job_runs
from memory.withdrawal import fact_limits, withdraw
from memoryhub.community.days import begin_of, day_of, span
from memoryhub.community.models import Guild
from memoryhub.db.guild_scope import in_its_guild
from notes.models import ChannelBuffer, InteractionNote, Message

Phase, Status = JobRun.Phase, JobRun.Status


@in_its_guild
def days_due(guild: Guild, *, now: datetime) -> list[date]:
    """Return the days that ended and whose job is not complete, oldest first, once their last talk is digested.

    A day counts if something was said; begun ones at any age, others as far back as MEMORYHUB_CATCH_UP_DAYS.
    Yesterday also counts if only facts grew old.
    """
    today = day_of(guild, now)
    yesterday = today - timedelta(days=1)
    recent = [today - timedelta(days=back) for back in range(settings.MEMORYHUB_CATCH_UP_DAYS, 0, -1)]
    rows, since = JobRun.objects.of(guild), recent[0] if recent else today
    settled = Count("pk", filter=Q(status__in=[Status.DONE, Status.PARKED]))
    begun = rows.filter(day__lt=since).order_by().values("day").annotate(settled=settled)
    unended = begun.filter(settled__lt=len(Phase.values)).values("day")
    runs: defaultdict[date, dict[str, JobRun]] = defaultdict(dict)
    for run in rows.filter(Q(day__gte=since) | Q(day__in=unended)):
        runs[run.day][run.phase] = run
    wanted = sorted(day for day in runs if day < today and day not in recent)
    told = _with_talk(guild, [day for day in recent if day not in runs])
    due = []
    for day in wanted + recent:
        if not (day in runs or day in told or (day == yesterday and _has_aged(guild, now=now))):
            continue
        begin, end = span(guild, day)
        ended = ChannelBuffer.objects.of(guild).filter(last_message_at__gte=begin, last_message_at__lt=end)
        digesting = ended.filter(status__in=["open", "closed"])  # what is parked is not waited for
        left = [phase for phase in Phase.values if phase not in runs[day]]
        ready = left or any(job_runs.is_ready(run, guild, now=now) for run in runs[day].values())
        if ready and not digesting.exists():
            due.append(day)
    return due


def _with_talk(guild: Guild, days: Sequence[date]) -> set[date]:
    """Return those of the days, oldest first, on which something was said or of which a note tells.

    From talk to talk: silent days are not asked for one by one.
    """
    said = Message.objects.of(guild).said().order_by("sent_at").values_list("sent_at", flat=True)
    noted = InteractionNote.objects.of(guild).filter(note_date__in=days, kind=InteractionNote.Kind.CONVERSATION)
    found = set(noted.order_by().values_list("note_date", flat=True).distinct()) if days else set()
    left = days
    while left:
        end = begin_of(guild, left[-1] + timedelta(days=1))
        following = said.filter(sent_at__gte=begin_of(guild, left[0]), sent_at__lt=end).first()
        if following is None:
            break
        day = day_of(guild, following)
        found.add(day)
        left = [each for each in left if each > day]
    return found & set(days)


def _has_aged(guild: Guild, *, now: datetime) -> bool:
    """Say whether facts grew too old to be kept as they are."""
    return fact_limits.has_outgrown(guild, now=now) or withdraw.expired_archive(guild, now=now).exists()


@in_its_guild
def days_missed(guild: Guild, *, now: datetime, every: bool = False) -> list[date]:
    """Return the days of talk that are too old to be caught up and whose job was never begun, oldest first.

    A hub that stood still for long leaves such days. Imported talk, and talk of days before the guild was known here,
    counts only if `every` day is asked for: no night of theirs was missed.
    """
    edge = day_of(guild, now) - timedelta(days=settings.MEMORYHUB_CATCH_UP_DAYS)
    said = Message.objects.of(guild).said().filter(sent_at__lt=begin_of(guild, edge))
    if not every:
        known = begin_of(guild, day_of(guild, guild.created_at))
        said = said.exclude(source=Message.Source.IMPORT).filter(sent_at__gte=known)
    by_utc_day = said.annotate(day=Substr(Cast("sent_at", CharField()), 1, 10)).order_by().values_list("day")
    # A day in UTC falls on two of the guild's: that of its first message, and that of its last.
    told = {
        day_of(guild, at) for _, *ends in by_utc_day.annotate(first=Min("sent_at"), last=Max("sent_at")) for at in ends
    }
    begun = JobRun.objects.of(guild).filter(day__lt=edge).values_list("day", flat=True)
    return sorted(told.difference(begun))


@in_its_guild
def next_look(guild: Guild, *, now: datetime, none_due: bool = False) -> datetime | None:
    """Return when a day of the guild may be due: now if one waits already, None if nothing was said or grows old.

    `none_due`: who asks has just found no day due.
    """
    if not guild.memory_on:
        return None  # whoever switches it on marks the guild
    today = day_of(guild, now)
    begin, end = span(guild, today)
    unended = JobRun.objects.of(guild).exclude(status__in=[Status.DONE, Status.PARKED])
    talk = ChannelBuffer.objects.of(guild).filter(status__in=["open", "closed"], last_message_at__lt=begin)
    if unended.exists() or talk.exists() or (not none_due and days_due(guild, now=now)):
        return now
    said = Message.objects.of(guild).said().filter(sent_at__gte=begin)
    noted = InteractionNote.objects.of(guild).filter(note_date__gte=today)
    runs = JobRun.objects.of(guild).filter(day__gte=today)
    if said.exists() or noted.exists() or runs.exists():
        return end
    ages = fact_limits.next_to_archive(guild), withdraw.next_to_expire(guild)
    return max(end, min(moment for moment in ages if moment)) if any(ages) else None
