"""What lasts of a third-person statement and what passes: a moment, a mood, a courtesy, program text; or a life."""

from __future__ import annotations

import re
from pathlib import Path

from memory.rules import grammar, patterns
from memoryhub import language
from memoryhub.language.word_lists import pattern, rows

_WORDS = rows(Path(__file__).with_suffix(".txt"))
_PASSING = pattern(
    r"^(?:(?:really|just|also|so|still|always|finally|now|absolutely|definitely|even|totally|only|actually"
    r"|already) )*(?:{passing})",
    _WORDS,
)
_LASTING = pattern(r"\b(?:{lasting})\b", _WORDS)
_SMALL_TALK = pattern(
    r"\bhas been (?:a while|ages|\w+ \w+ days|too long|forever)\b|\bsince they (?:last )?(?:chatted|talked|spoke)\b"
)
_PROGRAM = re.compile(
    r"\w_\w|::|\(\)|[{}\[\]|]|[<>][A-Za-z]|=|\.\w+\(|\w\.\w+\.\w|\\|\.(?:rs|py|js|ts|php|html|css|json|toml|ya?ml"
    r"|exe|dll|sh|lock|md)\b"
)

_LIFE = frozenset(language.stem(word) for row in _WORDS["life"] for word in row.split())
_NOUNS = pattern(r"\b(?:{kin}|{pets})s?\b", patterns.WORDS)
_OVER_TIME = pattern(
    r"\b(?:every (?:day|week|month|year|\w+day|morning|evening|night|summer|winter|spring)|since (?:childhood"
    r"|they (?:was|were)|(?:19|20)\d\d|\w+ (?:19|20)\d\d)|for (?:\w+ )?(?:years|months|decades)|(?:once|twice"
    r"|\w+ times) a (?:week|month|year)|growing up|as a (?:kid|child|teen\w*)|when they were \w+|younger"
    r"|years? (?:old|ago))\b"
)
_DATED = re.compile(r"\b(?:in|on) (?:the (?:week|weekend) of )?(?:\d+ )?(?:\w+ )?(?:19|20)\d\d")
_TURNS = pattern(
    r"^(?:finally |even |also |once |then |just |recently |already |actually |now |officially )*(?:{turns})\b", _WORDS
)


def is_passing(text: str) -> bool:
    """Say if a third-person statement tells only of a moment, a mood or a courtesy."""
    return bool(_SMALL_TALK.search(text)) or (bool(_PASSING.match(text)) and not _LASTING.search(text))


def is_technical(text: str) -> bool:
    """Say if a statement has the marks of program text: somebody works on it now, and nobody will ask for it later."""
    return bool(_PROGRAM.search(text))


def is_turn(text: str) -> bool:
    """Say if a third-person statement opens with a turn of a life: such a one may be short."""
    return bool(_TURNS.match(text))


def is_personal(text: str) -> bool:
    """Say if a third-person statement touches a person's life: people, places, pastimes, turns, or long times."""
    if is_turn(text) or _OVER_TIME.search(text) or _NOUNS.search(text):
        return True
    if _DATED.search(text) and grammar.is_past(text.split()[0]):
        return True
    return any(language.stem(word) in _LIFE for word in language.content(text))
