"""Compare a text with the file that holds it; UPDATE_SNAPSHOTS=1 writes the file anew."""

from __future__ import annotations

import os
from pathlib import Path

HERE = Path(__file__).parent


def kept(name: str, text: str) -> str:
    """Return what the file holds, after writing it if that is asked for."""
    path = HERE / name
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.write_text(text + "\n", encoding="utf-8")
    return path.read_text(encoding="utf-8").removesuffix("\n")
