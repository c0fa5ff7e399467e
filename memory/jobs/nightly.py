"""The phases of a guild's nightly job (seed 001): each runs once, piece by piece, and goes on where it stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from memory.jobs.nightly_phases import PHASES, Counts
from memory.models import JobRun
from memory.records import failure_text, job_runs
from memory.records.action_log import log
from memory.records.clock import Clock
from memoryhub.ai import ModelFailed
from memoryhub.community.models import Guild

Status = JobRun.Status
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class PhaseReport:
    """What one phase did or would do.

    `status`: done, failed, parked (failed too often), skipped (done before), waiting (for its next try), busy (another
    process works on it), stopped (told to, or its claim was lost; goes on there), planned (a dry run, with its `diff`).
    """

    phase: str
    status: str
    counts: Counts
    error: str = ""
    diff: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Night:
    """How a run goes: by which clock, for real or not, by hand or when it is due, for how long, and who is told.

    `force` plans also what is done; a real run forgets the record of the day first.
    """

    clock: Clock
    dry_run: bool = False
    force: bool = False
    by_hand: bool = True
    keep_going: Callable[[], bool] = lambda: True
    progress: Progress = lambda what, done, total: None


# --- How a phase runs --------------------------------------------------------------------------------------------


def run_phase(phase: str, guild: Guild, *, day: date, night: Night) -> PhaseReport:
    """Run one phase unless it is done; a failure is recorded, and the next run goes on where this one came to."""
    if night.dry_run:
        return _plan(phase, guild, day, night)
    now = night.clock()
    run = job_runs.of(guild, day=day, phase=phase, now=now)
    if job_runs.is_done(run, guild, now=now):
        return PhaseReport(phase, "skipped", run.counts)
    if not (night.by_hand or job_runs.is_ready(run, guild, now=now)):
        return PhaseReport(phase, "waiting", run.counts, run.error)
    if not job_runs.claim(run, now=now, anew=run.status == Status.DONE):
        return PhaseReport(
            phase, "busy", run.counts, f"Process {run.claimed_by} works on it until {run.claimed_until}."
        )
    return _work(run, guild, night)


def _work(run: JobRun, guild: Guild, night: Night) -> PhaseReport:
    try:
        ended = _go_through(run, guild, night)
    except Exception as error:  # noqa: BLE001  the step boundary: it is written down and tried again
        _put_off(run, error, now=night.clock())
    except BaseException:
        job_runs.give_back(run)  # Ctrl-C: nobody need wait for the lease
        raise
    else:
        if not ended:
            job_runs.give_back(run)
            return PhaseReport(run.phase, "stopped", run.counts)
        job_runs.finish(run, now=night.clock())
    now, told = night.clock(), {"day": str(run.day), "phase": run.phase, "status": run.status}
    log("consolidation", guild=guild, now=now, **told, **run.counts)
    return PhaseReport(run.phase, run.status, run.counts, run.error)


def _go_through(run: JobRun, guild: Guild, night: Night) -> bool:
    """Do the pieces that are left, one by one; False if told to stop before the last, or the claim was lost."""
    pieces = PHASES[run.phase](guild, run.day)
    for number, piece in enumerate(pieces, 1):
        if piece.key <= run.reached:
            continue
        if not night.keep_going():
            return False
        for name, count in piece.do(night.clock()).items():
            run.counts[name] = run.counts.get(name, 0) + count
        if not job_runs.reach(run, piece.key, now=night.clock()):
            return False
        night.progress(f"{guild.key}: {run.phase}", number, len(pieces))
    return True


def _put_off(run: JobRun, error: Exception, *, now: datetime) -> None:
    told = failure_text.describe_failure(error, f"a phase of the nightly job failed: {run.phase}", guild=run.guild_id)
    job_runs.fail(run, told.words, now=now, wait=told.wait)


# --- What it would do --------------------------------------------------------------------------------------------


def _plan(phase: str, guild: Guild, day: date, night: Night) -> PhaseReport:
    run = JobRun.objects.of(guild).filter(day=day, phase=phase).first()
    if run and not night.force and job_runs.is_done(run, guild, now=night.clock()):
        return PhaseReport(phase, "skipped", run.counts)
    lines: list[str] = []
    try:
        pieces = PHASES[phase](guild, day)
        for number, piece in enumerate(pieces, 1):
            lines += piece.diff(night.clock())
            night.progress(f"{guild.key}: {phase}", number, len(pieces))
    except ModelFailed as failure:
        return PhaseReport(phase, "failed", {}, str(failure), lines)
    return PhaseReport(phase, "planned", _counted(lines), diff=lines)


def _counted(lines: Iterable[str]) -> Counts:
    """Count the lines that would come and go."""
    heads = [line[:1] for line in lines if not line.startswith(("+++", "---"))]
    return {"come": heads.count("+"), "go": heads.count("-")}
