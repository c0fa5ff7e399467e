"""Chooses which sentences of a conversation its note tells, within a number of words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from memoryhub.language import tokens
from notes.writing.key_sentences import SAME, Sentence, cosine, opened, vectors, worths

LEAST_SAID, LEAST_WORDS = 2, 3  # terms and words: a talk of short lines has a note, too
FULLER = 5  # words where few sentences are told: a shorter one tells too little by itself
CONSIDERED = 60  # sentences of the greatest worth; a note tells fewer than ten
DANGLING = 0.2  # of the worth of what speaks of something said before
_DANGLES = re.compile(
    r"(?:It|That|This|They|These|Those|He|She|There)\b(?! (?:year|week|month|weekend|morning|summer))"
)


def chosen(
    found: Sequence[Sentence], *, words: int, tell: Callable[[Sentence], str], newest_first: bool = False
) -> list[tuple[Sentence, str]]:
    """Return sentences that carry the talk, each as `tell` tells it, at most `words` words in all, in order.

    No two say the same; what counts is how much of the talk a sentence carries for each word that it takes. Of few
    words, `newest_first`, it is how much it carries at all, which grows from a half to the whole along the talk.
    """
    least = FULLER if newest_first else LEAST_WORDS
    found = [sentence for sentence in found if len(tokens(opened(sentence.text))) >= least]
    weights = vectors([sentence.terms for sentence in found])
    scores = worths(found, weights, least=LEAST_SAID, newest_first=newest_first)
    first = sorted((at for at, score in enumerate(scores) if score), key=lambda at: -scores[at])[:CONSIDERED]
    told = {at: tell(found[at]) for at in first}
    worth = {at: scores[at] * (DANGLING if _DANGLES.match(opened(found[at].text)) else 1) for at in first}
    kept = list[int]()
    for at in sorted(first, key=lambda at: -worth[at] / (1 if newest_first else len(told[at].split()))):
        length = len(told[at].split())
        if length <= words and all(cosine(weights[at], weights[other]) < SAME for other in kept):
            kept.append(at)
            words -= length
    return [(found[at], told[at]) for at in sorted(kept)]
