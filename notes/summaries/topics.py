"""Joins a day's conversation notes to topics, one audience at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from django.db import transaction
from django.db.models import QuerySet

from memoryhub import db
from memoryhub.ai import ask
from memoryhub.community import outbox
from memoryhub.community.models import Event, Guild
from notes.models import InteractionNote
from notes.writing.clusters import settle
from notes.writing.prompts import CLUSTER
from notes.writing.schemas import Cluster, ClusterInput, ClusterNote

FEWEST = 3  # notes; fewer make no topics
Kind = InteractionNote.Kind


class NotesChangedError(Exception):
    """Notes of the day came, went or changed while a model sorted them: they are to be sorted again."""


@dataclass(frozen=True, kw_only=True)
class Topics:
    """A day's notes, and the topics that were found among those of each audience."""

    notes: Sequence[InteractionNote]
    found: Sequence[tuple[Sequence[InteractionNote], Cluster]]


def notes_of_day(guild: Guild, day: date) -> list[InteractionNote]:
    """Return the day's conversation notes that may be told."""
    rows = InteractionNote.objects.told(guild).filter(note_date=day, kind=Kind.CONVERSATION)
    return list(rows.prefetch_related("participants").order_by("audience_id", "started_at", "pk"))


def find_topics(
    guild: Guild, *, notes: Sequence[InteractionNote], embeddings: Mapping[int, list[float]] | None, attempt: int = 1
) -> Topics:
    """Find the topics of a day's notes; notes of different audiences never meet in one. Raises ModelFailed.

    A note that stands alone makes none: it would be told twice.

    `attempt`: which try of the night's it is.
    """
    found = []
    for _, group in groupby(notes, key=lambda note: note.audience_id):
        alike = list(group)
        if len(alike) < FEWEST:
            continue
        vectors = {note.pk: embeddings[note.pk] for note in alike if note.pk in embeddings} if embeddings else {}
        given = ClusterInput(
            notes=[
                ClusterNote(
                    id=note.pk,
                    title=note.title,
                    summary=note.summary,
                    participants=[str(member) for member in note.participants.all()],
                )
                for note in alike
            ],
            embeddings=vectors if len(vectors) == len(alike) else None,
        )
        answer = settle(given, ask(CLUSTER, given, guild=guild.pk, attempt=attempt), kept_kinds=guild.kept_kinds)
        found += [(alike, cluster) for cluster in answer.clusters if len(cluster.notes) > 1]
    return Topics(notes=notes, found=found)


@transaction.atomic
def write(guild: Guild, *, day: date, topics: Topics) -> tuple[list[InteractionNote], list[int]]:
    """Write the day's topics in place of the old ones; return the new notes and the ids of those that went.

    Raises NotesChangedError, with nothing changed: a topic must not retell a note that went meanwhile.
    """
    db.lock_guild(guild.pk)
    if _as_read(topics.notes) != _as_read(notes_of_day(guild, day)):
        raise NotesChangedError
    old = _stored(guild, day)
    gone = list(old.values_list("pk", flat=True))
    old.delete()
    written = []
    for every, cluster in topics.found:
        notes = _clustered(every, cluster)
        topic = InteractionNote.objects.create(
            guild=guild,
            audience_id=notes[0].audience_id,
            kind=Kind.TOPIC_CLUSTER,
            title=cluster.title,
            summary=cluster.summary,
            note_date=day,
            started_at=min(note.started_at for note in notes),
            ended_at=max(note.ended_at for note in notes),
        )
        of_guild = {"guild_id": topic.guild_id}
        topic.notes.set(notes, through_defaults=of_guild)
        topic.participants.set({m for note in notes for m in note.participants.all()}, through_defaults=of_guild)
        written.append(topic)
    outbox.write([Event(guild_id=guild.pk, kind=Event.Kind.NOTE, row=topic.pk) for topic in written])
    return written, gone


def diff(guild: Guild, *, day: date, topics: Topics) -> list[str]:
    """Return what writing these topics would change: a line for each topic, and for each of its notes."""
    old = [line for topic in _stored(guild, day).prefetch_related("notes") for line in _lines(topic, topic.notes.all())]
    new = [line for notes, cluster in topics.found for line in _lines(cluster, _clustered(notes, cluster))]
    return [] if old == new else [*(f"-{line}" for line in old), *(f"+{line}" for line in new)]


def _lines(
    topic: InteractionNote | Cluster, notes: Sequence[InteractionNote] | QuerySet[InteractionNote]
) -> Iterator[str]:
    yield f"topic: {topic.title}"
    yield from (f" note: {note.title}" for note in sorted(notes, key=lambda note: note.pk))


def _stored(guild: Guild, day: date) -> QuerySet[InteractionNote]:
    return InteractionNote.objects.of(guild).filter(note_date=day, kind=Kind.TOPIC_CLUSTER).order_by("pk")


def _as_read(notes: Sequence[InteractionNote]) -> list[tuple[int, int | None, str, str]]:
    return [(note.pk, note.audience_id, note.title, note.summary) for note in notes]


def _clustered(notes: Sequence[InteractionNote], cluster: Cluster) -> list[InteractionNote]:
    return [note for note in notes if note.pk in cluster.notes]
