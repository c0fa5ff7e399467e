"""What a process keeps of a guild's embeddings: arrays that follow each change, searched without reading the rest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from memoryhub.search.scope import Match, Scope
from memoryhub.search.vectors import quantized, store
from memoryhub.search.vectors.quantized import Codes
from memoryhub.search.vectors.store import Numbers, Places
from memoryhub.search.vectors.vector_types import Vector, best, unit

Words = NDArray[np.uint64]
Mask = NDArray[np.bool_]
Rows = tuple[Places, Vector]

# A row that went keeps its place, where nobody can hear it.
NOWHERE = -1

# Numbers that are looked for one after the other.
FEW = 8

# Codes that are compared at once.
PIECE = 32_768

# Codes that are compared whole for each one that is compared exactly: the nearest by their middle mark.
COARSE = 10


class Kept(ABC):
    """A guild's rows at `count` places of arrays with room for more; the order is that of their coming."""

    def __init__(self, room: int, most: int) -> None:
        self.most = most
        self.ids = np.empty(room, np.int64)
        self.subjects = np.empty(room, np.int64)
        self.audiences = np.full(room, NOWHERE, np.int64)
        self.count = self.gone = 0

    def replace(self, ids: Collection[int], rows: Iterable[Rows]) -> None:
        """Forget these ids, and take the rows that there are of them now."""
        held = among(self.ids[: self.count], ids) & (self.audiences[: self.count] != NOWHERE)
        self.audiences[: self.count][held] = NOWHERE
        self.gone += int(held.sum())
        self.add(rows)

    def add(self, rows: Iterable[Rows]) -> None:
        """Take rows: what they are, and their embeddings of length 1."""
        for (ids, subjects, audiences), embeddings in rows:
            end = self.count + len(ids)
            if end > len(self.ids):
                self._widen(max(end, 2 * self.count) - len(self.ids))
            self.ids[self.count : end], self.subjects[self.count : end] = ids, subjects
            self._fill(self.count, end, embeddings)
            self.audiences[self.count : end] = audiences
            self.count = end

    @property
    def worn(self) -> bool:
        """Whether so many rows came or went that reading all anew is better."""
        return 4 * self.gone > self.count or self.count - self.gone > self.most

    def suits(self, _scope: Scope) -> bool:
        """Whether a search of this scope is quicker here than in the store."""
        return True

    @abstractmethod
    def size(self) -> int:
        """Return the bytes that are kept."""

    def _widen(self, more: int) -> None:
        self.ids = np.concatenate([self.ids, np.empty(more, np.int64)])
        self.subjects = np.concatenate([self.subjects, np.empty(more, np.int64)])
        self.audiences = np.concatenate([self.audiences, np.full(more, NOWHERE, np.int64)])

    @abstractmethod
    def _fill(self, start: int, end: int, embeddings: Vector) -> None: ...

    def _allowed(self, scope: Scope) -> Mask:
        end = self.count  # once, since another thread may be adding
        allowed = among(self.audiences[:end], scope.audiences)
        if scope.subjects is not None:
            allowed &= among(self.subjects[:end], scope.subjects)
        return allowed


class KeptEmbeddings(Kept):
    """The embeddings themselves, of a guild with few: each is compared."""

    def __init__(self, rows: Iterable[Rows], size: int, most: int) -> None:
        super().__init__(size, most)
        self.embeddings = np.zeros((size, 0), np.float32)
        self.add(rows)

    def search(self, *, embedding: Vector, scope: Scope, limit: int, also: Collection[int] = ()) -> list[Match]:
        """Return the `limit` nearest of the scope, best first, and those `also` asked for."""
        places, query = np.flatnonzero(self._allowed(scope)), unit(embedding)
        if not len(places):
            return []
        # Rows are copied to be picked out: where most are allowed, it is quicker to multiply all.
        few = 4 * len(places) < self.count
        scores = self.embeddings[places] @ query if few else (self.embeddings @ query)[places]
        return best(self.ids[places], scores, limit, also)

    def size(self) -> int:
        """Return the bytes that are kept."""
        return self.embeddings.nbytes + 3 * self.ids.nbytes

    def _widen(self, more: int) -> None:
        super()._widen(more)
        self.embeddings = np.concatenate([self.embeddings, np.zeros((more, self.embeddings.shape[1]), np.float32)])

    def _fill(self, start: int, end: int, embeddings: Vector) -> None:
        if not self.embeddings.shape[1]:
            self.embeddings = np.zeros((len(self.embeddings), embeddings.shape[1]), np.float32)
        self.embeddings[start:end] = embeddings


class KeptCodes(Kept):
    """The codes of a guild with many, a row of 64 bits of all of them after the other, the middle mark's first.

    The nearest by the middle mark are compared by all marks, and the nearest of those by their embeddings as stored.
    """

    def __init__(self, coded: Codes, rows: Iterable[Rows], size: int) -> None:
        super().__init__(size, 2 * size)  # a guild that has doubled has other marks
        self.coded = coded
        self._marks = coded.marks[[1, 0, 2]]
        self._words = -(-self._marks.shape[1] // 64)
        self._codes = np.empty((3 * self._words, size), np.uint64)
        self.add(rows)

    def suits(self, scope: Scope) -> bool:
        """Not for one member, whose embeddings are read faster than a guild's places are looked through."""
        return scope.subjects is None

    def near(self, *, embedding: Vector, scope: Scope, limit: int, also: Collection[int] = ()) -> store.Part:
        """Return what is to be compared exactly: the embeddings with the nearest codes, and those `also` asked for."""
        sought, count = self._coded(unit(embedding)[None, :])[:, 0], quantized.compared(limit)
        near = self._coarsely(self._allowed(scope), sought[: self._words], count * COARSE)
        ids = {*self.ids[self._nearest(near, sought, count)].tolist(), *also}
        return store.among(ids, kind=self.coded.kind, model=self.coded.model, scope=scope)

    def size(self) -> int:
        """Return the bytes that are kept."""
        return self._codes.nbytes + 3 * self.ids.nbytes

    def _widen(self, more: int) -> None:
        super()._widen(more)
        self._codes = np.concatenate([self._codes, np.empty((len(self._codes), more), np.uint64)], axis=1)

    def _fill(self, start: int, end: int, embeddings: Vector) -> None:
        self._codes[:, start:end] = self._coded(embeddings)

    def _coded(self, embeddings: Vector) -> Words:
        """Return the codes of some embeddings, a column each."""
        bits = np.packbits(embeddings[None, :, :] > self._marks[:, None, :], axis=2)
        whole = np.zeros((3, len(embeddings), 8 * self._words), np.uint8)
        whole[:, :, : bits.shape[2]] = bits
        return np.ascontiguousarray(whole.view(np.uint64).transpose(0, 2, 1).reshape(3 * self._words, -1))

    def _coarsely(self, allowed: Mask, sought: Words, count: int) -> Numbers:
        """Return about `count` of the places allowed: whose first words differ in the fewest bits, and who ties."""
        if 2 * np.count_nonzero(allowed) <= len(allowed):
            return self._nearest(np.flatnonzero(allowed), sought, count)
        # Most are allowed: it is quicker to compare all than to pick them out.
        distances, farthest = _distances(self._codes[: len(sought), : len(allowed)], sought), 64 * len(sought)
        distances[~allowed] = farthest + 1
        return np.flatnonzero(distances <= min(farthest, _within(distances, count)))

    def _nearest(self, places: Numbers, sought: Words, count: int) -> Numbers:
        """Return about `count` of these places in the same way."""
        if len(places) <= count:
            return places
        distances = _distances(self._codes[: len(sought)][:, places], sought)
        near: Numbers = places[distances <= _within(distances, count)]
        return near


def _distances(codes: Words, sought: Words) -> NDArray[np.uint16]:
    """Return in how many bits each column differs, worked out in pieces that stay in the processor's cache."""
    distances = np.zeros(codes.shape[1], np.uint16)
    differing, bits = np.empty(PIECE, np.uint64), np.empty(PIECE, np.uint8)
    for start in range(0, len(distances), PIECE):
        some = distances[start : start + PIECE]
        for row, word in zip(codes[:, start : start + PIECE], sought, strict=True):
            np.bitwise_xor(row, word, out=differing[: len(some)])
            some += np.bitwise_count(differing[: len(some)], out=bits[: len(some)])
    return distances


def _within(distances: NDArray[np.uint16], count: int) -> int:
    """Return how far the `count` nearest lie."""
    place = min(count, len(distances)) - 1
    return int(np.partition(distances, place)[place])


def among(numbers: Numbers, wanted: Collection[int]) -> Mask:
    """Say of each number whether it is wanted: of few, as they are, in a fifth of numpy's own time."""
    if len(wanted) > FEW:
        return np.isin(numbers, np.array(list(wanted), dtype=np.int64))
    found = np.zeros(len(numbers), dtype=np.bool_)
    for each in wanted:
        found |= numbers == each
    return found
