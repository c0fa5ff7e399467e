"""The statements worth most, by their shape in the third person: what they tell, and the usual form to put them in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from memory.facts.kinds import Kind
from memoryhub.language.word_lists import listed, pattern, rows

WORDS = rows(Path(__file__).with_suffix(".txt"))


@dataclass(frozen=True)
class Slot:
    """One shape of statement."""

    name: str
    kind: Kind
    shape: re.Pattern[str]


SLOTS = tuple(
    Slot(name, cast("Kind", kind), pattern(shape, WORDS))
    for name, kind, shape in (row.split(" ", 2) for row in WORDS["slots"])
)
VAGUE = {"has", "bought", "effort", "since"}
"""Slots that things of the moment fit as well: there the words must tell the difference."""

_USUAL_FORMS = tuple(
    (pattern(shape, WORDS), form)
    for shape, form in (
        (r"^is (?:currently |now |still )?(?:living|residing|based|located) (?=in|at|near)", "lives "),
        (r"^is (?:currently |now |still )?working (?=as|at|for)", "works "),
        (r"^has (?:just |recently |finally )?moved\b", "moved"),
        (
            r"^(?:just|recently|finally) (?=moved|got|started|bought|adopted|joined|launched|finished|quit|left"
            r"|became|graduated|turned|has\b|opened|published|signed)",
            "",
        ),
        (
            r"^(?:really|also|actually|totally|absolutely|definitely|basically|honestly|personally|kinda|just"
            r"|literally|even|so|then|once|already) (?=\w+)",
            "",
        ),
        (r"^their ({pets})(?:['’]s name is| is (?:called|named)) (\w+)$", r"has a \1 named \2"),
        (r"^their ({kin})(?:['’]s name is| is (?:called|named)) (\w+)$", r"has a \1 named \2"),
        (
            r"^(?:has|got|adopted) (a|an|two) ([\w ]*?(?:{pets})s?),? (?:and (?:his|her|its|the|their) names? (?:is"
            r"|are)|called|named|name is) (.+?)(?: (?:on|in) (?:\d{1,2} )?(?:\w+ )?\d{4})?$",
            r"has \1 \2 named \3",
        ),
        (
            r"^their ((?:older |younger |little |big |twin |step|half-)?(?:{kin})) (lives|works|studies|is an?|plays"
            r"|teaches|runs|owns|moved|has|speaks)\b",
            r"has a \1 who \2",
        ),
        (r"^their (?:full |first )?name is (\w+)$", r"is called \1"),
        (r"^their birthday is (?:on )?(.+)$", r"has a birthday on \1"),
        (r"^favou?rite (?=\w+ (?:is|are)\b)", "their favourite "),
    )
)
_NAMED_PET = pattern(
    r"\bmy (?P<pet>{pets}) (?P<name>(?-i:[A-Z][a-z]+)|[a-z]{3,12}(?= (?:is|was|has|keeps|loves|just|ate|does)\b))",
    WORDS,
)
_PRONOUNS = pattern(r"\bmy pronouns are ((?:he|she|they|ze|xe|it|any)(?:/\w+)+)")
_NO_NAMES = listed(" ".join(WORDS["no names of pets"]))


def slot_of(text: str) -> Slot | None:
    """Return the first shape that the third-person text has."""
    return next((slot for slot in SLOTS if slot.shape.match(text)), None)


def usual_form(text: str) -> str:
    """Return a third-person statement in its usual form, one for what means the same: "is living in", "lives in"."""
    bare = text.rstrip(".")
    for shape, form in _USUAL_FORMS:
        bare = shape.sub(form, bare)
    bare = re.sub(r"^has a (?=[aeiou])", "has an ", bare)
    return f"{bare[0].upper()}{bare[1:]}."


def pronouns(sentence: str) -> str | None:
    """Return "Pronouns are they/them." from "my pronouns are they/them"."""
    match = _PRONOUNS.search(sentence)
    return f"Pronouns are {match[1].lower()}." if match else None


def named_pet(sentence: str) -> str | None:
    """Return "Has a dog named Bento." from "my dog bento is so dumb"."""
    match = _NAMED_PET.search(sentence)
    if not match or match["name"].lower() in _NO_NAMES:
        return None
    return f"Has a {match['pet'].lower()} named {match['name'].capitalize()}."
