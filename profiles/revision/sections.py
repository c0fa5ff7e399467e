"""Sorts statements about a member by their words: the section of the profile, and whether they last."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import cast

from memoryhub.language import word_lists
from profiles.revision.schemas import Section

_BY_KIND: dict[str, Section] = {"relationship": "relationships", "preference": "interests", "profile": "bio"}


def _either(patterns: str) -> str:
    return "(?:" + re.sub(r"\s+\|\s*", "|", patterns) + ")"


def _compiled(rule: str) -> tuple[Section, re.Pattern[str]]:
    """Return the section of a rule such as `bio opens: lives? | works?`, and what its statements match."""
    head, _, patterns = rule.partition(": ")
    section, place = head.split()
    words = re.sub(r"\{([a-z]+)\}", lambda name: _GROUPS[name[1]], patterns)
    return cast("Section", section), re.compile(
        f"{'^' if place == 'opens' else ''}\\b{_either(words)}\\b", re.IGNORECASE
    )


_ROWS = word_lists.rows(Path(__file__).with_suffix(".txt"))
_GROUPS: dict[str, str] = {}
for _name, (_row, *_) in _ROWS.items():
    _GROUPS[_name] = _either(re.sub(r"\{([a-z]+)\}", lambda name: _GROUPS[name[1]], _row))
_ADVERBS = re.compile(rf"\b{_GROUPS['adverb']} ", re.IGNORECASE)
_RULES = [_compiled(rule) for rule in _ROWS["rules"]]


def section_of(text: str, *, kind: str = "other") -> Section:
    """Return the section of a statement in the third person without the name; the fact's kind where no rule speaks."""
    plain = _ADVERBS.sub("", text)
    found = next((section for section, pattern in _RULES if pattern.search(plain)), None)
    return found or _BY_KIND.get(kind, "other")


_TIE = re.compile(rf"\b(?:{_GROUPS['kin']}|{_GROUPS['bond']})\b", re.IGNORECASE)


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
_UNDER_WAY = re.compile(
    r"(?:is|has been) (?:(?:still|just|now|currently) )*(?:getting ready|looking for|searching|waiting|trying|going to"
    r"|about to|putting|heading|running late|wondering|watching)\b"
    r"|(?:went|ran into|finished|rehearsed|celebrated|watched|visited|saw|attended|cooked|ate|slept|called|stopped by"
    r"|came across|took (?:an?|the|some|their|his|her))\b"
    r"|doesn['’]t (?:go|come) (?:there )?often|has got some\b",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|recently|lately|right now|at the moment|these days"
    r"|(?:this|last|next) (?:morning|evening|night|week|weekend|month|mon|tue|wed|thu|fri|sat|sun)\w*"
    r"|on \d{1,2} [a-z]+ \d{4}|on the weekend of)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def is_mood(text: str) -> bool:
    """Whether a statement without its subject tells only how somebody felt."""
    return bool(_MOOD.match(text))


_VAGUE = re.compile(
    r"\b(?:it|this|that|these|those|them|one|ones|there|so|stuff|things|something|everything|anything)"
    r"(?: (?:too|as well|now|again|a lot|much|very much|in the end|anyway|all|first))?$"
    r"|(?:has|had|got|did|does|made|raised|took|is|was) (?:an? )?(?:good|great|nice|big|small)?"
    r" ?(?:amount|bit|lot|few|time|one|idea|point)(?: (?:in the end|then|now|too|there))?$",
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
