"""The ids by which users name memories: #12 is a fact, p7 an entry of a profile, n3 a note."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from django.db.models import Q

Kind = Literal["fact", "entry", "note"]
SIGNS: dict[Kind, str] = {"fact": "#", "entry": "p", "note": "n"}
_ID = re.compile(r"\s*(#|p|n|)(\d{1,18})\s*", re.IGNORECASE | re.ASCII)


class MemoryId(NamedTuple):
    """One memory by its kind and number."""

    kind: Kind
    pk: int

    def __str__(self) -> str:
        return f"{SIGNS[self.kind]}{self.pk}"


def parse_id(text: str, *, default: Kind = "fact") -> MemoryId | None:
    """Return the memory that the text names, None if it is no id; `default` is what a number alone means."""
    match = _ID.fullmatch(text)
    if match is None:
        return None
    kinds: dict[str, Kind] = {"p": "entry", "n": "note"}
    return MemoryId(kinds.get(match[1].lower(), default), int(match[2]))


def has_id(text: str, kind: Kind, *, default: Kind = "fact") -> Q:
    """Return the condition that a row is the one that the text names, which no row meets if it names none."""
    memory_id = parse_id(text, default=default)
    return Q(pk=memory_id.pk) if memory_id and memory_id.kind == kind else Q(pk=None)
