"""Takes sentences of chat apart into what each states by itself, without greeting and filling words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from notes.writing.key_sentences import Sentence, opening_cut, terms

LEAST_WORDS = 3  # of each part
# Nothing may be turned round: of "I don't think they came and it works" no half stands, and who is "not just tired"
# is no less tired.
_DENIES = re.compile(
    r"\b(?:no|not|never|none|nobody|nothing|neither|nor|without|hardly|barely|nowhere|cannot"
    r"|(?:do|does|did|ca|wo|is|are|was|were|has|have|had|could|should|would|must|need|ai)nt)\b|n['’]t\b",
    re.IGNORECASE,
)
# No "he", "she" or "they": apart from who is named before it, it would be of the one who speaks.
_SUBJECT = r"(?=(?:{}it|there|(?:I|we|it|that|there)['’]\w+|that was|this is)\b)"
# "And I" may go on with who was named before it: "my sister and I sail".
_JOINT = re.compile(
    rf"\s+[-–—]+\s+|;\s+|\s+and\s+{_SUBJECT.format('')}"
    rf"|(?:,\s+(?:(?:and|so|plus)\s+)?|\s+(?:so|because|cause)\s+){_SUBJECT.format('I|we|')}",
    re.IGNORECASE,
)
# What stands before a comma and says when, how or if the rest is so.
_LEANS_ON = re.compile(
    r"(?:if|when(?:ever)?|since|once|until|unless|while|although|(?:even )?though|even (?:if|when|with)|in case|as"
    r"|after|before|with|without|for|to|by|despite|because|at|on|in|from|during"
    r"|last|next|every|this (?:\w+day|week|month|year|morning|summer)|yesterday|today|tomorrow|tonight)\b(?!['’])",
    re.IGNORECASE,
)
# What a part that was split off ends with; "says so", "or so" and "about that" are no such end.
_HANGS = re.compile(
    r"[\s,]+(?:but|and|(?<!\bor )(?<!\bdo )(?<!\bsay )(?<!\bsays )(?<!\bsaid )(?<!\bthink )(?<!\bhope )(?<!\bmuch )so"
    r"|or|because|how|when|where|(?<=\bknow )that|(?<=\bthink )that|(?<=\bhope )that|(?<=\bsaid )that)[.!]*$",
    re.IGNORECASE,
)
_FILLING = re.compile(
    r"(?<=\w )(?:really|just|totally|super|actually|definitely|absolutely|truly|literally|honestly|very|kinda) (?=\w)"
    r"|(?:(?<=\b(?:is|as) )|(?<=\bare )|(?<=['’][sm] ))so (?=\w)",
    re.IGNORECASE,
)
# Behind a comma only where it is a game, too: "I play lol".
_LEFTOVERS = re.compile(r"(?:,?\s+(?:btw|tho|lmao|rofl|ha(?:ha)+h?|pls|plz|tbh|imo|imho|ngl)|,\s+lol)\b", re.IGNORECASE)
_ASIDE = re.compile(r"\((?P<all>[^()]+)\)\W*$")
_CALLED = re.compile(r",\s+(?P<who>\S*\w)(?P<end>\W*)$")
_MEASURES = re.compile(r"\bso (?:many|much|far|long|few|little)\b|\bthat\b", re.IGNORECASE)


def parts(found: Iterable[Sentence]) -> Iterator[Sentence]:
    """Yield each sentence, or, where it states several things, one after the other without short comments.

    Those that deny or ask stay whole.
    """
    for sentence in found:
        split = [] if sentence.asks or _DENIES.search(sentence.text) else list(_split(sentence.text))
        long = [_HANGS.sub("", part) for part in split if len(part.split()) >= LEAST_WORDS]
        cut_open = any(part.count("(") != part.count(")") for part in split)
        apart = long if len(split) > 1 and long and not cut_open else [sentence.text]
        yield from (replace(sentence, text=part, terms=tuple(terms(part))) for part in apart)


def _split(text: str) -> Iterator[str]:
    begun = 0
    for joint in _JOINT.finditer(text):
        part = text[begun : joint.start()]
        if joint[0][0] != "," or not _LEANS_ON.match(opening_cut(part)):
            yield part
            begun = joint.end()
    yield text[begun:]


def shortened(text: str, names: Collection[str]) -> str:
    """Return a statement without what opens and fills it, and without a call of one of `names` at its end.

    Its first letter stays as it was written.
    """
    aside = _ASIDE.match(text)
    text = opening_cut(aside["all"] if aside else text)
    called = _CALLED.search(text)
    if called and any(called["who"] == name.split()[0] for name in names if name.split()):
        text = text[: called.start()] + called["end"]
    text = _HANGS.sub("", _LEFTOVERS.sub("", text))
    return text if _DENIES.search(text) or _MEASURES.search(text) else _FILLING.sub("", text)
