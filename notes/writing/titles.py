"""Name a conversation after its people and the matters that come back in it."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from memoryhub.language import content
from memoryhub.language.clip import clip, listing
from notes.writing.key_phrases import Phrase, phrases
from notes.writing.key_sentences import terms
from notes.writing.schemas import TITLE_CHARS

MATTERS = 3
# A word of the note itself counts more than one that the note leaves out.
KEPT_WEIGHT = 1.5
ENOUGH = 1.8
LEAST = 0.8
FILLED = 2
CROWD = 6  # people; the names of two of more tell no talk from another


def title(
    texts: Sequence[str], people: Iterable[str], *, kept: Sequence[str] = (), channel: str = "", crowd: int = CROWD
) -> str:
    """Return at most 80 characters: the people and up to three matters; the channel where nothing comes back.

    More people than a `crowd` are not named where there is a matter.
    """
    names = list(people)
    matters = topics(texts, names, limit=MATTERS, kept=kept)
    if matters and len(names) > crowd:
        text = ", ".join(matters)
        return clip(text[:1].upper() + text[1:], TITLE_CHARS)
    who = listing(names, limit=3)
    for many in range(len(matters), 0, -1):
        whole = ": ".join(filter(None, [who, ", ".join(matters[:many])]))
        if len(whole) <= TITLE_CHARS:
            return whole
    what = f"a short talk in {channel}" if channel else "a short talk"
    return clip(": ".join(filter(None, [who, *(matters[:1] or [what])])), TITLE_CHARS)


def topics(texts: Sequence[str], people: Iterable[str], *, limit: int, kept: Sequence[str] = ()) -> list[str]:
    """Return the names, word pairs and nouns that come back in the texts, the most telling first."""
    taboo = {word for name in people for word in content(name)}
    kept_keys = {phrase.key for text in kept for phrase in phrases(text, taboo)}
    scores: defaultdict[str, float] = defaultdict(float)
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for text in texts:
        for phrase in {phrase.key: phrase for phrase in phrases(text, taboo)}.values():
            scores[phrase.key] += phrase.weight * (KEPT_WEIGHT if phrase.key in kept_keys else 1)
            forms[phrase.key][phrase.text] += 1
    mentions = Counter(word for text in texts for word in set(terms(text)))
    for key in scores:
        scores[key] *= math.sqrt(min(mentions[word] for word in key.split()) or 1)
    # A pair of words that was said once is chance; a name may stand alone.
    ranked = [
        key
        for key in sorted(scores, key=lambda key: (-scores[key], key))
        if " " not in key or forms[key].total() > 1 or any(form.istitle() for form in forms[key])
    ]
    enough = [key for at, key in enumerate(ranked) if scores[key] >= (ENOUGH if at >= FILLED else LEAST)]
    return _distinct([max(forms[key], key=lambda form: (forms[key][form], form)) for key in enough], limit)


def _distinct(ranked: Sequence[str], limit: int) -> list[str]:
    """Return the first phrases that share no word; a longer phrase of the list stands in for a word of it."""
    kept: list[str] = []
    taken: set[str] = set()
    for phrase in ranked:
        parts = set(Phrase(phrase, 0).key.split())
        if len(kept) == limit or parts & taken:
            continue
        fuller = next((other for other in ranked if parts < set(Phrase(other, 0).key.split())), phrase)
        kept.append(fuller)
        taken |= set(Phrase(fuller, 0).key.split())
    return kept
