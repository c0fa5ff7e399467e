"""Whether a question is about somebody whom nothing that was found names; knows no database."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from memory.recall.results import Memory
from memory.recall.word_overlap import found_in, stems
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


def names_a_stranger(question: str, memories: Sequence[Memory]) -> bool:
    """Say if the question is about somebody, or something of theirs, whom none of the memories names or tells of."""
    return any(not _is_named(name, memories) for name in _asked_about(question))


def _asked_about(question: str) -> Iterator[str]:
    """Yield the names inside the question that are its subject, or whose something is."""
    for name in dict.fromkeys(language.names(question)):
        for match in re.finditer(rf"\b{re.escape(name)}(?!\w)", question):
            before, after = question[: match.start()], question[match.end() :]
            at_the_end = _ABOUT.search(before) and not after.strip(" ?!.")
            if _BEFORE.search(before) or _OWNER.match(after) or at_the_end:
                yield name
                break


def _is_named(name: str, memories: Iterable[Memory]) -> bool:
    """Say if a word of the name is in a memory, or is of its member's name, however that is spelt."""
    wanted, looks = stems(name), {look(word) for word in [name, *name.split()]}
    if not wanted:  # it is all common words, such as Will
        return True
    return any(
        looks.intersection(map(look, [label, *label.split()])) or found_in(wanted, text)
        for memory in memories
        for label, text in _told_by(memory)
    )


def _told_by(memory: Memory) -> Iterator[tuple[str, str]]:
    """Yield the words of a memory and of its sources, each with whose they are."""
    yield memory.member or "", memory.text
    for source in memory.sources:
        yield source.author, source.quote
