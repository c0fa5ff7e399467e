"""Files for people that hold what was said: whole or not there, and over another one only where that is meant."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EEXIST
from pathlib import Path
from typing import BinaryIO


@contextmanager
def new_file(path: Path, *, may_replace: bool = False) -> Iterator[BinaryIO]:
    """Yield a file that only its owner reads, and give it its name once all is written.

    Raises OSError where it cannot be written; FileExistsError, unless it `may_replace`, where there is one already.
    """
    if path.exists() and not may_replace:
        raise FileExistsError(EEXIST, "there is such a file already", str(path))
    part = path.with_name(f".{path.name}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            yield file
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
