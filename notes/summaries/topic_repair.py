"""Makes a model's clusters fit the notes that it was given: 3 to 8, no invented ids, every note in one."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from notes.writing import note_safety
from notes.writing.clusters import word_distances
from notes.writing.rules import as_cluster, cluster_notes
from notes.writing.schemas import CLUSTERS, Cluster, ClusterInput, ClusterNote, Clusters


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
