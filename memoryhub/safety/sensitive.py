"""What is kept only where a guild says so: what people tell of their health and of their money."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from memoryhub.language.word_lists import Shapes
from memoryhub.safety.chunks import parts

Sensitive = Literal["health", "finances"]
KINDS: tuple[Sensitive, ...] = ("health", "finances")
_SHAPES = Shapes(__file__)


def sensitive(text: str, *, kept: Collection[str] = ()) -> Sensitive | None:
    """Return which sensitive kind the text tells of anybody, of those that are not kept; None for none."""
    kinds = [kind for kind in KINDS if kind not in kept]
    pieces = [_SHAPES["at_work"].sub(" ", part) if _SHAPES["hospital"].search(part) else part for part in parts(text)]
    return next((kind for part in pieces for kind in kinds if _SHAPES[kind].search(part)), None)
