"""Which messages say what lasts, of whoever wrote them or of all, and is no chatter: they lie in one direction.

`manage.py train_lasting` learns the direction in the file beside this module, which is that of the embedded model.
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

WEIGHTS = Path(__file__).with_suffix(".json")


@dataclass(frozen=True, kw_only=True, eq=False)
class Lasting:
    """A unit vector to which messages that say what lasts are nearer than chatter, and the least cosine that counts."""

    direction: Vector
    least: float


def lasting(model: str) -> Lasting | None:
    """Return the direction for embeddings of a model, by its identity; None where none was learned."""
    learned = _learned()
    return learned[1] if learned[0] == model else None


@cache
def _learned() -> tuple[str, Lasting]:
    import numpy as np

    kept = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    direction = np.array(kept["direction"], np.float32)
    direction /= np.linalg.norm(direction)
    return kept["embedder"], Lasting(direction=direction, least=kept["least"])
