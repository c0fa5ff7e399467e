"""What a text is shows in the direction in which its embedding lies, learned for the embedded model.

`manage.py train_direction` learns each; they stand in files of their names beside this module.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

FOLDER = Path(__file__).parent
LASTING = "lasting"
GENERAL = "general"


@dataclass(frozen=True, kw_only=True, eq=False)
class Direction:
    """A unit vector to which embeddings of one kind of texts are nearer than others; the least cosine that counts."""

    direction: Vector
    least: float

    def has(self, embedding: Vector) -> bool:
        """Say whether a text, by its (dimensions,) embedding, is of the kind."""
        return float(embedding @ self.direction) >= self.least


def lasting(model: str) -> Direction | None:
    """Return that of messages which say what lasts, of whoever wrote them or of all, and are no chatter.

    It is for embeddings of a model, by its identity; None where none was learned.
    """
    return _learned(LASTING).get(model)


def general(model: str) -> Direction | None:
    """Return that of questions which are of the world at large, as opposed to what a community knows of itself."""
    return _learned(GENERAL).get(model)


def file_of(name: str) -> Path:
    """Return where a direction is kept."""
    return FOLDER / f"{name}.json"


@cache
def _learned(name: str) -> dict[str, Direction]:
    import numpy as np

    kept = json.loads(file_of(name).read_text(encoding="utf-8"))
    direction = np.array(kept["direction"], np.float32)
    direction /= np.linalg.norm(direction)
    return {kept["embedder"]: Direction(direction=direction, least=kept["least"])}
