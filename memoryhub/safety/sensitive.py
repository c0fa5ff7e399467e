"""What is kept only where a guild says so: what people tell of their health and of their money."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Literal

from memoryhub.language import word_lists
from memoryhub.safety.chunks import NOT_INSIDE, parts

Sensitive = Literal["health", "finances"]
KINDS: tuple[Sensitive, ...] = ("health", "finances")

_SHAPES = word_lists.rows(Path(__file__).with_suffix(".txt"))
_PATTERNS: dict[Sensitive, re.Pattern[str]] = {
    "health": word_lists.pattern(f"{NOT_INSIDE}(?:{'|'.join(_SHAPES['health'])})", _SHAPES),
    "finances": word_lists.pattern("|".join(_SHAPES["finances"]), _SHAPES),
}


def sensitive(text: str, *, kept: Collection[str] = ()) -> Sensitive | None:
    """Return which sensitive kind the text tells of anybody, of those that are not kept; None for none."""
    kinds = [kind for kind in KINDS if kind not in kept]
    return next((kind for part in parts(text) for kind in kinds if _PATTERNS[kind].search(part)), None)
