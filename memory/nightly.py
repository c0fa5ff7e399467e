"""The phases of a guild's nightly job (seed 001): each runs once, piece by piece, and goes on where it stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.db import transaction

from memory import failing, forgetting, indexing, job_runs, nearness, papers, rebuilds, retention
from memory.clock import Clock
from memory.ledger import log
from memory.models import JobRun
from memoryhub.ai import ModelFailed
from notes import clustering
from notes.models import InteractionNote
from profiles.models import Guild, Member

Phase, Status = JobRun.Phase, JobRun.Status
Counts = dict[str, int]
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
class Piece:
    """A part of a phase that is done at once; `diff` asks what `do` asks, writes nothing, and tells what would change.

    `key` orders the pieces of a phase: after a stop they go on behind the last one that was done.
    """

    key: str
    do: Callable[[datetime], Counts]
    diff: Callable[[datetime], Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class Night:
    """How a run goes: by which clock, for real or not, by hand or when it is due, for how long, and who is told.

    `force` plans also what is done; a real run forgets the record of the day first.
    """

    clock: Clock
    dry_run: bool = False
    force: bool = False
    by_hand: bool = True
    go_on: Callable[[], bool] = lambda: True
    progress: Progress = lambda what, done, total: None


# --- What each phase is made of ----------------------------------------------------------------------------------


def _cluster(guild: Guild, day: date) -> list[Piece]:
    def do(_now: datetime) -> Counts:
        topics = _topics(guild, day)
        with transaction.atomic():
            made, gone = clustering.write(guild, day=day, topics=topics)
            indexing.drop("note", gone)
            indexing.index_notes(made)
        return {"notes": len(topics.notes), "topics": len(made)}

    return [Piece(key="topics", do=do, diff=lambda _now: clustering.diff(guild, day=day, topics=_topics(guild, day)))]


def _topics(guild: Guild, day: date) -> clustering.Topics:
    notes = clustering.conversations(guild, day)
    known = nearness.embeddings_of_notes([note.pk for note in notes])
    return clustering.think(guild, notes=notes, embeddings=known)


def _profiles(guild: Guild, day: date) -> list[Piece]:
    return [_profile(member, audience, notes) for member, audience, notes in rebuilds.took_part(guild, day)]


def _profile(member: Member, audience: int | None, notes: Sequence[InteractionNote]) -> Piece:
    def do(now: datetime) -> Counts:
        done = rebuilds.rebuild(member, audience, notes, now=now)
        return {"revised": int(done), "dirty": int(not done)}

    return Piece(
        key=f"{member.pk:012}:{audience or 0:012}",
        do=do,
        diff=lambda _now: _revision(rebuilds.plan(member, audience, notes)),
    )


def _revision(plan: rebuilds.Plan) -> list[str]:
    refused = [f"!{plan.member} would be left for a rebuild: {plan.refused}"] if plan.refused else []
    return [*plan.diff().splitlines(), *refused]


def _decay(guild: Guild, _day: date) -> list[Piece]:
    def do(now: datetime) -> Counts:
        return {**retention.archive_outgrown(guild, now=now), "erased": forgetting.forget_outdated(guild, now=now)}

    def diff(now: datetime) -> list[str]:
        aside = [f"-{fact.subject or 'lore'}: {fact.text}" for fact in retention.outgrown(guild, now=now)]
        return [*aside, *(f"-{f.subject or 'lore'}, for good: {f.text}" for f in forgetting.outdated(guild, now=now))]

    return [Piece(key="facts", do=do, diff=diff)]


def _papers(guild: Guild, day: date) -> list[Piece]:
    def do(now: datetime) -> Counts:
        papers.journal(guild, day=day, now=now)
        papers.snapshot(guild, now=now, refresh=True)
        return {"journals": 1, "snapshots": 1}

    return [Piece(key="papers", do=do, diff=lambda now: papers.diff(guild, day=day, now=now))]


PHASES: dict[str, Callable[[Guild, date], list[Piece]]] = {
    Phase.CLUSTER: _cluster,
    Phase.PROFILES: _profiles,
    Phase.DECAY: _decay,
    Phase.PAPERS: _papers,
}


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
        if not night.go_on():
            return False
        for name, count in piece.do(night.clock()).items():
            run.counts[name] = run.counts.get(name, 0) + count
        if not job_runs.reach(run, piece.key, now=night.clock()):
            return False
        night.progress(f"{guild.key} {run.day} {run.phase}", number, len(pieces))
    return True


def _put_off(run: JobRun, error: Exception, *, now: datetime) -> None:
    told = failing.told(error, f"a phase of the nightly job failed: {run.phase}", guild=run.guild_id)
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
            night.progress(f"{guild.key} {day} {phase}", number, len(pieces))
    except ModelFailed as failure:
        return PhaseReport(phase, "failed", {}, str(failure), lines)
    return PhaseReport(phase, "planned", _counted(lines), diff=lines)


def _counted(lines: Iterable[str]) -> Counts:
    """Count the lines that would come and go."""
    heads = [line[:1] for line in lines if not line.startswith(("+++", "---"))]
    return {"come": heads.count("+"), "go": heads.count("-")}
