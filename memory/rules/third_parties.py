"""What a member tells of another who is in the talk: "Bob moved to Berlin" is about Bob, and only hearsay."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory.facts.schemas import Candidate
from memory.rules import patterns, pronouns, rewrite, transient, trim, usual_form
from memoryhub import language
from memoryhub.ai.chat_fence import Line

HEARSAY = 0.5
_SAYS = (
    r"(?P<rest>(?:just |recently |now |also |still )*(?:is (?:an?|from|allergic|vegan|vegetarian"
    r"|moving|married|engaged)|was born|lives|works|moved|plays|speaks|studies|"
    r"teaches|loves|likes|hates|has (?:an?|two|three)|got (?:an?|engaged|married|the)|started|joined"
    r"|quit|left|bought|adopted|married|graduated)\b.*)"
)
_POINTING = re.compile(r"\b(?:it|this|that|you|your|them|they|i|me|my|we|our|us)\b", re.IGNORECASE)


def candidates(sentence: str, line: Line, names: dict[str, int]) -> Iterator[Candidate]:
    """Yield the fact the sentence tells of another speaker named at its start; at most 0.5 sure."""
    text = trim.bare(sentence)
    for name, member in names.items():
        found = re.match(rf"{re.escape(name)}\s+{_SAYS}", text, re.IGNORECASE)
        if member == line.author or not found or _POINTING.search(found["rest"]):
            continue
        told = rewrite.finish(language.dates.rewrite(pronouns.rewrite(found["rest"]), said_at=line.sent_at))
        if told and not transient.passing(told):
            yield _hearsay(usual_form.put(told), member, sentence, line)


def _hearsay(text: str, member: int, sentence: str, line: Line) -> Candidate:
    slot = patterns.match(text)
    return Candidate(
        text=text,
        subject=member,
        kind=slot.kind if slot else "other",
        confidence=HEARSAY if slot else 0.4,
        explicit=False,
        quote=sentence,
        messages=[line.message],
        said_on=line.sent_at.date(),
        valid_from=language.dates.resolve(sentence, said_at=line.sent_at),
    )
