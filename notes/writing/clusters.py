"""Sorts a day's notes into topics by how alike they are, by average linkage, and settles what a model made of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from memoryhub.language import sentences
from memoryhub.language.clip import clip, listing
from notes.writing.key_sentences import shown_name, terms, vectors
from notes.writing.note_safety import refuse
from notes.writing.schemas import (
    CLUSTERS,
    NOTE_CHARS,
    TITLE_CHARS,
    UNTITLED,
    Cluster,
    ClusterInput,
    ClusterNote,
    Clusters,
)
from notes.writing.titles import title

Matrix = NDArray[np.float64]

# Cosine distances, measured on notes of mixed talks with the embedded embedder: nine in ten neighbours are right.
VECTOR_CUT = 0.97
WORD_CUT = 0.92
MIN_TOLD = 60  # characters of each note that its topic tells


def cluster_notes(given: ClusterInput) -> Clusters:
    """Return 3 to 8 clusters of alike notes, by vectors where every note has one, else by words; none under 3 notes."""
    if len(given.notes) < CLUSTERS[0]:
        return Clusters(clusters=[])
    vectors = given.embeddings or {}
    if all(note.id in vectors for note in given.notes):
        distances, cut = vector_distances([vectors[note.id] for note in given.notes]), VECTOR_CUT
    else:
        distances, cut = word_distances([f"{note.title}. {note.summary}" for note in given.notes]), WORD_CUT
    found = groups(distances, cut=cut, least=CLUSTERS[0], most=CLUSTERS[1])
    return Clusters(clusters=[as_cluster([given.notes[row] for row in rows]) for rows in found])


def as_cluster(notes: Sequence[ClusterNote]) -> Cluster:
    """Return these notes as one cluster: who was there, and what each note is about."""
    people = list(dict.fromkeys(shown_name(name) for note in notes for name in note.participants))
    opening = f"With {listing(people) or 'nobody'}."
    room = (NOTE_CHARS - len(opening)) // len(notes) - len("\n- ")
    items, bodies = [opening], list[str]()
    for note in notes:
        lines = note.summary.splitlines()
        bodies += [line.partition(": ")[2] or line for line in lines[1:] or lines]  # without header and names
        told_by_title = note.title.partition(": ")[2] or note.title
        said = sentences("\n".join(lines[1:]))
        text = "" if any(told_by_title in sentence for sentence in said) else told_by_title
        for sentence in said:
            if len(text) + len(sentence) + 2 > room:
                break
            text = sentence if not text else f"{text} {sentence}" if text[-1] in ".!?" else f"{text}. {sentence}"
        items.append(f"- {clip(text, max(MIN_TOLD, room))}")
    return Cluster(
        title=_topic(notes, bodies, people),
        summary=clip("\n".join(items), NOTE_CHARS),
        notes=[note.id for note in notes],
    )


def _topic(notes: Sequence[ClusterNote], bodies: Sequence[str], people: Sequence[str]) -> str:
    """Return a topic's title: that of the note which is nearest to the others, and of how many more it tells."""
    if len(notes) == 1:
        return notes[0].title
    more = f" (and {len(notes) - 1} more)"
    titled = [note.title for note in notes]
    if UNTITLED in titled:
        return title(bodies, people)
    middle = titled[int(word_distances([f"{note.title}. {note.summary}" for note in notes]).sum(axis=1).argmin())]
    return f"{clip(middle, TITLE_CHARS - len(more))}{more}"


def settle(given: ClusterInput, answer: Clusters, *, kept_kinds: Collection[str] = ()) -> Clusters:
    """Return a model's clusters as they may be stored: without invented ids, with every note in one.

    What was left out goes where its words fit best. A cluster whose text must not be stored is told by the rules. An
    answer of invented ids alone is replaced.
    """
    known = {note.id: note for note in given.notes}
    kept = []
    for cluster in answer.clusters:
        if notes := [known[id_] for id_ in dict.fromkeys(cluster.notes) if id_ in known]:
            source = "\n".join(f"{note.title} {note.summary}" for note in notes)
            refused = any(refuse(text, source, kept=kept_kinds) for text in (cluster.title, cluster.summary))
            ids = [note.id for note in notes]
            kept.append(as_cluster(notes) if refused else cluster.model_copy(update={"notes": ids}))
    if not kept:
        return cluster_notes(given)
    texts = [f"{cluster.title}. {cluster.summary}" for cluster in kept]
    placed = {id_ for cluster in kept for id_ in cluster.notes}
    for note in (note for note in given.notes if note.id not in placed):
        near = word_distances([f"{note.title}. {note.summary}", *texts])[0, 1:].argmin()
        kept[int(near)].notes.append(note.id)
    return Clusters(clusters=kept)


def groups(distances: Matrix, *, cut: float, least: int, most: int) -> list[list[int]]:
    """Return the rows of a distance matrix in `least` to `most` groups, largest first, joined while nearer than `cut`.

    Average linkage: the distance of two groups is the mean over their pairs. Ties go to the earlier rows.
    """
    rest = distances.astype(np.float64).copy()
    np.fill_diagonal(rest, np.inf)
    found: dict[int, list[int]] = {row: [row] for row in range(len(rest))}
    while len(found) > least:
        one, other = sorted(divmod(int(np.argmin(rest)), len(rest)))
        if rest[one, other] > cut and len(found) <= most:
            break
        here, there = len(found[one]), len(found[other])
        rest[one] = rest[:, one] = (rest[one] * here + rest[other] * there) / (here + there)
        rest[other] = rest[:, other] = rest[one, one] = np.inf
        found[one] += found.pop(other)
    return sorted((sorted(rows) for rows in found.values()), key=lambda rows: (-len(rows), rows[0]))


def vector_distances(rows: Sequence[Sequence[float]]) -> Matrix:
    """Return cosine distances (0..2) between embeddings, after the mean of them all is taken away."""
    matrix = np.asarray(rows, dtype=np.float64)
    return _cosine_distances(matrix - matrix.mean(axis=0))


def word_distances(texts: Sequence[str]) -> Matrix:
    """Return cosine distances (0..1) between texts by the words that they share."""
    weights = vectors([terms(text) for text in texts])
    columns = {term: at for at, term in enumerate(sorted({term for vector in weights for term in vector}))}
    matrix = np.zeros((len(texts), max(1, len(columns))))
    for row, vector in enumerate(weights):
        for term, value in vector.items():
            matrix[row, columns[term]] = value
    return _cosine_distances(matrix)


def _cosine_distances(matrix: Matrix) -> Matrix:
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    unit = matrix / np.where(lengths == 0, 1, lengths)
    return 1 - unit @ unit.T
