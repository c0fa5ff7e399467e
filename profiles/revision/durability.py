"""Whether a statement is of the moment: a profile tells what lasts first, and no moods."""

from __future__ import annotations

import re
from functools import lru_cache

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


@lru_cache(maxsize=4096)
def lasts(text: str) -> bool:
    """Whether a statement without its subject is likely to hold in a month: no outing, nothing under way, no mood."""
    return not (_UNDER_WAY.match(text) or _WHEN.search(text) or is_mood(text))
