"""Writes the short summary of a profile without a model: who somebody is, then what they care about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from memoryhub.community.labels import plain_name
from memoryhub.language.clip import clip
from memoryhub.language.grammar import is_past
from memoryhub.language.same_statement import FRAME, meaning
from profiles.revision.schemas import PROFILE_CHARS, Entry
from profiles.revision.sections import CHANGES, WHO, facet_of, is_vague, standing

IDENTITY, CARES, LATER = 5, 3, 2  # statements of each sentence
ENOUGH = 3  # statements that tell enough of somebody to leave out what they did once
TWICE = ("work", "family", "pets")  # of which two are told
INSTEAD = {"home": "stay"}  # where they are, as long as it is not known where they live
_VERB = re.compile(r"\w+(?:ed|(?<![su])s)|\w+n['’]t|can|could|will|would|never|no|did|had|split|put|set|cut")
_SHARED = re.compile(r"(has|is|likes|loves|speaks) (?=\w)")
_NOW = re.compile(r" now(?=,|$)")
# What is added behind a comma goes, unless it says where and with whom, or takes back what stands before it.
_ADDED = re.compile(r",(?! (?:in|at|on|with|to|from|near|by|called|named|since)\b).*")
_TAKES_BACK = re.compile(
    r"\b(?:but|not|no|never|only|unless|except|until|if|or|without|sometimes|used)\b|n['’]t\b", re.IGNORECASE
)
_LEAST_WORDS = 3


def summarise(member: str, entries: Sequence[Entry]) -> str:
    """Return two or three sentences, at most 800 characters, from a profile's entries, the strongest first.

    Shorter where they are too long for that; empty without an entry.
    """
    lasting = sorted(entries, key=lambda entry: -standing(entry.text))
    left = [entry.text for entry in lasting if standing(entry.text) and not is_vague(entry.text)]
    for most in (IDENTITY, 2, 1):
        summary = " ".join(_sentences(member, left, most))
        if len(summary) <= PROFILE_CHARS:
            return summary
    return clip(summary, PROFILE_CHARS)


def _sentences(member: str, texts: Sequence[str], most: int) -> Iterator[str]:
    """Yield the sentences, with at most so many statements in each."""
    who = _identity(texts)[:most]
    told = {mark for text in (member, *who) for mark in meaning(text).marks}
    cares, rest = list[str](), list[str]()
    for text in texts:
        facet, new = facet_of(text), meaning(text).marks - FRAME - told
        if not new or facet in (*WHO, *INSTEAD.values()):
            continue
        is_care = standing(text) == 2 and facet not in CHANGES and len(cares) < min(CARES, most)
        (cares if is_care else rest).append(text)
        told |= new if is_care else set()
    coming = [text for text in rest if facet_of(text) in CHANGES][:1]
    passed = [text for text in rest if text not in coming]
    room = max(0, ENOUGH - len(who) - len(cares) - len(coming))
    names = iter((member,))
    for group in (who, cares, [*coming, *passed[:room]][: min(LATER, most)]):
        predicates = [text for text in map(_plain, group) if _is_predicate(text)]
        if predicates:
            yield f"{next(names, plain_name(member))} {_joined(predicates)}."
        for text in map(_plain, group):
            if not _is_predicate(text):
                yield f"{_owned(text, next(names, plain_name(member)))}."


def _identity(texts: Sequence[str]) -> list[str]:
    """Return what tells who somebody is, one of each facet and two of some; a change of work where there is no work."""
    by_facet: dict[str, list[str]] = {}
    for text in texts:
        by_facet.setdefault(facet_of(text), []).append(text)
    found = list[str]()
    for facet in WHO:
        texts = by_facet.get(facet) or by_facet.get(INSTEAD.get(facet, facet), [])
        found += texts[: 2 if facet in TWICE else 1]
    return found


def _plain(text: str) -> str:
    """Return a statement as a part of a sentence: without its stop, "now" and what is added behind a comma."""
    text = _NOW.sub("", text.rstrip(". "))
    short = _ADDED.sub("", text)
    return text if len(short.split()) < _LEAST_WORDS or _TAKES_BACK.search(text[len(short) :]) else short


def _is_predicate(text: str) -> bool:
    first = text.partition(" ")[0].rstrip(",").lower()
    return is_past(first, dated=True) or _VERB.fullmatch(first) is not None


def _owned(text: str, name: str) -> str:
    """Return what has a subject of its own with whose it is: "Alice's sister lives in Rome"."""
    return f"{name}'s {text.removeprefix('Their ')}" if text.startswith("Their ") else text


def _joined(predicates: Sequence[str]) -> str:
    """Return "lives in Oslo, is a nurse, and has a cat and a dog"; a verb that some in a row share is told once."""
    parts = [text[:1].lower() + text[1:] for text in predicates]
    groups = [list(group) for _, group in groupby(parts, key=lambda part: (_SHARED.match(part) or [part])[0])]
    told = [_listed([group[0], *(_SHARED.sub("", part) for part in group[1:])], comma="") for group in groups]
    return _listed(told, comma="," if any(re.search(r",| and ", part) for part in told) else "")


def _listed(parts: Sequence[str], *, comma: str) -> str:
    """Return the parts with "and" before the last one, behind a comma where there are three, or it is asked for."""
    if len(parts) < 3 and not comma:
        return " and ".join(parts)
    return ", ".join(parts[:-1]) + f", and {parts[-1]}" if len(parts) > 1 else parts[0]
