"""A first-person sentence as a statement in the third person, or nothing when it can't stand alone."""

from __future__ import annotations

import re
from pathlib import Path

from memory.rules import grammar
from memory.rules.grammar import to_third_person
from memory.rules.trim import bare, clauses, core
from memoryhub import language
from memoryhub.language.word_lists import pattern, rows

MIN_CONTENT = 1  # words that carry meaning
MIN_POINTED_AT = 3  # of them before a word that points back: it must follow a noun of the same sentence
LONG = 22  # words; from there the clauses are read one by one
MAX_WORDS = 34

_YOU = pattern(r"\b(?:you|your|yours|yourself|u|ur|ya|y['’]all|you['’]\w+)\b")
_POINTING = pattern(
    r"\b(?:it|its|this|that|these|those|they|them|their|he|him|his|she|her|hers|there|here|one|ones|it['’]s"
    r"|that['’]s|they['’]re|such|same|so|the other|another|both|too)\b"
)
_HARMLESS = pattern(
    r"\bso (?:much|many|far|that|i|we)\b|\b(?:this|these) (?:year|month|week|summer|spring|winter|autumn|fall|days"
    r"|morning|evening|weekend|season)\b|\b(?:think|thinks|believe|believes|feel|know|love|happy|glad|proud|realized"
    r"|learned|mean|means|shows?|sure) that\b|\bone (?:of|day)\b|\b(?:there (?:is|are|was|were)|same time"
    r"|out there)\b|(?<=\w )that (?=(?:\w+ly )?\w+(?:s|ed)\b)|\banother \w+|\bthe same\b|\b(?:this|these|that"
    r"|those) (?:\w+-\w+ \w+|(?!is|was|are|were|has)\w{4,} \w{4,} (?:with|of|in|from|for|about))"
)
_DANGLING = pattern(
    r"\b(?:a|an|the|to|of|in|on|at|for|with|from|by|about|into|and|or|but|so|because|is|are|was|were|be|been|has"
    r"|have|their|as|than|that|which|who|very|really|more|like|if|when|not|doesn['’]t|isn['’]t)\.?$"
)
_WORDS = rows(Path(__file__).with_suffix(".txt"))
OPENING_WORDS = frozenset("|".join([*_WORDS["done"], *_WORDS["likes"], "stand|used"]).split("|"))
"""Words that open a statement whose subject was left out."""
_ADVERBS = pattern(
    rf"(?:(?:{grammar.ADVERB}|kinda|kind of|sort of|no longer|already|now|once|first|soon|both|all|so|too|ever since"
    r"|then|(?!reply|rely|fly|apply|multiply|supply|comply|ally|bully)\w{2,}ly)\s+)*"
)
_SUBJECT = pattern(r"(?:i|we)(?P<short>['’](?:m|ve|re|ll)|m\b(?=\s)|ve\b)?\s+")
_ELIDED = pattern(
    r"(?:(?:just|finally|recently|also|already)\s+)*(?!took some\b)(?:(?P<verb>{done})|used to)\b(?!\s+(?:out|is|was"
    r"|are|has|can|helps|makes|at the same|well|great|wrong|viral|forever|ages|me|a while|a lot|it|us|some time"
    r"|so long|on|away|off|over|for)\b)",
    _WORDS,
)
_LIKING = pattern(
    r"(?:really |absolutely )?(?:{likes}|can['’]t stand)\b (?!is\b|was\b|this|that|it\b|how|when|the\b|these|those"
    r"|a good)",
    _WORDS,
)
# What is not the member may still tell of the member: "Painting helps me relax", "Dance is my passion".
_EFFECT = pattern(
    r"(?P<thing>(?:(?-i:[A-Z])\w+|my|our)(?:\s+[\w'’-]+){0,6}?)\s+(?:really |always |also |just |still )*(?:helps?"
    r"|helped|makes?|made|gives?|gave|brings?|brought|keeps?|kept|lets?|taught|inspires?|motivates?|calms?|relaxes"
    r"|speaks to|(?:is|are|was|were|has been|have been|['’]s)(?: one of| like| always| really)*) (?:\w+ ){0,4}?(?:me"
    r"|us|my|our)\b"
)
_MY = pattern(
    r"(?:my|our)\s+(?:[\w'’-]+\s+){1,5}?(?:is|are|was|were|has|have|lives?|works?|stud\w+|is getting|loves?|likes?"
    r"|plays?|got|just|moved|turned|started|passed|died)\b"
)
_REASON = pattern(r"\b(?:because|'?cause|cuz|since|so|as)\s+(?:i|we|my)\b")
_AUXILIARY = {"been": "has ", "born": "was "}
_SHORT = {"'m": "is", "m": "is", "'re": "is", "'ve": "has", "ve": "has", "'ll": "will"}
_AS_WELL = pattern(r",? (?:too|as well)$")
_PAST_TIME = pattern(r"\b(?:yesterday|last|ago|in (?:19|20)\d\d|on \d+)\b")


def readings(sentence: str) -> list[list[str]]:
    """Return what a first-person sentence states, in the third person: its clauses one by one, and it as a whole.

    Clauses that each stand alone come first: what ends one of them must not end the others. A reason does not.
    """
    text = bare(sentence)
    parts = clauses(text)
    apart = [statement for part in parts if (statement := _statement(part))] if len(parts) > 1 else []
    if apart and len(text.split()) > LONG:
        return [apart]
    whole = _statement(text)
    if whole is None:
        return [apart]
    return [apart, [whole]] if apart and len(apart) == len(parts) and not _REASON.search(text) else [[whole]]


def _statement(text: str) -> str | None:
    """Return a clause as a statement; none when it points at something outside, or speaks to somebody."""
    text = core(text)
    if not text or len(text.split()) > MAX_WORDS or _YOU.search(text):
        return None
    seen = _HARMLESS.sub(" ", text)
    pointing = _POINTING.search(seen)
    if pointing and len(language.content(seen[: pointing.start()])) < MIN_POINTED_AT:
        return None
    stated = _third_person(_AS_WELL.sub("", text))
    return finish(stated) if stated else None


def finish(text: str) -> str | None:
    """Return `text` as a sentence with capital and full stop, None when it is a torso."""
    text = " ".join(text.split()).strip(" ,;:-–—.!")
    if _DANGLING.search(text) or len(set(language.content(text))) < MIN_CONTENT:
        return None
    return f"{text[0].upper()}{text[1:]}."


def _third_person(text: str) -> str | None:
    if subject := _SUBJECT.match(text):
        short = (subject["short"] or "").lower().replace("’", "'")
        rest = text[subject.end() :]
        return f"{_SHORT[short]} {to_third_person(rest)}" if short else _with_verb(rest)
    if _EFFECT.match(text) or _MY.match(text):
        return to_third_person(text)
    if elided := _ELIDED.match(text):
        word = (elided["verb"] or "").lower()
        auxiliary = _AUXILIARY.get(word, "is " if word.endswith("ing") else "")
        return auxiliary + text[0].lower() + to_third_person(text[1:])
    if _LIKING.match(text):
        return _with_verb(text[0].lower() + text[1:])
    return None


def _with_verb(rest: str) -> str | None:
    """Return what follows the subject with its verb in the third person; a past form stays."""
    adverbs = _ADVERBS.match(rest)
    before = adverbs.group() if adverbs else ""
    verb, _, after = rest[len(before) :].partition(" ")
    if not re.fullmatch(r"[A-Za-z]+(?:n['’]t)?", verb):
        return None
    if grammar.is_past(verb, dated=bool(_PAST_TIME.search(after))):
        return f"{before}{verb.lower()} {to_third_person(after)}"
    return f"{before}{grammar.third_person(verb)} {grammar.agree_after_and(to_third_person(after))}"
