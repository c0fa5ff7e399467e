"""A first-person sentence as a statement in the third person, or nothing when it can't stand alone."""

from __future__ import annotations

import re

from memory.rules import pronouns, verbs
from memory.rules.trim import bare, clauses, core
from memoryhub import language
from memoryhub.language.word_lists import listed

MIN_CONTENT = 1  # words that carry meaning
LONG = 22  # words; from there the clauses are read one by one
MAX_WORDS = 34

_I = re.IGNORECASE
_YOU = re.compile(r"\b(?:you|your|yours|yourself|u|ur|ya|y['’]all|you['’]\w+)\b", _I)
_POINTING = re.compile(
    r"\b(?:it|its|this|that|these|those|they|them|their|he|him|his|she|her|hers|there|here|one|ones|it['’]s|that['’]s"
    r"|they['’]re|such|same|so|the other|another|both|too)\b",
    _I,
)
_HARMLESS = re.compile(
    r"\bso (?:much|many|far|that|i|we)\b|\b(?:this|these) (?:year|month|week|summer|spring|winter"
    r"|autumn|fall|days|morning"
    r"|evening|weekend|season)\b|\b(?:think|thinks|believe|believes|feel|know|love|happy|glad|proud"
    r"|realized|learned|mean"
    r"|means|shows?|sure) that\b|\bone (?:of|day)\b|\b(?:there (?:is|are|was|were)|same time|out there)\b"
    r"|(?<=\w )that (?=(?:\w+ly )?\w+(?:s|ed)\b)|\banother \w+|\bthe same\b"
    r"|\b(?:this|these|that|those) (?:\w+-\w+ \w+|(?!is|was|are|were|has)\w{4,} \w{4,} (?:with|of|in"
    r"|from|for|about))",
    _I,
)
_DANGLING = re.compile(
    r"\b(?:a|an|the|to|of|in|on|at|for|with|from|by|about|into|and|or|but|so|because|is|are|was|were|be|been|has|have"
    r"|their|as|than|that|which|who|very|really|more|like|if|when|not|doesn['’]t|isn['’]t)\.?$",
    _I,
)
_ADVERBS = re.compile(
    rf"(?:(?:{verbs.ADVERB}|kinda|kind of|sort of|no longer|already|now|once|first|soon|both|all|so|too|ever since|then"
    r"|(?!reply|rely|fly|apply|multiply|supply|comply|ally|bully)\w{2,}ly)\s+)*",
    _I,
)
_SUBJECT = re.compile(r"(?:i|we)(?P<short>['’](?:m|ve|re|ll)|m\b(?=\s)|ve\b)?\s+", _I)
_DONE = (
    "moved started bought got adopted joined finished graduated quit visited painted signed won "
    "launched opened became"
    " turned retired married spent began born learned switched been working living studying "
    "training volunteering took went met lost built wrote sold attended celebrated hosted organized organised"
    " participated performed passed traveled travelled"
)
_LIKES = "love hate enjoy prefer adore dislike"
OPENING_WORDS = listed(f"{_DONE} {_LIKES} stand used")  # of a statement without its subject
_ELIDED = re.compile(
    rf"(?:(?:just|finally|recently|also|already)\s+)*(?!took some\b)(?:{_DONE.replace(' ', '|')}|used to)\b"
    r"(?!\s+(?:out|is|was|are|has|can|helps|makes|at the same|well|great|wrong|viral|forever|ages|me|a while|a lot"
    r"|it|us|some time|so long|on|away|off|over|for)\b)",
    _I,
)
_LIKING = re.compile(
    rf"(?:really |absolutely )?(?:{_LIKES.replace(' ', '|')}|can['’]t stand)\b"
    r" (?!is\b|was\b|this|that|it\b|how|when|the\b|these|those|a good)",
    _I,
)
# What is not the member may still tell of the member: "Painting helps me relax", "Dance is my passion".
_EFFECT = re.compile(
    r"(?P<thing>(?:(?-i:[A-Z])\w+|my|our)(?:\s+[\w'’-]+){0,6}?)\s+(?:really |always |also |just "
    r"|still )*(?:helps?|helped|makes?|made|gives?|gave|brings?|brought|keeps?|kept|lets?|taught"
    r"|inspires?|motivates?|calms?|relaxes|speaks to|(?:is|are|was|were|has been|have been|['’]s)"
    r"(?: one of| like| always| really)*) "
    r"(?:\w+ ){0,4}?(?:me|us|my|our)\b",
    _I,
)
_REASON = re.compile(r"\b(?:because|'?cause|cuz|since|so|as)\s+(?:i|we|my)\b", _I)
_AUXILIARY = {"been": "has ", "born": "was "}
_SHORT = {"'m": "is", "m": "is", "'re": "is", "'ve": "has", "ve": "has", "'ll": "will"}
_AS_WELL = re.compile(r",? (?:too|as well)$", _I)
_PAST_TIME = re.compile(r"\b(?:yesterday|last|ago|in (?:19|20)\d\d|on \d+)\b", _I)


def readings(sentence: str) -> list[list[str]]:
    """Return what a first-person sentence states, in the third person: its clauses one by one, and it as a whole.

    Clauses that each stand alone come first: what ends one of them must not end the others. A reason does not.
    """
    text = bare(sentence)
    parts = clauses(text)
    apart = [fact for part in parts if (fact := _fact(part))] if len(parts) > 1 else []
    if apart and len(text.split()) > LONG:
        return [apart]
    whole = _fact(text)
    if whole is None:
        return [apart]
    return [apart, [whole]] if apart and len(apart) == len(parts) and not _REASON.search(text) else [[whole]]


def _fact(text: str) -> str | None:
    text = core(text)
    if not text or len(text.split()) > MAX_WORDS or _YOU.search(text) or _dangles(text):
        return None
    stated = _stated(_AS_WELL.sub("", text))
    return finish(stated) if stated else None


def finish(text: str) -> str | None:
    """Return `text` as a sentence with capital and full stop, None when it is a torso."""
    text = " ".join(text.split()).strip(" ,;:-–—.!")
    if _DANGLING.search(text) or len(set(language.content(text))) < MIN_CONTENT:
        return None
    return f"{text[0].upper()}{text[1:]}."


def _dangles(text: str) -> bool:
    """Say if a word points at something outside: it must follow a noun of the same sentence."""
    seen = _HARMLESS.sub(" ", text)
    pointing = _POINTING.search(seen)
    return bool(pointing) and len(language.content(seen[: pointing.start()])) < 3  # type: ignore[union-attr]


def _stated(text: str) -> str | None:
    subject = _SUBJECT.match(text)
    if subject:
        short = (subject["short"] or "").lower().replace("’", "'")
        rest = text[subject.end() :]
        return f"{_SHORT[short]} {pronouns.rewrite(rest)}" if short else _with_verb(rest)
    if _EFFECT.match(text) or _MY.match(text):
        return pronouns.rewrite(text)
    if _ELIDED.match(text):
        return _elided(text)
    if _LIKING.match(text):
        return _with_verb(text[0].lower() + text[1:])
    return None


_MY = re.compile(
    r"(?:my|our)\s+(?:[\w'’-]+\s+){1,5}?(?:is|are|was|were|has|have|lives?|works?|stud\w+|is getting|loves?"
    r"|likes?|plays?|got|just|moved|turned|started|passed|died)\b",
    _I,
)


def _with_verb(rest: str) -> str | None:
    adverbs = _ADVERBS.match(rest)
    before = adverbs.group() if adverbs else ""
    verb, _, after = rest[len(before) :].partition(" ")
    if not re.fullmatch(r"[A-Za-z]+(?:n['’]t)?", verb):
        return None
    if verbs.is_past(verb, dated=bool(_PAST_TIME.search(after))):
        return f"{before}{verb.lower()} {pronouns.rewrite(after)}"
    return f"{before}{verbs.third(verb)} {verbs.agree_after_and(pronouns.rewrite(after))}"


def _elided(text: str) -> str:
    first = re.match(r"(?:(?:just|finally|recently|also|already)\s+)*(\w+)", text, _I)
    word = first[1].lower() if first else ""
    auxiliary = _AUXILIARY.get(word, "is " if word.endswith("ing") else "")
    return auxiliary + text[0].lower() + pronouns.rewrite(text[1:])
