"""Makes a model's clusters fit the notes that it was given: 3 to 8, no invented ids, every note in one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from notes.writing import note_safety
from notes.writing.clusters import word_distances
from notes.writing.rules import as_cluster, cluster_notes
from notes.writing.schemas import CLUSTERS, Cluster, ClusterInput, ClusterNote, Clusters


def settle(given: ClusterInput, answer: Clusters, *, kept_kinds: Collection[str] = ()) -> Clusters:
    """Return a model's clusters as they may be stored: without invented ids, 3 to 8, with every note in one.

    A note that was left out stands alone while clusters are too few, else it goes where its words fit best; a cluster
    whose text must not be stored is told by the rules. An answer of invented ids alone is replaced.
    """
    known = {note.id: note for note in given.notes}
    kept = [_usable(cluster, known, kept_kinds) for cluster in answer.clusters if _known_ids(cluster.notes, known)]
    if not kept:
        return cluster_notes(given)
    while len(kept) < min(CLUSTERS[0], len(given.notes)):
        kept.append(as_cluster([known[_loosest(given.notes, kept)]]))
    texts = [f"{cluster.title}. {cluster.summary}" for cluster in kept]
    for note in _left_out(given.notes, kept):
        near = word_distances([f"{note.title}. {note.summary}", *texts])[0, 1:].argmin()
        kept[int(near)].notes.append(note.id)
    return Clusters(clusters=kept)


def _usable(cluster: Cluster, known: Mapping[int, ClusterNote], kept: Collection[str]) -> Cluster:
    """Return the cluster with the notes that there are, in the rules' words if its own must not be stored."""
    notes = [known[id_] for id_ in _known_ids(cluster.notes, known)]
    source = "\n".join(f"{note.title} {note.summary}" for note in notes)
    refused = any(note_safety.refuse(text, source, kept=kept) for text in (cluster.title, cluster.summary))
    return as_cluster(notes) if refused else cluster.model_copy(update={"notes": [note.id for note in notes]})


def _loosest(notes: Sequence[ClusterNote], clusters: Sequence[Cluster]) -> int:
    """Return the id of the note that had best stand alone: one left out, else the last of the largest cluster."""
    left = _left_out(notes, clusters)
    return left[0].id if left else max(clusters, key=lambda cluster: len(cluster.notes)).notes.pop()


def _known_ids(ids: Sequence[int], known: Mapping[int, ClusterNote]) -> list[int]:
    return [id_ for id_ in dict.fromkeys(ids) if id_ in known]


def _left_out(notes: Sequence[ClusterNote], clusters: Sequence[Cluster]) -> list[ClusterNote]:
    placed = {id_ for cluster in clusters for id_ in cluster.notes}
    return [note for note in notes if note.id not in placed]
