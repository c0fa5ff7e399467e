"""Which of what was found names those whom a question is about; knows no database."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from memory.recall.results import Memory
from memory.recall.word_overlap import found_in
from memoryhub import language
from memoryhub.community.labels import look

_BEFORE = re.compile(
    r"\b(?:(?:do|does|did|is|are|was|were|will|would|can|could|should|must)(?:n['’]t)?"
    r"|(?:what|where|when|why|how|long|often)\s+(?:has|have|had)(?:n['’]t)?"
    r"|(?:who|what|where|when|why|how)['’]s)\s+$",
    re.IGNORECASE,
)
"""What stands before whom a question is about: where does Rahel live, what's Rahel up to.

What somebody has is no person: who has Minecraft, would she have Dr. Seuss books.
"""
_ABOUT = re.compile(r"\babout\s+$", re.IGNORECASE)
_OWNER = re.compile(r"['’]s?\s+\w")
SHORTEST = 3  # letters of a name that is short for another


def naming_those_asked_about(question: str, memories: Sequence[Memory]) -> list[Memory]:
    """Return the memories that name somebody whom the question is about, or tell of something of theirs.

    All, where it is about nobody; none, where one of those is named by no memory: what is told of them is of another.
    """
    names = list(_asked_about(question))
    if not names:
        return list(memories)
    places = [{place for place, memory in enumerate(memories) if _is_named(name, memory)} for name in names]
    return [memories[place] for place in sorted(set.union(*places))] if all(places) else []


def _asked_about(question: str) -> Iterator[str]:
    """Yield the names inside the question that are its subject, or whose something is."""
    for name in dict.fromkeys(language.names(question)):
        for match in re.finditer(rf"\b{re.escape(name)}(?!\w)", question):
            before, after = question[: match.start()], question[match.end() :]
            at_the_end = _ABOUT.search(before) and not after.strip(" ?!.")
            if _BEFORE.search(before) or _OWNER.match(after) or at_the_end:
                yield name
                break


def _is_named(name: str, memory: Memory) -> bool:
    """Say if a word of the name is in the memory, or is of its member's name, also spelt otherwise or cut short."""
    wanted, looks = language.stems(name), {look(word) for word in [name, *name.split()]}
    if not wanted:  # it is all common words, such as Will
        return True
    return any(
        any(_is_short_for(called, looks) for called in map(look, [label, *label.split()])) or found_in(wanted, text)
        for label, text in _told_by(memory)
    )


def _is_short_for(called: str, looks: Iterable[str]) -> bool:
    """Say if one of these is what somebody is called, or begins with it: Sam is Samuel."""
    return any(called == each or (len(called) >= SHORTEST and each.startswith(called)) for each in looks)


def _told_by(memory: Memory) -> Iterator[tuple[str, str]]:
    """Yield the words of a memory and of its sources, each with whose they are."""
    yield memory.member or "", memory.text
    for source in memory.sources:
        yield source.author, source.quote
