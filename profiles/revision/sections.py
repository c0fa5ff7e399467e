"""Sorts statements about a member by their words: by section, by what they tell of somebody, by how long they hold."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import cast

from memoryhub.language import word_lists
from memoryhub.language.grammar import is_past
from profiles.revision.schemas import Section

_BY_KIND: dict[str, Section] = {"relationship": "relationships", "preference": "interests", "profile": "bio"}


def _either(patterns: str) -> str:
    return "(?:" + re.sub(r"\s+\|\s*", "|", patterns) + ")"


def _compiled(rule: str) -> tuple[str, re.Pattern[str]]:
    """Return what a rule such as `bio opens: lives? | works?` sorts into, and what its statements match."""
    head, _, patterns = rule.partition(": ")
    name, place = head.split()
    words = re.sub(r"\{([a-z]+)\}", lambda group: _GROUPS[group[1]], patterns)
    return name, re.compile(f"{'^' if place == 'opens' else ''}\\b{_either(words)}\\b", re.IGNORECASE)


_ROWS = word_lists.rows(Path(__file__).with_suffix(".txt"))
_GROUPS: dict[str, str] = {}
for _name, (_row, *_) in _ROWS.items():
    if _name in ("facets", "rules"):
        continue
    _GROUPS[_name] = _either(re.sub(r"\{([a-z]+)\}", lambda name: _GROUPS[name[1]], _row))
_ADVERBS = re.compile(rf"\b{_GROUPS['adverb']} ", re.IGNORECASE)
_RULES = [(cast("Section", name), pattern) for name, pattern in map(_compiled, _ROWS["rules"])]
_FACETS = [_compiled(rule) for rule in _ROWS["facets"]]


def section_of(text: str, *, kind: str = "other") -> Section:
    """Return the section of a statement in the third person without the name; the fact's kind where no rule speaks."""
    plain = _ADVERBS.sub("", text)
    found = next((section for section, pattern in _RULES if pattern.search(plain)), None)
    return found or _BY_KIND.get(kind, "other")


@lru_cache(maxsize=4096)
def facet_of(text: str) -> str:
    """Return what a statement says of who somebody is, such as "home" or "work"; empty where it says something else."""
    plain = _ADVERBS.sub("", text)
    return next((facet for facet, pattern in _FACETS if pattern.search(plain)), "")


_TIE = re.compile(rf"\b(?:{_GROUPS['kin']}|{_GROUPS['bond']})\b", re.IGNORECASE)


@lru_cache(maxsize=4096)
def tie_in(text: str) -> str:
    """Return the word by which a statement says who somebody is to another ("sister"); empty where none does."""
    found = _TIE.search(text)
    return found[0].lower() if found else ""


# --- What lasts --------------------------------------------------------------------------------------------------

_HOW = r"(?:(?:so|really|very|super|just|all|still|also|quite|totally|pretty) )*"
_FELT = (
    "over the moon|excited|happy|glad|thrilled|stoked|pumped|exhausted|hungry|thirsty|bored|busy|swamped|sleepy"
    "|amazed|relieved|sorry|ready|back|late|done|here|speechless|on (?:the|their|his|her) way"
)
_MOOD = re.compile(
    rf"(?:is|was|feels?|felt|got) {_HOW}(?:{_FELT})\b(?!-| (?:of|with)\b)"
    r"|(?:had|is having) (?:an? |so much |lots of )(?:(?:great|good|nice|lovely) )?(?:blast|fun|laugh|time)\b",
    re.IGNORECASE,
)
_ASLEEP = r"sleeps (?:\d|\w+ (?:hours?|minutes?))"
_UNDER_WAY = re.compile(
    r"(?:is|has been) (?:(?:still|just|now|currently) )*(?:getting ready|looking for|searching|waiting|trying|going to"
    r"|about to|putting|heading|running late|wondering|watching)\b"
    r"|(?:went|ran into|finished|rehearsed|celebrated|watched|visited|saw|attended|cooked|ate|slept|called|stopped by"
    r"|came across|took (?:an?|the|some|their|his|her))\b"
    rf"|{_ASLEEP}|doesn['’]t (?:go|come) (?:there )?often|has got some\b",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|recently|lately|right now|at the moment|these days"
    r"|(?:this|last|next) (?:morning|evening|night|week|weekend|month|mon|tue|wed|thu|fri|sat|sun)\w*"
    r"|(?<!born )on \d{1,2} [a-z]+ \d{4}|on the weekend of|in the week of|(?:un)?till? [a-z]+day)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def is_mood(text: str) -> bool:
    """Whether a statement without its subject tells only how somebody felt."""
    return bool(_MOOD.match(text))


_ABOUT = (
    "got|had|has|took|passed|finished|did|made|won|lost|sold|sent|signed|found|missed|needs|wants|paid|bought|fixed"
    "|keeps|kept|gave|brought"
)
_KNOWN_TO_ALL = "bar|piano|guitar|flu|internet|world|house|marathon"
_BACK = r"(?: (?:back|now|too|again|today|already|at last|in the end|in \w+))*"
_UNFINISHED = (
    "stopped|started|began|quit|finished|tried|continued|failed|passed|won|lost|agreed|refused|managed|left|leaving"
)
_VAGUE = re.compile(
    r"\b(?:it|this|that|these|those|them|one|ones|there|so|stuff|things|something|everything|anything)"
    r"(?: (?:too|as well|now|again|a lot|much|very much|in the end|anyway|all|first))?$"
    r"|(?:has|had|got|did|does|made|raised|took|is|was) (?:an? )?(?:good|great|nice|big|small)?"
    r" ?(?:amount|bit|lot|few|time|one|idea|point)(?: (?:in the end|then|now|too|there))?$"
    # What was spoken of before: the job, that shield, a number without its unit, a verb without what it is about.
    rf"|^(?:has |did )?(?:{_ABOUT}) (?:the|that|those|these|this) (?!{_KNOWN_TO_ALL})[a-z]+{_BACK}$"
    r"|^(?:likes?|loves?|hates?|prefers?) the (?:number|idea|look|name|plan|thought|first|second|third|other|new|old"
    r"|whole|rest)(?: one| part)?$"
    r"|^(?:is|was|has|owns) \d+(?:[.,]\d+|(?= (?:percent|%)(?! of)))"
    rf"|^(?:has |is )?(?:{_UNFINISHED})"
    r"(?: (?:when|at|in|on|after|before|last|two|three|yesterday|this|again|there)\b.*)?$",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def is_vague(text: str) -> bool:
    """Whether a statement without its subject says nothing by itself, as "Likes it" and "Raised a good amount"."""
    return _VAGUE.search(text.rstrip(" .!")) is not None


@lru_cache(maxsize=4096)
def lasts(text: str) -> bool:
    """Whether a statement without its subject is likely to hold in a month: no outing, nothing under way, no mood."""
    return not (_UNDER_WAY.match(text) or _WHEN.search(text) or is_mood(text))


WHO = ("home", "work", "study", "origin", "family", "pets", "languages", "self")
"""The facets of who somebody is, in the order in which they are told."""
CHANGES = ("job", "move")


@lru_cache(maxsize=4096)
def standing(text: str) -> int:
    """Return how long a statement without its subject is likely to matter.

    3: who they are. 2: a change of that; what they like, can do and think. 1: where they stay; what they did once.
    0: what passes.
    """
    facet = facet_of(text)
    if facet in CHANGES:
        return 2
    if not lasts(text):
        return 0
    if facet in WHO:
        return 3
    if facet:
        return 1
    first, _, rest = text.lower().partition(" ")
    return 1 if is_past(first) and (first, rest[:3]) != ("used", "to ") else 2
