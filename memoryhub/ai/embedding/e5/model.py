"""The model as it runs: what onnxruntime maps is made once on each kind of processor, and kept beside the database."""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memoryhub.ai.embedding.e5.pieces import BEGIN, END, Pieces, Tokenizer
from memoryhub.ai.embedding.e5.weights import Weights, read, unpacked
from memoryhub.server.folder_lock import one_at_a_time

# Read when onnxruntime is imported; the versions that send anything are locked out, too (pyproject.toml).
os.environ |= {"ORT_DISABLE_TELEMETRY": "1"}

import onnxruntime
from onnxruntime.capi.onnxruntime_pybind11_state import Fail, RuntimeException

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

log = logging.getLogger(__name__)

WIDTH = 384
WINDOW = 510  # pieces that the model reads at once, beside begin and end; what is longer is read in parts
MODEL, LAID_OUT, NUMBERS, IDS = "model.onnx", "weights.bin", "numbers.npy", "ids.npy"
KEPT = 4  # folders of other versions and processors that are kept: several machines may share a data folder


class Model:
    """multilingual-e5-small. Calls from several threads run side by side, each on one core, without the GIL."""

    def __init__(self, file: Path, folder: Path) -> None:
        """Load from `folder`, where it is made from `file` if it is not there yet.

        Raises OSError, ValueError for another file, and RuntimeError or its kind from onnxruntime.
        """
        self._weights = read(file)
        self._session, pieces = _ready(self._weights, folder)
        self._tokenizer = Tokenizer(self._weights, pieces)
        self._words = self._weights.blocks("emb.word", WIDTH)
        self._places = self._weights.floats("emb.pos").reshape(-1, WIDTH) + self._weights.floats("emb.type")[:WIDTH]

    def vector(self, text: str) -> Vector:
        """Return the (384,) unit vector of a text, which begins with what it is: `query: ` or `passage: `.

        Each text runs alone, since the numbers of one that ran beside others would hang on these.
        """
        ids = self._tokenizer.ids(text)
        parts = [ids[at : at + WINDOW] for at in range(0, len(ids), WINDOW)]
        means = np.stack([len(part) * self._mean([BEGIN, *part, END]) for part in parts])
        whole: Vector = means.sum(axis=0)
        whole /= np.linalg.norm(whole)
        return whole

    def _mean(self, ids: list[int]) -> Vector:
        """Return the mean of what the model makes of the pieces."""
        embedded = unpacked(self._words[ids]) + self._places[: len(ids)]
        mean: Vector = self._session.run(None, {"embedded": embedded[None]})[0][0]
        return mean


def _ready(weights: Weights, folder: Path) -> tuple[onnxruntime.InferenceSession, Pieces]:
    """Map what was made of the weights, or make it; where nothing can be written, for this process alone."""
    ready = folder / _name()
    try:
        with one_at_a_time(folder):  # those that start together wait for the first
            if not ready.is_dir():
                _make(weights, ready)
    except (OSError, Fail, RuntimeException) as error:
        from memoryhub.ai.embedding.e5.network import network

        log.warning("%s cannot be written, so each process makes the embedded model for itself: %s", folder, error)
        return onnxruntime.InferenceSession(network(weights).SerializeToString(), _options()), Pieces.of(weights)
    pieces = Pieces(np.load(ready / NUMBERS, mmap_mode="r"), np.load(ready / IDS, mmap_mode="r"))
    return onnxruntime.InferenceSession(ready / MODEL, _options()), pieces


def _make(weights: Weights, ready: Path) -> None:
    """Make the folder: half a second, 45 MB."""
    from onnx import save

    from memoryhub.ai.embedding.e5.network import network

    with tempfile.TemporaryDirectory(dir=ready.parent, prefix="unfinished-") as unfinished:
        made = Path(unfinished) / "made"
        made.mkdir()
        save(network(weights), Path(unfinished) / MODEL)
        onnxruntime.InferenceSession(Path(unfinished) / MODEL, _options(keep_in=made))
        pieces = Pieces.of(weights)
        np.save(made / NUMBERS, pieces.numbers)
        np.save(made / IDS, pieces.ids)
        for path in made.iterdir():  # so that after a power cut there is no folder of half a model
            with path.open("rb") as content:
                os.fsync(content.fileno())
        made.rename(ready)
    _remove_others(ready)


def _options(*, keep_in: Path | None = None) -> onnxruntime.SessionOptions:
    """One thread a call: two are twice as quick alone and half as quick on a busy machine."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # it would keep what the longest text took
    options.log_severity_level = 3  # errors; a warning says that what is kept suits this processor alone
    if keep_in is not None:
        options.optimized_model_filepath = str(keep_in / MODEL)
        for name, value in _IN_A_FILE_OF_THEIR_OWN.items():
            options.add_session_config_entry(f"session.{name}", value)
    return options


# As the processor multiplies them: so they are mapped, and processes share their memory.
_IN_A_FILE_OF_THEIR_OWN = {
    "save_external_prepacked_constant_initializers": "1",
    "optimized_model_external_initializers_file_name": LAID_OUT,
    "optimized_model_external_initializers_min_size_in_bytes": "1024",
}


def _name() -> str:
    """Return a name for what it hangs on: the library's version, what the processor can do, and how it is made."""
    able = next((row for row in Path("/proc/cpuinfo").read_text().splitlines() if row.startswith("flags")), "")
    made_by = b"".join(Path(__file__).with_name(name).read_bytes() for name in ("network.py", "pieces.py"))
    return f"{onnxruntime.__version__}-{hashlib.sha256(able.encode() + made_by).hexdigest()[:12]}"


def _remove_others(ready: Path) -> None:
    others = sorted((path for path in ready.parent.iterdir() if path != ready), key=lambda path: path.stat().st_mtime)
    for path in others[:-KEPT]:
        shutil.rmtree(path, ignore_errors=True)
