"""What one tells of another in the talk: "Bob moved" is about Bob, a bot's "you moved" about the one it answers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory.rules import rewrite, transient, trim
from memory.rules.patterns import usual_form
from memoryhub import language
from memoryhub.ai.chat_fence import Line
from memoryhub.language import grammar
from memoryhub.language.word_lists import pattern

_SAYS = (
    r"(?P<rest>(?:just |recently |now |also |still )*(?:is (?:an?|from|allergic|vegan|vegetarian|moving|married"
    r"|engaged)|was born (?!with\b)|lives|works|moved|plays|speaks|studies|teaches|loves|likes|hates"
    r"|has (?:an?|two|three)|got (?:an?|engaged|married|the)|started|joined|quit|bought|adopted|married|graduated"
    r"|left (?!(?:his|her|their) \w+ (?:in|on|at|by|behind|outside|under)\b)"
    r"(?=(?:the|their|his|her|school|uni|(?-i:[A-Z][a-z])\w*)\b))\b.*)"
)
_YOURS = r"(?:your|the) [\w ]{1,40}?"
_SOURCE = pattern(  # "According to your calendar", "Your calendar shows that", "I found in your calendar that"
    rf"^(?:(?:according to|based on|looking at) {_YOURS},? |{_YOURS} (?:shows?|says?|lists?)(?: that)?:? "
    rf"|i (?:can )?(?:see|saw|found)(?: (?:in|on|from) {_YOURS})?(?: that|:|,)? )(?=you)"
)
_ADDRESSED = [  # a member in a bot's words, and in their own
    (pattern(rf"\b{shape}\b"), own)
    for shape, own in (
        (r"you(?:['’]re| are)", "I am"),
        (r"you(?:['’]ve| have)", "I have"),
        (r"you were", "I was"),
        (r"yourself", "myself"),
        (r"yours", "mine"),
        (r"your", "my"),
        (r"(for|with|from|to) you", r"\1 me"),
        (r"you", "I"),
    )
]
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


def addressed(sentence: str) -> str:
    """Return what a tool's summary tells a member in the words of that member: "you play tennis" is "I play tennis"."""
    text = _SOURCE.sub("", sentence)
    for shape, own in _ADDRESSED:
        text = shape.sub(own, text)
    return text
