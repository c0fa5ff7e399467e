"""The record of the nightly jobs: which phases of a day are done, and which a worker may take up."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

from memory.models import JobRun
from memoryhub.community.days import begin_of
from memoryhub.community.models import Guild
from memoryhub.db import leases

Phase, Status = JobRun.Phase, JobRun.Status


def is_done(run: JobRun, guild: Guild, *, now: datetime) -> bool:
    """Tell whether the phase is done for good: what was done while the day went on is done again once it ended."""
    end = begin_of(guild, run.day + timedelta(days=1))
    return run.status == Status.DONE and (now < end or run.finished_at is None or run.finished_at >= end)


def is_ready(run: JobRun, guild: Guild, *, now: datetime) -> bool:
    """Tell whether a worker may take the phase up by itself."""
    return not is_done(run, guild, now=now) and leases.is_ready(run, now=now)


def claim(run: JobRun, *, now: datetime, by_hand: bool = False) -> JobRun | None:
    """Claim the phase as it was read; None if another process works on it, or did it meanwhile.

    What was done is begun anew. `by_hand` also takes what is parked or waits for its next try.
    """
    anew: dict[str, Any] = {"started_at": now, "reached": "", "counts": {}, "attempts": 1, "progress": {}}
    fresh = anew if run.status == Status.DONE else {}
    seen = JobRun.objects.filter(pk=run.pk, reached=run.reached, finished_at=run.finished_at)
    return leases.claim(seen, now=now, by_hand=by_hand, finished_at=None, **fresh)


def reopen(guild: Guild, day: date) -> None:
    """Have the day's job done again, as far as it tells of notes: one came late, or was told anew."""
    retelling = (Phase.CLUSTER, Phase.PAPERS)  # its digest has brought a late note to the profiles
    JobRun.objects.of(guild).filter(day=day, phase__in=retelling).delete()
