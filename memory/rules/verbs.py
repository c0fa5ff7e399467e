"""English verbs for rewriting: the third person of a present, which forms are past, and what may follow an "and"."""

from __future__ import annotations

import re

from memoryhub.language.word_lists import listed

_THIRD = {
    "have": "has",
    "do": "does",
    "go": "goes",
    "am": "is",
    "'m": "is",
    "are": "is",
    "were": "was",
    "'ve": "has",
    "'re": "is",
}
_THIRD |= {
    "don't": "doesn't",
    "dont": "doesn't",
    "haven't": "hasn't",
    "cannot": "can't",
    "can": "can",
    "wanna": "wants to",
    "gotta": "has to",
    "aren't": "isn't",
    "weren't": "wasn't",
}
_THIRD |= {word: word for word in ("says", "was", "will", "can", "had", "did", "could", "must", "has", "is")}
_PAST = listed(
    """ate became began bent bet bit bled blew bought broke brought built burnt came caught chose cost cut dealt
        did dreamt drank drew drove dug fed fell felt flew forgot fought found froze gave got grew had heard
        held hid hit hung hurt kept knew laid learnt led left lent lost made meant met paid put quit ran
        rang rode rose said sang sat saw sent set shot showed shut slept sold sought spent spoke stole stood
        struck stuck swam swore taught thought threw told took understood was went were woke won wore wrote
        read"""
)
_NOT_PAST = listed("need feed bleed exceed succeed proceed speed breed seed weed read embed")
_AMBIGUOUS = listed("bet cost cut hit hurt put quit read set shut")
_COMMON = listed(
    """adore bake believe bike blog build buy camp care climb coach code collect cook craft create cycle dance
        design dislike draw drive eat enjoy feel fish foster garden get give go grow hate have help hike
        hope host keep knit know learn like listen live love make meditate mentor need own paint plan play
        practice practise prefer read record ride run sail sew sing skate sketch ski sleep speak spend
        stream study surf swim take teach tend train travel try tutor use visit volunteer walk want watch
        wear work write"""
)
ADVERB = (
    r"(?:really|just|also|always|never|still|usually|often|sometimes|actually|currently|mostly|mainly"
    r"|even|only|recently)"
)
_AND_VERB = re.compile(rf"(?P<join>(?:,|\band|\bbut|\bor)\s+(?:then\s+)?(?:{ADVERB}\s+)*)(?P<verb>[a-z]+)\b")
_BLOCKS_AND = re.compile(r"\b(?:to|can|will|help|let|make|could|must)\b")


def third(verb: str) -> str:
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
    if word in _AMBIGUOUS:
        return dated or word == "quit"
    again = word.startswith("re") and word.removeprefix("re") in _PAST
    return word in _PAST or again or (word.endswith("ed") and word not in _NOT_PAST)


def agree_after_and(rest: str) -> str:
    """Return the rest of a present statement with joined verbs in the third person: "pizza and plays soccer"."""

    def agree(match: re.Match[str]) -> str:
        if match["verb"] not in _COMMON or _BLOCKS_AND.search(rest[: match.start()]):
            return match.group()
        return match["join"] + third(match["verb"])

    return _AND_VERB.sub(agree, rest)
