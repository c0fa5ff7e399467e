"""Moves a question's embedding to where what answers it lies: an affine map, learned for the embedded model.

`manage.py train_adapter` learns the one in the file beside this module. Only questions are moved, so nothing
that is stored depends on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

WEIGHTS = Path(__file__).with_suffix(".npz")


@dataclass(frozen=True, kw_only=True, eq=False)
class QuestionAdapter:
    """A (dimensions, dimensions) matrix and a (dimensions,) vector.

    A product with a moved question, which has no length of one, is about as great as the cosine with the question was
    once `shift` is put to it: what an embedder's thresholds are about.
    """

    matrix: Vector
    bias: Vector
    shift: float

    def moved(self, question: Vector) -> Vector:
        """Return the embedding of a question, (dimensions,), or of several, as rows, moved."""
        return question @ self.matrix + self.bias


def question_adapter(model: str) -> QuestionAdapter | None:
    """Return the adapter for embeddings of a model, by its identity; None where none was learned."""
    learned = _learned()
    return learned[1] if learned[0] == model else None


def unpacked(kept: NDArray[np.int8], steps: Vector) -> Vector:
    """Return the matrix that is kept as its difference from the identity, in whole steps of a size for each column."""
    import numpy as np

    return np.eye(len(kept), dtype=np.float32) + kept * steps


@cache
def _learned() -> tuple[str, QuestionAdapter]:
    import numpy as np

    with np.load(WEIGHTS) as kept:
        adapter = QuestionAdapter(
            matrix=unpacked(kept["change"], kept["steps"]), bias=kept["bias"], shift=float(kept["shift"])
        )
        return str(kept["embedder"]), adapter
