"""One taxonomy of facts for the kinds of all source designs; docs/memory.md shows the table."""

from __future__ import annotations

from typing import Literal

Kind = Literal["preference", "profile", "relationship", "project", "lore", "other"]

KINDS: dict[Kind, tuple[str, ...]] = {
    "preference": ("preference", "preferences", "interests", "behavioral"),
    "profile": ("profile", "personal", "work", "health", "recurring", "skills", "biography", "possessions", "habits"),
    "relationship": ("relationship", "relationships"),
    "project": ("project", "context"),
    "lore": ("lore",),
    "other": ("other", "general"),
}
"""Our kinds, and the names that the designs which memoryhub joins have for what belongs to each: docs/origins.md."""

_OURS: dict[str, Kind] = {name: kind for kind, names in KINDS.items() for name in names}


def kind_of(name: object) -> Kind:
    """Return our kind for another design's or a model's word; what is unknown is other."""
    return _OURS.get(str(name).strip().casefold(), "other")
