"""What the phases of a nightly job are made of: pieces that are done one by one, or planned as a diff."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.db import transaction

from memory.index import writing
from memory.jobs import profile_rebuilds
from memory.models import JobRun
from memory.records import snapshots
from memory.withdrawal import fact_limits
from memoryhub.ai import embedder
from memoryhub.community.models import Guild, Member
from memoryhub.search import vectors
from notes.models import InteractionNote
from notes.summaries import topics

Phase = JobRun.Phase
Counts = dict[str, int]


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A part of a phase that is done at once; `diff` asks what `do` asks, writes nothing, and tells what would change.

    `key` orders the pieces of a phase: after a stop they go on behind the last one that was done.
    """

    key: str
    do: Callable[[datetime], Counts]
    diff: Callable[[datetime], Sequence[str]]


def _cluster(guild: Guild, day: date) -> list[Piece]:
    def do(_now: datetime) -> Counts:
        found = _topics(guild, day)
        with transaction.atomic():
            made, gone = topics.write(guild, day=day, topics=found)
            writing.drop("note", gone)
            writing.index_notes(made)
        return {"notes": len(found.notes), "topics": len(made)}

    return [Piece(key="topics", do=do, diff=lambda _now: topics.diff(guild, day=day, topics=_topics(guild, day)))]


def _topics(guild: Guild, day: date) -> topics.Topics:
    notes = topics.notes_of_day(guild, day)
    model, ids = embedder(), [note.pk for note in notes]
    known = vectors.get(kind="note", model=model.identity, ids=ids) if model else {}
    return topics.find_topics(guild, notes=notes, embeddings={pk: found.tolist() for pk, found in known.items()})


def _profiles(guild: Guild, day: date) -> list[Piece]:
    return [_profile(member, audience, notes) for member, audience, notes in profile_rebuilds.took_part(guild, day)]


def _profile(member: Member, audience: int | None, notes: Sequence[InteractionNote]) -> Piece:
    def do(now: datetime) -> Counts:
        done = profile_rebuilds.consolidate(member, audience, notes, now=now)
        return {"revised": int(done), "dirty": int(not done)}

    return Piece(
        key=f"{member.pk:012}:{audience or 0:012}",
        do=do,
        diff=lambda _now: _revision(profile_rebuilds.plan(member, audience, notes)),
    )


def _revision(plan: profile_rebuilds.Plan) -> list[str]:
    refused = [f"!{plan.member} would be left for a rebuild: {plan.refused}"] if plan.refused else []
    return [*plan.diff().splitlines(), *refused]


def _decay(guild: Guild, _day: date) -> list[Piece]:
    def do(now: datetime) -> Counts:
        return fact_limits.archive_outgrown(guild, now=now)

    def diff(now: datetime) -> list[str]:
        return [f"-{fact.subject or 'lore'}: {fact.text}" for fact in fact_limits.facts_to_archive(guild, now=now)]

    return [Piece(key="facts", do=do, diff=diff)]


def _papers(guild: Guild, day: date) -> list[Piece]:
    def do(now: datetime) -> Counts:
        snapshots.render_journal(guild, day=day, now=now)
        snapshots.current_snapshot(guild, now=now, refresh=True)
        return {"journals": 1, "snapshots": 1}

    return [Piece(key="papers", do=do, diff=lambda now: snapshots.diff(guild, day=day, now=now))]


PHASES: dict[str, Callable[[Guild, date], list[Piece]]] = {
    Phase.CLUSTER: _cluster,
    Phase.PROFILES: _profiles,
    Phase.DECAY: _decay,
    Phase.PAPERS: _papers,
}
