"""Embeddings of guilds with few, kept in this process until somebody changes them: exact search without reading."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from memoryhub.search.scope import Match, Scope
from memoryhub.search.vectors import store
from memoryhub.search.vectors.store import Numbers
from memoryhub.search.vectors.vector_types import Vector, best, unit

# Embeddings of one guild that are kept, and of all guilds together: 50 MB of e5's. A search of 8,192 takes 1 ms.
MOST, ROOM = 8_192, 32_768

# Numbers that are looked for one after the other.
FEW = 8

Key = tuple[str, str, int]


@dataclass(frozen=True, eq=False)
class Kept:
    """What a guild holds, in the order of the ids."""

    ids: Numbers
    subjects: Numbers
    audiences: Numbers
    embeddings: Vector

    def search(self, *, embedding: Vector, scope: Scope, limit: int, also: Collection[int] = ()) -> list[Match]:
        """Return the `limit` nearest of the scope, best first, and those `also` asked for."""
        allowed = _among(self.audiences, scope.audiences)
        if scope.subjects is not None:
            allowed &= _among(self.subjects, scope.subjects)
        places, query = np.flatnonzero(allowed), unit(embedding)
        if not len(places):
            return []
        # Rows are copied to be picked out: where most are allowed, it is quicker to multiply all.
        few = 4 * len(places) < len(self.ids)
        scores = self.embeddings[places] @ query if few else (self.embeddings @ query)[places]
        return best(self.ids[places], scores, limit, also)


def _among(numbers: Numbers, wanted: Sequence[int]) -> NDArray[np.bool_]:
    """Say of each number whether it is wanted: of few, as they are, in a fifth of numpy's own time."""
    if len(wanted) > FEW:
        return np.isin(numbers, np.array(wanted, dtype=np.int64))
    found = np.zeros(len(numbers), dtype=np.bool_)
    for each in wanted:
        found |= numbers == each
    return found


@dataclass(frozen=True, slots=True)
class Entry:
    """The version at which a guild was last asked for, and what was read of it when it was asked for once more."""

    version: int
    again: bool = False
    kept: Kept | None = None


_entries: OrderedDict[Key, Entry] = OrderedDict()
_lock = Lock()


def find(*, kind: str, model: str, guild: int) -> Kept | None:
    """Return what the guild holds now, if it is kept: from the second question on, while nothing changes."""
    key, version = (kind, model, guild), store.version(kind=kind, model=model, guild=guild)
    if version is None:
        return None
    with _lock:
        before = _entries.get(key)
    if before is not None and before.version == version and before.again:
        return before.kept
    # One who asks right after each change would read the whole guild for each answer.
    again = before is not None and before.version == version
    kept = None
    if again and not store.has_at_least(MOST + 1, kind=kind, model=model, guild=guild):
        kept = Kept(*store.whole(kind=kind, model=model, guild=guild))
    with _lock:
        _entries[key] = Entry(version, again, kept)
        _entries.move_to_end(key)
        # What was asked for longest ago gives way.
        while sum(len(entry.kept.ids) if entry.kept else 1 for entry in _entries.values()) > ROOM:
            _entries.popitem(last=False)
    return kept
