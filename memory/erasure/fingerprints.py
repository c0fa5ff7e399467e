"""What a scan looks for: account ids and names as they are, and fingerprints of texts, which tell nobody the text."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from memoryhub.search.keywords.terms import STOP_WORDS, indexed

Kind = Literal["member", "channel", "guild"]
Marks = NDArray[np.uint64]
WINDOW = 20  # bytes; a shorter text could be anybody's
OFFSETS = (0, 8, WINDOW - 8)
AT_ONCE = 20_000  # texts whose fingerprints are gathered at a time
ALL_BITS = 2**64 - 1
STRIDE = 256  # a fingerprint for so many bytes of a long text: SQLite cuts one over several pages
BITS = np.uint64(22)
SHORTEST_NAME, SHORTEST_ID = 3, 5
PLAIN = ("kind", "guild", "member", "channel", "ids", "names", "keys")
NONE: Marks = np.empty(0, dtype=np.uint64)


@dataclass(kw_only=True)
class Needles:
    """What must be gone: `said` are windows of the erased person's messages, `told` of what was learned from them."""

    kind: Kind = "member"
    guild: int = 0
    member: int = 0
    channel: int = 0
    ids: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    keys: list[int] = field(default_factory=lambda: [secrets.randbits(64) | 1 for _ in range(4)])
    said: Marks = field(default_factory=NONE.copy)
    told: Marks = field(default_factory=NONE.copy)

    def add(self, *, said: Iterable[str] = (), told: Iterable[str] = ()) -> None:
        """Take the fingerprints of more texts."""
        self.said = np.union1d(self.said, self._marks_of(said))
        self.told = np.union1d(self.told, self._marks_of(told))
        for name in ("_all", "_table"):
            self.__dict__.pop(name, None)

    def _marks_of(self, texts: Iterable[str]) -> Marks:
        marks, rest = NONE, iter(texts)
        while some := list(islice(rest, AT_ONCE)):
            forms = (form.encode(errors="replace") for text in some for form in _forms(text))
            found = {mark for data in forms for mark in self._marked(data)}
            marks = np.union1d(marks, np.fromiter(found, dtype=np.uint64, count=len(found)))
        return marks

    def _marked(self, data: bytes) -> list[int]:
        """Return fingerprints of a text: at its beginning, its end, and here and there between."""
        last = len(data) - WINDOW
        return [self._mark(data, place) for place in {*range(0, last + 1, STRIDE), last}] if last >= 0 else []

    def _mark(self, data: bytes, place: int) -> int:
        """Return what `_windows` has at this place, where a few of them are wanted."""
        mark = 0
        for key, at in zip(self.keys, OFFSETS, strict=False):
            mark ^= int.from_bytes(data[place + at : place + at + 8], "little") * key & ALL_BITS
        return (mark ^ mark >> 32) * self.keys[-1] & ALL_BITS

    def _windows(self, data: bytes) -> Marks:
        """Return the fingerprint at each byte: a hash under this erasure's own random keys."""
        count = len(data) - WINDOW + 1
        if count <= 0:
            return NONE
        eights: Marks = np.ndarray(shape=(len(data) - 7,), dtype="<u8", buffer=data, strides=(1,))
        one, two, three, last = (np.uint64(key) for key in self.keys)
        parts = [eights[at : at + count] * key for at, key in zip(OFFSETS, (one, two, three), strict=True)]
        marks: Marks = parts[0] ^ parts[1] ^ parts[2]
        marks ^= marks >> np.uint64(32)
        return marks * last

    def found_in(self, data: bytes) -> Marks:
        """Return which fingerprints occur in the bytes."""
        every = self._windows(data)
        # A table of bits first: it leaves one window in thousands to be looked up.
        likely = every[self._table[every >> (np.uint64(64) - BITS)]]
        return np.intersect1d(likely, self._all)

    @cached_property
    def _all(self) -> Marks:
        return np.union1d(self.said, self.told)

    @cached_property
    def _table(self) -> NDArray[np.bool_]:
        table = np.zeros(1 << int(BITS), dtype=np.bool_)
        table[self._all >> (np.uint64(64) - BITS)] = True
        return table

    @cached_property
    def _named(self) -> re.Pattern[str] | None:
        return _any_word(self.names)

    @cached_property
    def _known_as(self) -> re.Pattern[str] | None:
        return _any_word(self.ids)

    def names_in(self, text: str) -> int:
        """Count where the text names them, as whole words."""
        return len(self._named.findall(text)) if self._named else 0

    def ids_in(self, text: str) -> int:
        """Count where the text has an id of theirs."""
        return len(self._known_as.findall(text)) if self._known_as else 0

    def touch(self, text: str) -> bool:
        """Tell whether anything of them is in the text."""
        return bool(self.names_in(text) or self.ids_in(text) or len(self.found_in(text.encode(errors="replace"))))

    # --- Kept beside the database while an erasure runs ---

    def save(self, path: Path) -> None:
        """Write them to a file that only this user may read; whole, or not at all."""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        plain = {name: getattr(self, name) for name in PLAIN}
        fresh = path.with_name(f"{path.stem}.new.npz")
        fresh.touch(mode=0o600)
        with fresh.open("wb") as file:
            np.savez(file, plain=np.frombuffer(json.dumps(plain).encode(), np.uint8), said=self.said, told=self.told)
        fresh.replace(path)

    @classmethod
    def load(cls, path: Path) -> Needles:
        """Read what `save` wrote."""
        with np.load(path, allow_pickle=False) as kept:
            return cls(**json.loads(kept["plain"].tobytes()), said=kept["said"], told=kept["told"])


def telling(names: Iterable[str], *, others: Iterable[str] = ()) -> list[str]:
    """Return the names that say who is meant: none that another member bears, too, and no everyday word."""
    borne = {word for name in others for word in (name.casefold(), *name.casefold().split())}
    wanted = {name.strip().casefold(): name.strip() for name in names if len(name.strip()) >= SHORTEST_NAME}
    return [name for folded, name in wanted.items() if folded not in borne and folded not in STOP_WORDS]


def telling_ids(ids: Iterable[str]) -> list[str]:
    """Return the ids that are long enough to be nothing else."""
    return [each for each in dict.fromkeys(ids) if len(each) >= SHORTEST_ID]


def _forms(text: str) -> set[str]:
    """Return how a text is stored: as it is, in JSON, and in the word index."""
    return {text, json.dumps(text)[1:-1], indexed(text)}


def _any_word(words: Sequence[str]) -> re.Pattern[str] | None:
    longest = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.compile(rf"(?<!\w)(?:{longest})(?!\w)", re.IGNORECASE) if longest else None
