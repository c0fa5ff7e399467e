"""Guesses from a sample how far a question's nearest codes lie: told it, sqlite-vec takes a third of the time."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

import numpy as np
from numpy.typing import NDArray

from memoryhub.search.scope import Scope
from memoryhub.search.vectors import store
from memoryhub.search.vectors.quantized import Codes
from memoryhub.search.vectors.store import Numbers
from memoryhub.search.vectors.vector_types import Vector

# Codes of a guild that a question is compared with, read once an hour in each process. An old sample, or none of the
# right audience, makes a poor guess and a slower search, never another answer.
SAMPLE = 1000
HOUR = 3600

# The guess is for so many times the codes that are wanted, so that it seldom falls short.
MORE = 4


@dataclass(frozen=True, eq=False)
class Sample:
    """Some codes of a guild (n x words of 64 bits) with their audiences, and how many there are in all."""

    total: int
    audiences: Numbers
    codes: NDArray[np.uint64]


def guess(coded: Codes, query: Vector, scope: Scope, count: int) -> int | None:
    """Return a distance that likely holds the `count` nearest of the scope; None where that is most of it."""
    sample = _sampled(coded, int(time.monotonic() // HOUR))
    heard = sample.codes[np.isin(sample.audiences, np.array(scope.audiences))]
    rank = ceil(MORE * count * len(sample.codes) / max(1, sample.total))
    if 2 * rank >= len(heard):
        return None
    distances = np.bitwise_count(heard ^ _as_words(coded.of(query))).sum(axis=1)
    return int(np.partition(distances, rank)[rank])


@lru_cache(maxsize=64)
def _sampled(coded: Codes, _hour: int) -> Sample:
    total, audiences, embeddings = store.sample(SAMPLE, kind=coded.kind, model=coded.model, guild=coded.guild)
    codes = [_as_words(coded.of(embedding)) for embedding in embeddings]
    return Sample(total, audiences, np.array(codes, dtype=np.uint64))


def _as_words(code: bytes) -> NDArray[np.uint64]:
    return np.frombuffer(code.ljust(-(-len(code) // 8) * 8, b"\0"), dtype=np.uint64)
