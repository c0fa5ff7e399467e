"""The record of the nightly jobs: which days are due, who works on a phase, how far it came, what failed (seed 001)."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from django.db.models import F, QuerySet

from memory.models import JobRun
from memoryhub.community.days import begin_of
from memoryhub.community.models import Guild
from memoryhub.db import process_id

LEASE = timedelta(minutes=15)  # renewed after each piece of work; a phase waits this long for a machine that is gone
MOST_ATTEMPTS = 5
BACK_OFF = timedelta(minutes=15)  # doubled at each failure
Phase, Status = JobRun.Phase, JobRun.Status
OF_NOTES = (Phase.CLUSTER, Phase.PAPERS)  # what retells a day; its digest has brought a late note to the profiles


# --- What a run may do -------------------------------------------------------------------------------------------


def is_done(run: JobRun, guild: Guild, *, now: datetime) -> bool:
    """Tell whether the phase is done for good: what was done while the day went on is done again once it ended."""
    end = begin_of(guild, run.day + timedelta(days=1))
    return run.status == Status.DONE and (now < end or run.finished_at is None or run.finished_at >= end)


def is_ready(run: JobRun, guild: Guild, *, now: datetime) -> bool:
    """Tell whether a worker may take the phase up by itself."""
    if run.status == Status.PARKED or is_done(run, guild, now=now) or not _is_free(run, now):
        return False
    return run.next_attempt_at is None or run.next_attempt_at <= now


def _is_free(run: JobRun, now: datetime) -> bool:
    return run.claimed_until is None or run.claimed_until <= now or process_id.gone(run.claimed_by)


# --- Work is claimed, recorded, given back -----------------------------------------------------------------------


def of(guild: Guild, *, day: date, phase: str, now: datetime) -> JobRun:
    """Return the row of this phase, made if it is not there."""
    run, _ = JobRun.objects.get_or_create(guild=guild, day=day, phase=phase, defaults={"started_at": now})
    return run


def claim(run: JobRun, *, now: datetime, anew: bool) -> bool:
    """Take the phase with a lease; False if another process works on it. `anew` forgets how far it came before.

    The attempt is counted before the work, so that a phase that kills its worker each time is parked in the end.
    """
    if not _is_free(run, now) or (not anew and _parked_as_killer(run)):
        return False
    fresh = {"started_at": now, "reached": "", "counts": {}, "attempts": 0} if anew else {}
    attempts = 1 if anew else F("attempts") + 1
    mine = {"claimed_until": now + LEASE, "claimed_by": process_id.me(), "status": Status.RUNNING, "error": ""}
    seen = {"status": run.status, "reached": run.reached, "finished_at": run.finished_at}  # or another did it meanwhile
    free = JobRun.objects.filter(pk=run.pk, claimed_until=run.claimed_until, claimed_by=run.claimed_by, **seen)
    if not free.update(**{**fresh, **mine, "attempts": attempts, "finished_at": None}):
        return False
    run.refresh_from_db()
    return True


def _parked_as_killer(run: JobRun) -> bool:
    """Park a phase that was begun often enough without ever coming back: its work ended with the worker."""
    if run.status != Status.RUNNING or run.attempts < MOST_ATTEMPTS:
        return False
    told = f"The worker ended {MOST_ATTEMPTS} times while it worked on this."
    return bool(JobRun.objects.filter(pk=run.pk).update(status=Status.PARKED, error=told, **process_id.FREE))


def _held(run: JobRun) -> QuerySet[JobRun]:
    """Return the row if this claim on it still holds: a late note may have taken it away, or another worker over."""
    return JobRun.objects.filter(pk=run.pk, claimed_by=run.claimed_by, claimed_until=run.claimed_until)


def reach(run: JobRun, key: str, *, now: datetime) -> bool:
    """Record a piece that is done, with a fresh lease; False if the claim is lost."""
    until = now + LEASE
    done = {"reached": key, "counts": run.counts, "attempts": 1, "claimed_until": until}
    if not _held(run).update(**done):
        return False
    run.reached, run.attempts, run.claimed_until = key, 1, until
    return True


def finish(run: JobRun, *, now: datetime) -> None:
    """Record that the phase is done."""
    run.status, run.finished_at, run.reached = Status.DONE, now, ""
    done = {"attempts": 0, "next_attempt_at": None, "error": ""}
    _held(run).update(status=run.status, counts=run.counts, finished_at=now, reached="", **done, **process_id.FREE)


def fail(run: JobRun, error: str, *, now: datetime, wait: timedelta = timedelta()) -> None:
    """Record what failed, to be tried again later; after too many attempts it waits for an operator."""
    run.status = Status.PARKED if run.attempts >= MOST_ATTEMPTS else Status.FAILED
    run.error, run.finished_at = error[:300], now
    pause = max(wait, BACK_OFF * 2 ** min(run.attempts - 1, 6))
    failed = {"status": run.status, "error": run.error, "finished_at": now, "next_attempt_at": now + pause}
    _held(run).update(**failed, counts=run.counts, **process_id.FREE)


def give_back(run: JobRun) -> None:
    """Let go of a phase in the middle: the next run goes on where this one came to."""
    _held(run).update(attempts=0, **process_id.FREE)


def reopen(guild: Guild, day: date) -> None:
    """Have the day's job done again, as far as it tells of notes: one came late, or was told anew."""
    JobRun.objects.of(guild).filter(day=day, phase__in=OF_NOTES).delete()


def forget(guild: Guild, day: date) -> None:
    """Have the day's whole job done again; whoever works on it now stops at the next piece."""
    JobRun.objects.of(guild).filter(day=day).delete()
