"""From a text to the pieces of words that the model knows: SentencePiece's most probable division of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memoryhub.ai.embedding.e5.weights import Weights

BEGIN, END, UNKNOWN = 0, 2, 3
BLANK = "\u2581"  # stands for the blank before a word; no piece has one anywhere else
LONGEST = 16  # letters of a piece
BASE = 0x9E3779B97F4A7C15  # any odd number: it has an inverse modulo 2**64
INVERSE = pow(BASE, -1, 1 << 64)
UNLIKELY = 10.0  # how much less probable an unknown letter is than the least probable piece


@dataclass(frozen=True)
class Pieces:
    """All pieces by a number of 64 bits made of their letters, in rising order, so that a text's are found at once.

    The vocabulary of 250,000 as a dict would take 40 MB of each process; so it is two arrays that are mapped.
    """

    numbers: NDArray[np.uint64]
    ids: NDArray[np.int32]

    @classmethod
    def of(cls, weights: Weights) -> Pieces:
        """Number the pieces of a model."""
        text = weights.piece_text
        letters_before = np.concatenate([[0], np.cumsum((text & 0xC0) != 0x80)])  # the other bytes go on with a letter
        ends = letters_before[weights.piece_ends]
        numbers = _numbers(_letters(text.tobytes().decode()), ends[:-1], ends[1:])
        order = np.argsort(numbers)
        return cls(numbers[order], order.astype(np.int32))

    def find(self, numbers: NDArray[np.uint64]) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
        """Return which of them are numbers of pieces, and the ids of these."""
        at = np.minimum(np.searchsorted(self.numbers, numbers), len(self.numbers) - 1)
        found = self.numbers[at] == numbers
        return found, self.ids[at[found]]


class Tokenizer:
    """Divides texts as XLM-R does. Keeps nothing of them."""

    def __init__(self, weights: Weights, pieces: Pieces) -> None:
        self._pieces, self._normal, self._scores = pieces, weights.normal, weights.piece_scores
        self._unknown = float(self._scores.min()) - UNLIKELY

    def ids(self, text: str) -> list[int]:
        """Return the ids of the text's pieces, without those of begin and end."""
        plain = re.sub("  +", " ", text.translate(self._normal))
        letters = _letters(BLANK + plain.removeprefix(" ").replace(" ", BLANK))
        begins, ends = _spans(letters)
        found, ids = self._pieces.find(_numbers(letters, begins, ends))
        begins, ends = begins[found], ends[found]
        first = np.searchsorted(begins, np.arange(len(letters) + 1)).tolist()
        ways = list(zip(ends.tolist(), self._scores[ids].tolist(), ids.tolist(), strict=True))
        return self._most_probable([ways[a:b] for a, b in pairwise(first)])

    def _most_probable(self, ways: list[list[tuple[int, float, int]]]) -> list[int]:
        """Return the ids of the way from begin to end with the highest sum; `ways` are those on from each letter."""
        best: list[tuple[float, int, int]] = [(0.0, 0, 0)] + [(-np.inf, 0, 0)] * len(ways)
        for at, on in enumerate(ways):
            so_far = best[at][0]
            for end, score, piece in (*on, (at + 1, self._unknown, UNKNOWN)):
                if so_far + score > best[end][0]:
                    best[end] = so_far + score, at, piece
        ids, at = [], len(ways)
        while at:
            _, at, piece = best[at]
            ids.append(piece)
        return ids[::-1]


def _letters(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le"), np.uint32)


def _spans(letters: NDArray[np.uint32]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return begin and end of all that could be a piece, by begin: up to sixteen letters within a word."""
    count = len(letters)
    words = np.flatnonzero(letters == ord(BLANK))
    word_ends = np.append(words, count)[np.searchsorted(words, np.arange(count), side="right")]
    lengths = np.minimum(word_ends - np.arange(count), LONGEST)
    begins = np.repeat(np.arange(count), lengths)
    within = np.arange(len(begins)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return begins, begins + within + 1


def _numbers(letters: NDArray[np.uint32], begins: NDArray[np.intp], ends: NDArray[np.intp]) -> NDArray[np.uint64]:
    """Return the number of each span: the sum of its letters times powers of BASE, modulo 2**64, from its begin on."""
    powers = np.cumprod(np.full(len(letters), BASE, np.uint64))
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(letters * powers)])
    back = np.cumprod(np.full(len(letters) + 1, INVERSE, np.uint64))
    numbers: NDArray[np.uint64] = (sums[ends] - sums[begins]) * back[begins]
    return numbers
