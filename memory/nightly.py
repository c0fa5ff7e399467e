"""The phases of a guild's nightly job; each is recorded, so that it runs once, and resumes where it failed."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.db.models import Q

from memory import forgetting, indexing, nearness, papers, rebuilds, retention
from memory.ledger import log
from memory.models import JobRun
from memoryhub.ai import ModelFailed
from notes import clustering
from notes.models import InteractionNote
from profiles.models import Guild

logger = logging.getLogger(__name__)

MOST_DAYS = 7  # missed days that are caught up, oldest first
Phase, Status = JobRun.Phase, JobRun.Status


@dataclass(frozen=True)
class PhaseReport:
    """What one phase did or would do: `status` is done, failed, skipped (it ran before) or planned (a dry run)."""

    phase: str
    status: str
    counts: dict[str, int]
    error: str = ""


def days_due(guild: Guild, *, now: datetime) -> list[date]:
    """Return the days that ended without a complete nightly job though something was said, oldest first."""
    today = now.astimezone(ZoneInfo(guild.time_zone)).date()
    recent = Q(note_date__lt=today, note_date__gte=today - timedelta(days=MOST_DAYS))
    talked = InteractionNote.objects.of(guild).filter(recent, kind=InteractionNote.Kind.CONVERSATION)
    days = set(talked.values_list("note_date", flat=True).distinct())
    done = JobRun.objects.of(guild).filter(day__in=days, status=Status.DONE).values_list("day", "phase")
    complete = {day for day in days if {phase for d, phase in done if d == day} >= set(Phase.values)}
    return sorted(days - complete)


def run_phase(
    phase: str, guild: Guild, *, day: date, now: datetime, dry_run: bool = False, force: bool = False
) -> PhaseReport:
    """Run one phase unless it is done; a model's failure is recorded, and the next run tries again."""
    if dry_run:
        return PhaseReport(phase, "planned", PLANS[phase](guild, day, now))
    run, _ = JobRun.objects.get_or_create(guild=guild, day=day, phase=phase, defaults={"started_at": now})
    if run.status == Status.DONE and not force:
        return PhaseReport(phase, "skipped", run.counts)
    try:
        run.counts, run.status, run.error = WORK[phase](guild, day, now), Status.DONE, ""
    except Exception as error:
        if not isinstance(error, ModelFailed):
            logger.exception("a phase of the nightly job failed", extra={"guild": guild.pk, "phase": phase})
        run.status, run.error = (
            Status.FAILED,
            str(error)[:300] if isinstance(error, ModelFailed) else type(error).__name__,
        )
    run.started_at, run.finished_at = now, now
    run.save()
    log("consolidation", guild=guild, now=now, day=str(day), phase=phase, status=run.status, **run.counts)
    return PhaseReport(phase, run.status, run.counts, run.error)


def _cluster(guild: Guild, day: date, _now: datetime) -> dict[str, int]:
    notes = [note.pk for note in clustering.conversations(guild, day)]
    made, gone = clustering.cluster_day(guild, day=day, embeddings=nearness.embeddings_of_notes(notes))
    indexing.drop("note", gone)
    indexing.index_notes(made)
    return {"notes": len(notes), "topics": len(made)}


def _profiles(guild: Guild, day: date, now: datetime) -> dict[str, int]:
    return rebuilds.consolidate_day(guild, day=day, now=now)


def _decay(guild: Guild, _day: date, now: datetime) -> dict[str, int]:
    return {**retention.archive_outgrown(guild, now=now), "erased": forgetting.forget_outdated(guild, now=now)}


def _papers(guild: Guild, day: date, now: datetime) -> dict[str, int]:
    papers.journal(guild, day=day, now=now)
    papers.snapshot(guild, now=now, refresh=True)
    return {"journals": 1, "snapshots": 1}


Work = Callable[[Guild, date, datetime], dict[str, int]]
WORK: dict[str, Work] = {
    Phase.CLUSTER: _cluster,
    Phase.PROFILES: _profiles,
    Phase.DECAY: _decay,
    Phase.PAPERS: _papers,
}
PLANS: dict[str, Work] = {
    Phase.CLUSTER: lambda guild, day, _now: {"notes": len(clustering.conversations(guild, day))},
    Phase.PROFILES: lambda guild, day, _now: {"revised": len(rebuilds.took_part(guild, day))},
    Phase.DECAY: lambda guild, _day, now: {
        "archived": retention.outgrown(guild, now=now),
        "erased": forgetting.outdated(guild, now=now).count(),
    },
    Phase.PAPERS: lambda _guild, _day, _now: {"journals": 1, "snapshots": 1},
}
