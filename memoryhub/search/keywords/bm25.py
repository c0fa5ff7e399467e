"""BM25 as FTS5 has it: what a word tells, and what a text's words are worth; both halves of the word index use it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

from memoryhub.search.keywords import terms
from memoryhub.search.scope import Match

# BM25's parameters as FTS5 has them: how soon a word that is repeated counts no more, and how much length counts.
K1, B = 1.2, 0.75
LEAST = 1e-6  # the weight of a word that most texts have
MANY = 50  # texts that have such a word, from which on it is not looked for

# A word in the text counts as five, one in the message before as two: 1 and 0.4 in whole numbers.
IN_TEXT, IN_BEFORE = 5, 2

# The words of the scope, which the length of a text counts too in FTS5.
SCOPE_WORDS = 3

# Rows of words that one search reads. Words that are more common count only for what the rarer ones find.
MOST_READ = 10_000
BEST_FOUND = 4  # times what is wanted, of which those common words are looked up

# How much more a word may weigh in a short text than in one of the mean length.
IN_SHORT = (K1 + 1) / (1 + K1 * (1 - B))
FEW_ROWS = 1_000  # which are ranked as soon as they are narrowed down

# Members with fewer texts have all of them read; of others, the guild's texts with the words are read.
FEW_TEXTS = 2000

Text = tuple[int, Mapping[int, int]]
"""How many words a text has, and how often it has each of the terms that are asked for, in the unit of the counts."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What a question has to know of all texts: how many, their mean length, and by term in how many it is."""

    texts: float
    length: float
    having: Mapping[int, float]

    def weight(self, term: int) -> float:
        """Return how much a term tells."""
        having = self.having.get(term, 0.0)
        ratio = (self.texts - having + 0.5) / (having + 0.5)
        return max(log(ratio), LEAST) if ratio > 0 else LEAST

    @property
    def for_length(self) -> float:
        """Return what a word of a text's length takes from its score, in the unit of the counts."""
        return IN_TEXT * K1 * B / self.length

    def telling(self, asked: Sequence[int]) -> list[int]:
        """Return the terms without those that half of many texts have, which weigh nothing, if others are left."""
        some = [each for each in asked if self.having.get(each, 0) < MANY or self.weight(each) > LEAST]
        return some or list(asked)

    def finding(self, asked: Sequence[int], limit: int, *, share: float = 1.0) -> tuple[list[int], float]:
        """Return the rarest of the terms, which find the `limit` best texts, and what the others together may weigh.

        A text with none but the others comes after so many with one of the rarest. `share` is that of the texts that
        may be told.
        """
        rarest, found, last = sorted(asked, key=lambda term: self.having.get(term, 0.0)), 0.0, 0.0
        for term in rarest:
            found, last = found + self.having.get(term, 0.0) * share, self.weight(term)
            if found >= limit:
                break
        others = 0.0
        while len(rarest) > 1 and others + IN_SHORT * self.weight(rarest[-1]) <= last:
            others += IN_SHORT * self.weight(rarest.pop())
        return rarest, others

    def best(self, asked: Sequence[int], texts: Mapping[int, Text], limit: int) -> list[Match]:
        """Return the `limit` texts that have most of the terms, best first."""
        shortest, longer = IN_TEXT * K1 * (1 - B), self.for_length
        weights = [(term, self.weight(term) * (K1 + 1)) for term in asked]
        found = []
        for each, (length, having) in texts.items():
            if having:
                more = shortest + longer * length
                parts = (weight * having[term] / (having[term] + more) for term, weight in weights if term in having)
                found.append(Match(each, sum(parts)))
        # Added up in another order, the same numbers differ in their last bits, which must not settle who is first.
        return sorted(
            (match for match in found if match.score), key=lambda match: (-round(match.score, 9), match.id)
        )[:limit]  # fmt: skip


def rarest(asked: Iterable[int], having: Mapping[int, float]) -> list[int]:
    """Return the terms of a long question that fewest have, without those that none has."""
    return sorted(filter(having.get, asked), key=having.__getitem__)[: terms.MOST_WORDS]


def counted_in(texts: Collection[Text]) -> Counter[int]:
    """Return in how many of the texts each term is."""
    return Counter(term for _, having in texts for term in having)
