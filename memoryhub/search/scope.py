"""Where a search may look and what it finds: shared by the vector index and the word index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

WHOLE_GUILD = 0
"""The audience of what everybody in the guild could read; any other audience is a channel's row id."""

NOBODY = 0
"""The subject of what is about no member: lore, notes, messages without an author."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """One guild, the audiences that may be used in it, and the subjects (None: about anybody or nobody)."""

    guild: int
    audiences: Sequence[int]
    subjects: Sequence[int] | None = None


class Match(NamedTuple):
    """The id of what was found and its score: larger is better, the scale belongs to the index."""

    id: int
    score: float
