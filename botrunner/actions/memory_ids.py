"""The marks by which memories are named at the desk: #12 is a fact, p7 a line of a profile, n3 a note."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from django.db.models import Q

Kind = Literal["fact", "line", "note"]
LETTERS: dict[str, Kind] = {"p": "line", "n": "note"}
SIGNS: dict[Kind, str] = {"fact": "#", "line": "p", "note": "n"}
_MARK = re.compile(r"\s*(#|p|n|)(\d{1,18})\s*", re.IGNORECASE | re.ASCII)


class Mark(NamedTuple):
    """One memory by its kind and number."""

    kind: Kind
    pk: int

    def __str__(self) -> str:
        return f"{SIGNS[self.kind]}{self.pk}"


def mark(text: str, *, bare: Kind = "fact") -> Mark | None:
    """Return the memory that the text names; `bare` is what a number without a letter means."""
    found = _MARK.fullmatch(text)
    if found is None:
        return None
    return Mark(LETTERS.get(found[1].lower(), bare), int(found[2]))


def named(text: str, kind: Kind, *, bare: Kind = "fact") -> Q:
    """Return the condition that a row is the one that the text names, which no row meets if it names none."""
    found = mark(text, bare=bare)
    return Q(pk=found.pk) if found and found.kind == kind else Q(pk=None)
