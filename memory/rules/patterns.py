"""The statements worth most, by their shape in the third person: what they tell, and the usual form to put them in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

from memory.facts.kinds import Kind
from memoryhub.language import place_names
from memoryhub.language.word_lists import Shapes, pattern

SHAPES = Shapes(__file__)


@dataclass(frozen=True)
class Slot:
    """One shape of statement."""

    name: str
    kind: Kind
    shape: re.Pattern[str]


SLOTS = tuple(
    Slot(name, cast("Kind", kind), pattern(shape, SHAPES.rows))
    for name, kind, shape in (row.split(" ", 2) for row in SHAPES.rows["slots"])
)
VAGUE = {"has", "bought", "effort", "since"}
"""Slots that things of the moment fit as well: there the words must tell the difference."""

_USUAL_FORMS = tuple(
    (pattern(shape, SHAPES.rows), form.strip())
    for shape, _, form in (row.partition(" =>") for row in SHAPES.rows["usual forms"])
)
_BY_THE_WAY = [
    (told, pattern(said, SHAPES.rows)) for told, said in (row.split(" => ", 1) for row in SHAPES.rows["by the way"])
]
_NO_NAMES = SHAPES.words("no names of pets")


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
    match = SHAPES["my_pronouns"].search(sentence)
    return f"Pronouns are {match[1].lower()}." if match else None


def couple(sentence: str) -> str | None:
    """Return "Is together with Zed." from "Zed and I are a thing", "Split up with Zed." where that ended."""
    match = SHAPES["couple"].search(sentence)
    if not match:
        return None
    who = match["who"] or match["other"]
    if match["parted"]:
        if SHAPES["restored"].match(sentence[match.end() :]):
            return None
        return f"Split up with {who}."
    bond = {"engaged": "engaged to", "married": "married to"}.get((match["bond"] or "").lower(), "together with")
    return f"Is {bond} {who}."


def tie(sentence: str) -> str | None:
    """Return "Has a sister named Carol." from "Carol is my sister", "Is Bob's wife." from "I'm Bob's wife"."""
    match = SHAPES["tie"].search(sentence)
    if not match:
        return None
    if match["own"]:  # "I'm the boss" says of nobody whose
        whose = match["whose"] or match["of"]
        return f"Is {whose}'s {match['own'].lower()}." if whose else None
    role = (match["role"] or match["first"] or match["got"]).lower()
    name = match["name"] or match["after"] or match["called"]
    return f"Has {'an' if role[0] in 'aeiou' else 'a'} {role} named {name}."


def introduced(sentence: str, name: str) -> str | None:
    """Return "Is from Brno." where a member says so with their own name: "Stan from Brno"."""
    match = SHAPES["introduced"].search(sentence) if " from " in sentence else None
    own = name.split()[0].casefold() if name.split() else ""
    return f"Is from {match['place']}." if match and match["own"].casefold() == own else None


def presupposed(sentence: str) -> str | None:
    """Return "Has a wife." where a member tells whatever of "my wife"."""
    match = (SHAPES["presupposed"] if "my " in sentence.lower() else SHAPES["bare_own"]).match(sentence)
    if not match:
        return None
    whom = next(filter(None, match.groups())).lower()
    article = "" if whom.endswith(("s", "children")) else "an " if whom[0] in "aeiou" else "a "
    return f"Has {article}{whom}."


def by_the_way(sentence: str) -> str | None:
    """Return "Is a nurse." where a member says "as a nurse I ...", "Moved to Leeds." from "since I moved to Leeds"."""
    found = ((told, said.search(sentence)) for told, said in _BY_THE_WAY)
    told, match = next(((told, match) for told, match in found if match), ("", None))
    place = match.groupdict().get("place") if match else None
    if match is None or (place and not place_names.is_place(place)):
        return None
    return f"{re.sub('^Is a (?=[aeiou])', 'Is an ', match.expand(told))}."


def whom_one_has(text: str) -> str | None:
    """Return "Has a gran." of "Has a gran who has it on her fridge."; None where what she does is worth telling."""
    match = SHAPES["whom_one_has"].match(text)
    return f"Has {match['whom']}." if match else None


def named_pet(sentence: str) -> str | None:
    """Return "Has a dog named Bento." from "my dog bento is so dumb"."""
    match = SHAPES["named_pet"].search(sentence)
    name = (match["name"] or match["called"]) if match else ""
    if not match or name.lower() in _NO_NAMES:
        return None
    return f"Has a {(match['pet'] or match['had']).lower()} named {name.capitalize()}."
