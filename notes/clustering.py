"""Joins a day's conversation notes to topics, one audience at a time (seed 001)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from itertools import groupby

from django.db import transaction

from memoryhub.ai import ask
from notes import offline
from notes.models import InteractionNote
from notes.prompts import CLUSTER, Cluster, ClusterInput, ClusterNote
from profiles.models import Guild

FEWEST = 3  # notes; fewer make no topics
Kind = InteractionNote.Kind


def conversations(guild: Guild, day: date) -> list[InteractionNote]:
    """Return the day's conversation notes."""
    rows = InteractionNote.objects.of(guild).filter(note_date=day, kind=Kind.CONVERSATION)
    return list(rows.prefetch_related("participants").order_by("audience_id", "started_at", "pk"))


def cluster_day(
    guild: Guild, *, day: date, embeddings: Mapping[int, list[float]] | None
) -> tuple[list[InteractionNote], list[int]]:
    """Write the day's topics anew; return the new notes and the ids of the old topics that went.

    Notes of different audiences never meet in one topic. Raises ModelFailed, with nothing changed.
    """
    thought = [
        (notes, offline.settle(given, ask(CLUSTER, given, guild=guild.pk)).clusters)
        for _, group in groupby(conversations(guild, day), key=lambda note: note.audience_id)
        if len(notes := list(group)) >= FEWEST
        for given in [_given(notes, embeddings)]
    ]
    with transaction.atomic():
        old = InteractionNote.objects.of(guild).filter(note_date=day, kind=Kind.TOPIC_CLUSTER)
        gone = list(old.values_list("pk", flat=True))
        old.delete()
        made = [_store(guild, day, notes, cluster) for notes, clusters in thought for cluster in clusters]
    return made, gone


def _given(notes: list[InteractionNote], embeddings: Mapping[int, list[float]] | None) -> ClusterInput:
    known = {note.pk: embeddings[note.pk] for note in notes if note.pk in embeddings} if embeddings else None
    return ClusterInput(
        notes=[
            ClusterNote(
                id=note.pk,
                title=note.title,
                summary=note.summary,
                participants=[str(member) for member in note.participants.all()],
            )
            for note in notes
        ],
        embeddings=known if known and len(known) == len(notes) else None,
    )


def _store(guild: Guild, day: date, notes: list[InteractionNote], cluster: Cluster) -> InteractionNote:
    told = [note for note in notes if note.pk in cluster.notes]
    topic = InteractionNote.objects.create(
        guild=guild,
        audience_id=told[0].audience_id,
        kind=Kind.TOPIC_CLUSTER,
        title=cluster.title,
        summary=cluster.summary,
        note_date=day,
        started_at=min(note.started_at for note in told),
        ended_at=max(note.ended_at for note in told),
    )
    topic.notes.set(told)
    topic.participants.set({member for note in told for member in note.participants.all()})
    return topic
