"""The phases of a guild's nightly job: each runs once, piece by piece, and goes on where it stopped, or is planned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial

from django.db import transaction

from memory.index import writing
from memory.jobs import profile_rebuilds, steps
from memory.models import JobRun
from memory.records import job_runs, snapshots
from memory.records.action_log import log
from memory.withdrawal import fact_limits
from memoryhub import db
from memoryhub.ai import ModelFailed, embedder
from memoryhub.common.long_work import Progress, untold
from memoryhub.community.models import Guild
from memoryhub.db import leases
from memoryhub.db.leases import Clock
from memoryhub.search import vectors
from memoryhub.server import instruments
from notes.summaries import topics

Phase, Status = JobRun.Phase, JobRun.Status
Counts = dict[str, int]


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
    progress: Progress = untold


def run_phase(phase: str, guild: Guild, *, day: date, night: Night) -> PhaseReport:
    """Run or plan one phase unless it is done; a failure is recorded, and the next run goes on where it came to."""
    now = night.clock()
    if night.dry_run:
        planned = JobRun.objects.of(guild).filter(day=day, phase=phase).first()
        if planned and not night.force and job_runs.is_done(planned, guild, now=now):
            return PhaseReport(phase, "skipped", planned.counts)
        lines: list[str] = []
        try:
            pieces = PHASES[phase](guild, day, 1)
            for number, piece in enumerate(pieces, 1):
                lines += piece.diff(night.clock())
                night.progress(f"{guild.key}: {Phase(phase).label.lower()}", number, len(pieces))
        except ModelFailed as failure:
            return PhaseReport(phase, "failed", {}, str(failure), lines)
        heads = [line[:1] for line in lines if not line.startswith(("+++", "---"))]
        return PhaseReport(phase, "planned", {"come": heads.count("+"), "go": heads.count("-")}, diff=lines)
    run, _ = JobRun.objects.get_or_create(guild=guild, day=day, phase=phase, defaults={"started_at": now})
    if job_runs.is_done(run, guild, now=now):
        return PhaseReport(phase, "skipped", run.counts)
    if not (night.by_hand or job_runs.is_ready(run, guild, now=now)):
        return PhaseReport(phase, "waiting", run.counts, run.last_error)
    claimed = job_runs.claim(run, now=now, by_hand=night.by_hand)
    if claimed is None:
        error = f"Process {run.claimed_by} works on it until {run.claimed_until}."
        return PhaseReport(phase, "busy", run.counts, error)
    with instruments.timed(instruments.counted().night_seconds, phase=phase, outcome="failed") as labels:
        report = _work(claimed, guild, night)
        labels["outcome"] = report.status
    return report


def _work(run: JobRun, guild: Guild, night: Night) -> PhaseReport:
    """Do the pieces that are left, one by one, as long as the run is told to go on and holds its claim."""
    try:
        pieces = PHASES[run.phase](guild, run.day, run.attempts)
        begun, before = night.clock(), sum(piece.key <= run.reached for piece in pieces)
        for number, piece in enumerate(pieces, 1):
            if piece.key <= run.reached:
                continue
            if not night.keep_going():
                leases.release(run)
                return PhaseReport(run.phase, "stopped", run.counts)
            for name, count in piece.do(night.clock()).items():
                run.counts[name] = run.counts.get(name, 0) + count
            now = night.clock()
            pace = max(0.0, (now - begun).total_seconds()) / (number - before)
            left = round(pace * (len(pieces) - number))
            come = {"pieces": len(pieces), "done": number, "seconds_left": left}
            if not leases.checkpoint(run, now=now, reached=piece.key, counts=run.counts, progress=come):
                return PhaseReport(run.phase, "stopped", run.counts)
            night.progress(f"{guild.key}: {run.get_phase_display().lower()}", number, len(pieces))
        now = night.clock()
        leases.finish(run, status=Status.DONE, finished_at=now, reached="", counts=run.counts)
    except Exception as error:  # noqa: BLE001  the step boundary: it is written down and tried again
        now = night.clock()
        steps.fail(
            run, error, f"a phase of the nightly job failed: {run.phase}", now=now, finished_at=now, counts=run.counts
        )
    except BaseException:
        leases.release(run)  # Ctrl-C: nobody need wait for the claim to run out
        raise
    log("consolidation", guild=guild, now=now, day=str(run.day), phase=run.phase, status=run.status, **run.counts)
    return PhaseReport(run.phase, run.status, run.counts, run.last_error)


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A part of a phase that is done at once; `diff` asks what `do` asks, writes nothing, and tells what would change.

    `key` orders the pieces of a phase: after a stop they go on behind the last one that was done.
    """

    key: str
    do: Callable[[datetime], Counts]
    diff: Callable[[datetime], Sequence[str]]


def _cluster(guild: Guild, day: date, attempt: int) -> list[Piece]:
    def think() -> topics.Topics:
        notes, model = topics.notes_of_day(guild, day), embedder()
        ids = [note.pk for note in notes]
        known = vectors.get(kind="note", model=model.identity, ids=ids, guild=guild.pk) if model else {}
        embeddings = {pk: found.tolist() for pk, found in known.items()}
        return topics.find_topics(guild, notes=notes, embeddings=embeddings, attempt=attempt)

    def do(_now: datetime) -> Counts:
        found = think()
        with transaction.atomic():
            db.lock_guild(guild.pk)
            made, gone = topics.write(guild, day=day, topics=found)
            writing.drop("note", gone, guild=guild.pk)
            writing.index_notes(made)
        return {"notes": len(found.notes), "topics": len(made)}

    return [Piece(key="topics", do=do, diff=lambda _now: topics.diff(guild, day=day, topics=think()))]


def _profiles(guild: Guild, day: date, _attempt: int) -> list[Piece]:
    def do(who: profile_rebuilds.Participant, now: datetime) -> Counts:
        done = profile_rebuilds.consolidate(*who, now=now)
        return {"revised": int(done), "dirty": int(not done)}

    return [
        Piece(
            key=f"{who[0].pk:012}:{who[1] or 0:012}",
            do=partial(do, who),
            diff=lambda _now, who=who: profile_rebuilds.plan(*who),  # type: ignore[misc]
        )
        for who in profile_rebuilds.took_part(guild, day)
    ]


def _papers(guild: Guild, day: date, _attempt: int) -> list[Piece]:
    def do(now: datetime) -> Counts:
        snapshots.render_journal(guild, day=day, now=now)
        snapshots.current_snapshot(guild, now=now, refresh=True)
        return {"journals": 1, "snapshots": 1}

    return [Piece(key="papers", do=do, diff=lambda now: snapshots.diff(guild, day=day, now=now))]


PHASES: dict[str, Callable[[Guild, date, int], list[Piece]]] = {
    Phase.CLUSTER: _cluster,
    Phase.PROFILES: _profiles,
    Phase.DECAY: lambda guild, _day, _attempt: [
        Piece(
            key="facts",
            do=lambda now: fact_limits.archive_outgrown(guild, now=now),
            diff=lambda now: [
                f"-{f.subject or 'lore'}: {f.text}" for f in fact_limits.facts_to_archive(guild, now=now)
            ],
        )
    ],
    Phase.PAPERS: _papers,
}
