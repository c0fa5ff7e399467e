"""Joins a day's conversation notes to topics, one audience at a time, and makes a model's answer fit its notes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from django.db import transaction
from django.db.models import QuerySet

from memoryhub.ai import ask
from memoryhub.community.models import Guild
from notes.models import InteractionNote
from notes.writing import note_safety
from notes.writing.clusters import word_distances
from notes.writing.prompts import CLUSTER
from notes.writing.rules import as_cluster, cluster_notes
from notes.writing.schemas import CLUSTERS, Cluster, ClusterInput, ClusterNote, Clusters

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
    guild: Guild, *, notes: Sequence[InteractionNote], embeddings: Mapping[int, list[float]] | None
) -> Topics:
    """Find the topics of a day's notes; notes of different audiences never meet in one. Raises ModelFailed."""
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
        answer = settle(given, ask(CLUSTER, given, guild=guild.pk), kept_kinds=guild.kept_kinds)
        found += [(alike, cluster) for cluster in answer.clusters]
    return Topics(notes=notes, found=found)


def settle(given: ClusterInput, answer: Clusters, *, kept_kinds: Collection[str] = ()) -> Clusters:
    """Return a model's clusters as they may be stored: without invented ids, 3 to 8, with every note in one.

    A note that was left out, else the last of the largest cluster, stands alone while clusters are too few; after that
    what was left out goes where its words fit best. A cluster whose text must not be stored is told by the rules. An
    answer of invented ids alone is replaced.
    """
    known = {note.id: note for note in given.notes}
    kept = []
    for cluster in answer.clusters:
        if notes := [known[id_] for id_ in dict.fromkeys(cluster.notes) if id_ in known]:
            source = "\n".join(f"{note.title} {note.summary}" for note in notes)
            refused = any(
                note_safety.refuse(text, source, kept=kept_kinds) for text in (cluster.title, cluster.summary)
            )
            ids = [note.id for note in notes]
            kept.append(as_cluster(notes) if refused else cluster.model_copy(update={"notes": ids}))
    if not kept:
        return cluster_notes(given)
    while len(kept) < min(CLUSTERS[0], len(given.notes)):
        left = _left_out(given.notes, kept)
        alone = left[0].id if left else max(kept, key=lambda cluster: len(cluster.notes)).notes.pop()
        kept.append(as_cluster([known[alone]]))
    texts = [f"{cluster.title}. {cluster.summary}" for cluster in kept]
    for note in _left_out(given.notes, kept):
        near = word_distances([f"{note.title}. {note.summary}", *texts])[0, 1:].argmin()
        kept[int(near)].notes.append(note.id)
    return Clusters(clusters=kept)


def _left_out(notes: Sequence[ClusterNote], clusters: Sequence[Cluster]) -> list[ClusterNote]:
    placed = {id_ for cluster in clusters for id_ in cluster.notes}
    return [note for note in notes if note.id not in placed]


@transaction.atomic
def write(guild: Guild, *, day: date, topics: Topics) -> tuple[list[InteractionNote], list[int]]:
    """Write the day's topics in place of the old ones; return the new notes and the ids of those that went.

    Raises NotesChangedError, with nothing changed: a topic must not retell a note that went meanwhile.
    """
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
        topic.notes.set(notes)
        topic.participants.set({member for note in notes for member in note.participants.all()})
        written.append(topic)
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
