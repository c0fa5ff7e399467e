"""Whom a question is about: the members it names, and who asks where it says I or my."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory.recall.results import Memory
from memoryhub.community.labels import look, plain_name
from memoryhub.community.models import Guild, Member
from memoryhub.language import content

LONGEST_NAME = 3  # words of a name that is looked up
_WORD = re.compile(r"[\w'’-]+")
_OWN = re.compile(r"\b(?:I|I['’]\w+|my|mine|me|myself)\b", re.IGNORECASE)


def asked_about(guild: Guild, question: str, memories: Sequence[Memory], *, asker: Member | None) -> set[str]:
    """Return the platform's ids of the members whom the question names; empty where it is about nobody.

    Whole names are looked up among all members, first names among those that recall found something of.
    """
    words = [_without_ending(word) for word in _WORD.findall(question)]
    named = {member.platform_id for member in Member.objects.of(guild).filter(look__in=_looks(words, question))}
    named |= {
        memory.member_id for memory in memories if memory.member_id and _has_first_name(memory.member or "", words)
    }
    if asker is not None and _OWN.search(question):
        named.add(asker.platform_id)
    return named


def _looks(words: Sequence[str], question: str) -> set[str]:
    """Return what the names in a question would look like; a common word alone is no name."""
    telling = set(content(question))
    looks = {
        look("".join(words[start : start + count]))
        for count in range(1, LONGEST_NAME + 1)
        for start in range(len(words) - count + 1)
        if count > 1 or words[start].casefold() in telling
    }
    return looks - {""}


def _has_first_name(label: str, words: Sequence[str]) -> bool:
    """Say if the question has the first word of a name, written as a name."""
    first, *_ = [*_WORD.findall(plain_name(label)), ""]
    return len(first) > 1 and any(word[:1].isupper() and word.casefold() == first.casefold() for word in words)


def _without_ending(word: str) -> str:
    return re.sub(r"['’]s?$", "", word)
