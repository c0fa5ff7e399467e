"""How much each guild has: counted guild by guild and kept in a small table; no page asks all guilds at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.db.models import CharField, Count, Max, Q, QuerySet
from django.db.models.functions import Cast, Substr
from pydantic import BaseModel

from memory.curation import fact_review
from memory.curation.fact_review import JunkStatistics
from memory.jobs import due_days
from memory.models import Fact, JobRun, LeftOut
from memoryhub.community.models import Channel, DueWork, Guild, GuildFigures, Member
from memoryhub.db.guild_scope import in_its_guild
from notes.models import ChannelBuffer, InteractionNote, Message
from profiles.models import Profile

DAYS = 30
COUNTED_AT_ONCE = 20  # guilds that somebody who looks at a page waits for; the background counts the others
ROWS_A_MINUTE = 100_000  # messages and facts: the numbers of a guild with ten times as many may be ten minutes old
Buffer = ChannelBuffer.Status
NO_JUNK = JunkStatistics(scored=0, junk=0, waiting=0, refused=0, signs={})


class Figures(BaseModel):
    """The numbers of a guild, or of several; `days` counts messages, facts and notes of days in UTC.

    Members without bots; messages without deleted ones, while those whose words retention let go still count.
    """

    channels: int = 0
    members: int = 0
    messages: int = 0
    facts: int = 0
    notes: int = 0
    last_seen: datetime | None = None
    days: dict[str, tuple[int, int, int]] = {}
    buffers: dict[str, int] = {}
    oldest_waiting: datetime | None = None
    unread: int = 0
    parked_messages: int = 0
    parked_profiles: int = 0
    junk: JunkStatistics = NO_JUNK
    left_out: list[tuple[str, str, str, int]] = []
    last_run: datetime | None = None
    nights_missed: int = 0


@in_its_guild
def figures_of(guild: Guild, *, now: datetime) -> Figures:
    """Count what is in a guild now."""
    last_seen = Member.objects.of(guild).aggregate(last=Max("last_seen_at"))["last"]
    start = datetime.combine(min(now, last_seen or now).date() - timedelta(days=DAYS - 1), time.min, tzinfo=UTC)
    buffers = ChannelBuffer.objects.filter(guild=guild)
    waiting = buffers.filter(status=Buffer.CLOSED).order_by("closed_at").first()
    unread = Message.objects.filter(processed_at=None, deleted_at=None, author__is_bot=False).aggregate(
        unread=Count("pk", filter=Q(parked_at=None)), parked_messages=Count("pk", filter=Q(parked_at__isnull=False))
    )
    left_out = LeftOut.objects.of(guild).filter(day__gte=(now - timedelta(days=DAYS)).date())
    return Figures(
        channels=Channel.objects.of(guild).count(),
        members=Member.objects.of(guild).filter(is_bot=False).count(),
        messages=Message.objects.of(guild).filter(deleted_at=None).count(),
        facts=Fact.objects.of(guild).active().count(),
        notes=InteractionNote.objects.filter(guild=guild).count(),
        last_seen=last_seen,
        days=_days(guild, start),
        buffers=dict(buffers.exclude(status=Buffer.DONE).order_by().values_list("status").annotate(Count("pk"))),
        oldest_waiting=waiting.closed_at if waiting else None,
        parked_profiles=Profile.objects.filter(guild=guild, dirty=True, parked_at__isnull=False).count(),
        junk=fact_review.junk_statistics(Guild.objects.filter(pk=guild.pk)),
        left_out=[(str(row.day), row.kind, row.reason, row.count) for row in left_out],
        last_run=JobRun.objects.of(guild).aggregate(last=Max("started_at"))["last"],
        nights_missed=len(due_days.days_missed(guild, now=now)) if guild.memory_on else 0,
        **unread,
    )


def _days(guild: Guild, start: datetime) -> dict[str, tuple[int, int, int]]:
    counts = (
        count_by_day(Message.objects.of(guild).filter(deleted_at=None), "sent_at", start),
        count_by_day(Fact.objects.of(guild), "said_at", start),
        count_by_day(InteractionNote.objects.filter(guild=guild), "ended_at", start),
    )
    messages, facts, notes = counts
    return {day: (messages.get(day, 0), facts.get(day, 0), notes.get(day, 0)) for day in set().union(*counts)}


def utc_day(field: str) -> Substr:
    """Return the day of a moment, cut out of the stored text: TruncDate calls Python for each row."""
    return Substr(Cast(field, CharField()), 1, 10)


def count_by_day(rows: QuerySet[Any], field: str, start: datetime) -> dict[str, int]:
    """Count rows on each day since then, UTC."""
    recent = rows.filter(**{f"{field}__gte": start}).annotate(_day=utc_day(field))
    return dict(recent.order_by().values_list("_day").annotate(Count("pk")))


def count(guild: Guild, *, now: datetime) -> datetime | None:
    """Count a guild anew and keep the numbers; None then. Those of a big one are left as they are until they grew old.

    Counting asks all rows, so that it pays to wait. Returns the moment from which on they are to be counted, if so.
    """
    kept = GuildFigures.objects.filter(guild=guild).first()
    if kept:
        rows = kept.numbers["messages"] + kept.numbers["facts"]
        fresh_until = kept.counted_at + timedelta(minutes=rows // ROWS_A_MINUTE)
        if now < fresh_until:
            return fresh_until
    numbers = figures_of(guild, now=now).model_dump(mode="json")
    # Somebody else may look for the first time at once.
    GuildFigures.objects.update_or_create(guild=guild, defaults={"counted_at": now, "numbers": numbers})
    return None


def kept_figures(guilds: QuerySet[Guild], *, now: datetime) -> dict[int, Figures]:
    """Return the figures of each guild; of those in which something was written since, the first few are counted anew.

    A guild in which nothing was written has no due work, and its numbers are those of the last look.
    """
    due = DueWork.objects.filter(work=DueWork.Work.MINUTE, at__lte=now).values("guild")
    changed = guilds.filter(Q(figures=None) | Q(pk__in=due)).order_by("figures__counted_at", "pk")
    for guild in changed[:COUNTED_AT_ONCE]:
        count(guild, now=now)
    rows = GuildFigures.objects.filter(guild__in=guilds.order_by().values("pk"))
    return {guild: Figures(**numbers) for guild, numbers in rows.values_list("guild_id", "numbers").iterator(2000)}


def summed(figures: Iterable[Figures]) -> Figures:
    """Return the figures of several guilds together."""
    total, days, skipped = Figures(), dict[str, Counter[int]](), Counter[tuple[str, str, str]]()
    for each in figures:
        for name in ("channels", "members", "messages", "facts", "notes", "unread", "parked_messages", "nights_missed"):
            setattr(total, name, getattr(total, name) + getattr(each, name))
        total.parked_profiles += each.parked_profiles
        total.buffers = dict(Counter(total.buffers) + Counter(each.buffers))
        total.last_seen = max(filter(None, (total.last_seen, each.last_seen)), default=None)
        total.last_run = max(filter(None, (total.last_run, each.last_run)), default=None)
        total.oldest_waiting = min(filter(None, (total.oldest_waiting, each.oldest_waiting)), default=None)
        total.junk = _junk(total.junk, each.junk)
        for day, numbers in each.days.items():
            days.setdefault(day, Counter()).update(dict(enumerate(numbers)))
        for day, kind, reason, number in each.left_out:
            skipped[day, kind, reason] += number
    total.days = {day: (numbers[0], numbers[1], numbers[2]) for day, numbers in days.items()}
    total.left_out = [(*what, number) for what, number in skipped.items()]
    return total


def _junk(one: JunkStatistics, other: JunkStatistics) -> JunkStatistics:
    return JunkStatistics(
        scored=one.scored + other.scored, junk=one.junk + other.junk, waiting=one.waiting + other.waiting,
        refused=one.refused + other.refused, signs=dict((Counter(one.signs) + Counter(other.signs)).most_common()),
    )  # fmt: skip
