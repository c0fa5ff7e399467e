"""How much of a question a message tells together with the one before it, rare words more; knows no database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log

from memory.recall.word_overlap import found_in

# What a word weighs that all candidates have: little, but a text of nothing else is nearer than none.
LEAST = 0.1


def shares(question: frozenset[str], texts: Sequence[str]) -> list[float]:
    """Return for each text the share of the question's words that it has, 0 to 1, weighed by how few texts have them.

    A word that no text has counts too: what is asked for is then hardly said in these words.
    """
    found = [found_in(question, text) for text in texts]
    having = Counter(word for words in found for word in words)
    weights = {word: LEAST + log((len(texts) + 1) / (having[word] + 0.5)) for word in question}
    whole = sum(weights.values())
    return [sum(map(weights.__getitem__, words)) / whole if whole else 0.0 for words in found]
