"""Text that orders a bot about in words that no pattern knows: told by its meaning, a vector of the embedded model.

Made for texts as short as a fact. `manage.py train_guard` learns the weights in the file beside this module.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

WEIGHTS = Path(__file__).with_suffix(".json")


def means_instruction(vector: Vector) -> bool:
    """Say if the text of this vector (384 numbers, of the embedded model) rather orders a bot about than tells."""
    weights, bias = _weights()
    return bool(vector @ weights + bias > 0)


@cache
def _weights() -> tuple[Vector, float]:
    import numpy as np

    learned = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return np.array(learned["weights"], np.float32), learned["bias"]
