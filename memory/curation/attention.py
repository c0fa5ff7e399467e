"""What waits for a person: memories to approve, work that failed for good, memories that contradict each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Max, Sum

from memory.curation import parked
from memory.models import Fact, JobRun
from memoryhub.community.models import Guild
from notes.models import ChannelBuffer

LAST_RUNS = 8  # of the nightly job's phases: what happens now is among them
PACE_OVER = timedelta(minutes=10)
UNDER_WAY = (ChannelBuffer.Status.OPEN, ChannelBuffer.Status.CLOSED, ChannelBuffer.Status.PARKED)


@dataclass(frozen=True, kw_only=True)
class Needs:
    """How much of each waits."""

    waiting: int
    failed: int
    conflicts: int = 0

    def __bool__(self) -> bool:
        return bool(self.waiting or self.failed or self.conflicts)


def needs(guilds: Sequence[Guild], *, conflicts: bool = False) -> Needs:
    """Count what waits in these guilds; the conflicts only where they are asked for, since no index leads to them."""
    facts = Fact.objects.filter(guild__in=guilds)
    apart = facts.filter(status=Fact.Status.ACTIVE, possible_conflict=True)
    return Needs(
        waiting=facts.filter(status=Fact.Status.PENDING).count(),
        failed=parked.MESSAGES.filter(guild__in=guilds).count() + parked.BUFFERS.filter(guild__in=guilds).count(),
        conflicts=apart.count() if conflicts else 0,
    )


def work_mark(guilds: Sequence[Guild]) -> tuple[object, ...]:
    """Return what is different whenever the page of jobs would be: open pages ask for nothing while it is the same."""
    buffers = ChannelBuffer.objects.filter(guild__in=guilds, status__in=UNDER_WAY)
    talk = buffers.values("status").annotate(
        rows=Count("pk"), said=Sum("message_count"), last=Max("last_message_at"), tried=Sum("attempts"),
        claimed=Max("claimed_until"),
    )  # fmt: skip
    nights = JobRun.objects.filter(guild__in=guilds).order_by("-day", "-pk")[:LAST_RUNS]
    return (*talk.order_by("status").values_list(), *nights.values_list("pk", "status", "reached", "finished_at"))


@dataclass(frozen=True, kw_only=True)
class Pace:
    """How many ended conversations wait to be processed, how many were lately, and how long the rest takes so."""

    waiting: int
    done: int

    @property
    def total(self) -> int:
        """Return those that wait and those that were done lately."""
        return self.waiting + self.done

    @property
    def minutes_left(self) -> int | None:
        """Return the minutes that are left at that pace, at least one; None if nothing was done lately."""
        minutes = PACE_OVER.total_seconds() / 60
        return max(1, round(self.waiting * minutes / self.done)) if self.done else None


def pace(guilds: Sequence[Guild], *, now: datetime) -> Pace:
    """Count what waits to be processed in these guilds, and what was processed in the last ten minutes."""
    buffers = ChannelBuffer.objects.filter(guild__in=guilds)
    return Pace(
        waiting=buffers.filter(status=ChannelBuffer.Status.CLOSED).count(),
        done=buffers.filter(status=ChannelBuffer.Status.DONE, digested_at__gte=now - PACE_OVER).count(),
    )
