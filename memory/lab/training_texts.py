"""What is learned from written texts: their lines, a mark by which a change of them is seen, and what is held back."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FOLDS = 5


def lines_of(path: Path) -> list[str]:
    """Return the lines of a file of texts, without empty ones."""
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def fingerprint(*kinds: list[str]) -> str:
    """Return what tells whether texts are those that something was learned from."""
    return hashlib.sha256("\n".join(line for lines in kinds for line in lines).encode()).hexdigest()


def folds(*sizes: int, alike: int) -> NDArray[np.int64]:
    """Return for each text of kinds of these sizes, one kind after the other, in which of five turns it is held back.

    So many that stand together are `alike`, and are held back together.
    """
    return np.concatenate([np.arange(size) for size in sizes]) // alike % FOLDS
