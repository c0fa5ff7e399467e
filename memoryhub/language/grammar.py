"""English from the first person to the third: I and we become the member, who goes without a name; my becomes their."""

from __future__ import annotations

import re

from memoryhub.language import dates
from memoryhub.language.word_lists import Shapes, load, pattern

_SHAPES, _LISTS = Shapes(__file__), load(__file__)
_PRONOUNS = dict(row.split(" = ") for row in _SHAPES.rows["pronouns"])
_THIRD = dict(row.split(" = ") for row in _SHAPES.rows["third person"])
FIRST_WORDS = frozenset(_PRONOUNS)
ADVERB = f"(?:{_SHAPES.rows['adverbs'][0]})"

_FIRST = pattern(
    r"\b(?:i (?:was|am)|(?:i|we)['’](?:m|ve|d|ll|re)|im|ive|i|we|my|our|mine|ours|me|myself|ourselves"
    r"|(?-i:us))\b(?!\.\w)"
)
_GONNA = pattern(r"\bgonna\b")
_AND_I = re.compile(
    rf"(?P<join>(?:,|\band|\bbut)\s+)(?:I|i|we)\s+(?P<adverbs>(?:{ADVERB}\s+)*)(?P<verb>[a-z]+(?:['’]t)?)\b"
)
_AND_IM = re.compile(r"(?P<join>(?:,|\band|\bbut)\s+)(?:I|i|we)['’]?(?P<verb>m|ve|re)\b")
_AND_AM = re.compile(r"\b(and|but) am\b")
_AND_VERB = re.compile(rf"(?P<join>(?:,(?!\s+like)|\band|\bbut|\bor)\s+(?:then\s+)?(?:{ADVERB}\s+)*)(?P<verb>[a-z]+)\b")
_BLOCKS_AND = re.compile(r"\b(?:to|can|will|help|let|make|could|must)\b")

_BEGINS = r"(?P<before>^|(?:,|\band|\bbut|\bthen) )"
_DONT = re.compile(
    rf"(?P<before>^|\b(?:{'|'.join((ADVERB, 'I|you|we|they|he|she|it|this|that|there|who|and|but|please|pls'))}) )"
    r"(?P<verb>ca|wo|do(?!nt (?:je|tu|il|elle|on|nous|vous|ils|elles|le|la|les|une?|ce)\b))nt(?= [a-z])",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?P<verb>does|did|is|are|was|were|have|has|had|would|could|should)nt\b", re.IGNORECASE)
# "Were" and "well" are words as they are.
_IS = re.compile(r"\b(?P<who>that|what|there|who|he|she)s\b(?!['’])", re.IGNORECASE)
_THEY = re.compile(r"\b(?P<who>they|you|we)(?P<short>ve|(?<!we)re|ll(?<!well))\b", re.IGNORECASE)
_I = tuple(
    (re.compile(rf"{_BEGINS}[Ii]{short}(?= (?:(?:{ADVERB}) )*(?:{_SHAPES.rows[f'after {short}'][0]})\b)"), short)
    for short in ("m", "ve", "ll", "d")
)


def spelled_out(text: str) -> str:
    """Return an English sentence with the apostrophes that chat leaves out: "ill bring it" becomes "I'll bring it".

    What is a word as well stays where it may be one: "feeling ill today", "an id card", "la maison dont je parle".
    """
    for pattern_of, short in _I:
        text = pattern_of.sub(rf"\g<before>I'{short}", text)
    text = _THEY.sub(r"\g<who>'\g<short>", _IS.sub(r"\g<who>'s", text))
    return _NOT.sub(r"\g<verb>n't", _DONT.sub(r"\g<before>\g<verb>n't", text))


def to_third_person(text: str) -> str:
    """Return `text` with every first person turned to the third."""

    def agree(match: re.Match[str]) -> str:
        verb = match["verb"]
        return match["join"] + match["adverbs"] + (verb if is_past(verb) else third_person(verb))

    text = _AND_IM.sub(lambda match: match["join"] + third_person(f"'{match['verb']}"), text)
    text = _GONNA.sub("going to", _AND_AM.sub(r"\1 is", text))
    text = _AND_I.sub(agree, text)
    return _FIRST.sub(lambda match: _PRONOUNS[match.group().lower().replace("’", "'")], text)


def third_person(verb: str) -> str:
    """Return the third person singular of a verb as "I" has it: have, has; go, goes; a past form stays."""
    word = verb.lower().replace("’", "'")
    if word in _THIRD or word.endswith("n't"):
        return _THIRD.get(word, word)
    if re.search(r"(?:s|sh|ch|x|z|o)$", word):
        return f"{word}es"
    return f"{word[:-1]}ies" if re.search(r"[^aeiou]y$", word) else f"{word}s"


def is_past(verb: str, *, dated: bool = False) -> bool:
    """Say if the form after "I" is a past one; put, cut and read are past only beside a past date."""
    word = verb.lower()
    if word in _THIRD:
        return False
    if word in _LISTS["ambiguous"]:
        return dated or word == "quit"
    return dates.is_past_form(word)


def agree_after_and(rest: str) -> str:
    """Return the rest of a present statement with joined verbs in the third person: "pizza and plays soccer"."""

    def agree(match: re.Match[str]) -> str:
        if match["verb"] not in _LISTS["common"] or _BLOCKS_AND.search(rest[: match.start()]):
            return match.group()
        return match["join"] + third_person(match["verb"])

    return _AND_VERB.sub(agree, rest)
