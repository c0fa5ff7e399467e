"""First person to third: I and we become the member, who goes without a name; my becomes their."""

from __future__ import annotations

import re

from memory.rules import verbs

_WORDS = {
    "i": "they",
    "i'm": "they're",
    "im": "they're",
    "i've": "they've",
    "ive": "they've",
    "i'd": "they'd",
    "i'll": "they'll",
    "we": "they",
    "we're": "they're",
    "we've": "they've",
    "we'd": "they'd",
    "we'll": "they'll",
    "i was": "they were",
    "i am": "they are",
    "my": "their",
    "our": "their",
    "mine": "theirs",
    "ours": "theirs",
    "me": "them",
    "us": "them",
    "myself": "themselves",
    "ourselves": "themselves",
}
FIRST_WORDS = frozenset(_WORDS)
_FIRST = re.compile(
    r"\b(?:i (?:was|am)|(?:i|we)['’](?:m|ve|d|ll|re)|im|ive|i|we|my|our|mine|ours|me|myself|ourselves"
    r"|(?-i:us))\b(?!\.\w)",
    re.IGNORECASE,
)
_GONNA = re.compile(r"\bgonna\b", re.IGNORECASE)
_AND_I = re.compile(
    rf"(?P<join>(?:,|\band|\bbut)\s+)(?:I|i|we)\s+(?P<adverbs>(?:{verbs.ADVERB}\s+)*)(?P<verb>[a-z]+(?:['’]t)?)\b"
)
_AND_IM = re.compile(r"(?P<join>(?:,|\band|\bbut)\s+)(?:I|i|we)['’]?(?P<verb>m|ve|re)\b")


def has_first_person(text: str) -> bool:
    """Say if the text speaks of its author."""
    return bool(_FIRST.search(text))


def rewrite(text: str) -> str:
    """Return `text` with every first person turned to the third."""
    text = _AND_IM.sub(lambda match: match["join"] + verbs.third(f"'{match['verb']}"), text)
    text = _AND_I.sub(_joined, text)
    text = _GONNA.sub("going to", text)
    return _FIRST.sub(lambda match: _WORDS[match.group().lower().replace("’", "'")], text)


def _joined(match: re.Match[str]) -> str:
    verb = match["verb"]
    return match["join"] + match["adverbs"] + (verb if verbs.is_past(verb) else verbs.third(verb))
