"""What a member tells of another who is in the talk: "Bob moved to Berlin" is about Bob, and only hearsay."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory.rules import grammar, rewrite, transient, trim
from memory.rules.patterns import usual_form
from memoryhub import language
from memoryhub.ai.chat_fence import Line
from memoryhub.language.word_lists import pattern

_SAYS = (
    r"(?P<rest>(?:just |recently |now |also |still )*(?:is (?:an?|from|allergic|vegan|vegetarian|moving|married"
    r"|engaged)|was born|lives|works|moved|plays|speaks|studies|teaches|loves|likes|hates|has (?:an?|two|three)"
    r"|got (?:an?|engaged|married|the)|started|joined|quit|left|bought|adopted|married|graduated)\b.*)"
)
_POINTING = pattern(r"\b(?:it|this|that|you|your|them|they|i|me|my|we|our|us)\b")


def statements(sentence: str, line: Line, names: dict[str, int]) -> Iterator[tuple[int, str]]:
    """Yield the member and the fact, where the sentence tells one of another speaker who is named at its start."""
    text = trim.bare(sentence)
    for name, member in names.items():
        match = re.match(rf"{re.escape(name)}\s+{_SAYS}", text, re.IGNORECASE)
        if member == line.author or not match or _POINTING.search(match["rest"]):
            continue
        rest = language.dates.rewrite(grammar.to_third_person(match["rest"]), said_at=line.sent_at)
        fact = rewrite.finish(rest)
        if fact and not transient.is_passing(fact):
            yield member, usual_form(fact)
