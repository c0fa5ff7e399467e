"""What a scan looks for: account ids and names as they are, and texts as fingerprints that do not reveal them."""

from __future__ import annotations

import io
import json
import re
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from memoryhub.search.keywords.terms import STOP_WORDS, indexed

Kind = Literal["member", "channel", "guild"]
Marks = NDArray[np.uint64]
WINDOW = 20  # bytes; a shorter text could be anybody's
OFFSETS = (0, 8, WINDOW - 8)
AT_ONCE = 20_000  # texts that are hashed at a time
ALL_BITS = 2**64 - 1
STRIDE = 256  # a fingerprint for so many bytes of a long text: SQLite cuts one over several pages
PIECE = 1 << 14  # windows that are hashed at once: what is worked out of them stays in the processor's cache
SPARSE, MOST_BITS = 8, 22  # of a table of fingerprints: of few one window in 256 or fewer is looked up
SHORTEST_NAME, SHORTEST_ID = 3, 5
PLAIN = ("kind", "guild", "member", "channel", "ids", "names", "keys")
NONE: Marks = np.empty(0, dtype=np.uint64)


@dataclass(kw_only=True)
class Needles:
    """What must be gone after an erasure; of texts, fingerprints of windows of WINDOW bytes.

    `messages` are those of what the erased member wrote, `facts` those of what was learned from it.
    """

    kind: Kind = "member"
    guild: int = 0
    member: int = 0
    channel: int = 0
    ids: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    keys: list[int] = field(default_factory=lambda: [secrets.randbits(64) | 1 for _ in range(4)])
    messages: Marks = field(default_factory=NONE.copy)
    facts: Marks = field(default_factory=NONE.copy)

    def add(self, *, messages: Iterable[str] = (), facts: Iterable[str] = ()) -> None:
        """Take the fingerprints of more texts."""
        self.messages = np.union1d(self.messages, self._marks_of(messages))
        self.facts = np.union1d(self.facts, self._marks_of(facts))
        for name in ("_all", "_table"):
            self.__dict__.pop(name, None)

    def joined(self, other: Needles) -> Needles:
        """Return these and the other's; of somebody who began at the same moment, by other random keys, none."""
        if self.keys != other.keys:
            return self
        return replace(
            self, guild=other.guild, member=other.member, channel=other.channel,
            ids=list(dict.fromkeys([*self.ids, *other.ids])), names=list(dict.fromkeys([*self.names, *other.names])),
            messages=np.union1d(self.messages, other.messages), facts=np.union1d(self.facts, other.facts),
        )  # fmt: skip

    def _marks_of(self, texts: Iterable[str]) -> Marks:
        """Return fingerprints of texts, as stored plain, in JSON and in the word index."""
        marks, rest = NONE, iter(texts)
        while batch := list(islice(rest, AT_ONCE)):
            forms = (form for text in batch for form in {text, json.dumps(text)[1:-1], indexed(text)})
            found = {mark for form in forms for mark in self._sampled(form.encode(errors="replace"))}
            marks = np.union1d(marks, np.fromiter(found, dtype=np.uint64, count=len(found)))
        return marks

    def _sampled(self, data: bytes) -> Iterator[int]:
        """Yield what `_windows` has at the beginning of a text, at its end, and here and there between."""
        last = len(data) - WINDOW
        for place in {*range(0, last + 1, STRIDE), last} if last >= 0 else ():
            mark = 0
            for key, at in zip(self.keys, OFFSETS, strict=False):
                mark = (mark + int.from_bytes(data[place + at : place + at + 8], "little")) * key & ALL_BITS
                mark ^= mark >> 32  # else texts that differ in a few bytes only meet in one of some hundred
            yield mark * self.keys[-1] & ALL_BITS

    def _windows(self, data: bytes, start: int, count: int) -> Marks:
        """Return the fingerprints at so many bytes from a place on: hashes under this erasure's own random keys."""
        *keys, last = (np.uint64(key) for key in self.keys)
        marks: Marks = np.zeros(count, dtype=np.uint64)
        for at, key in zip(OFFSETS, keys, strict=True):
            marks += np.ndarray(shape=count, dtype="<u8", buffer=data, offset=start + at, strides=(1,))
            marks *= key
            marks ^= marks >> np.uint64(32)
        marks *= last
        return marks

    def found_in(self, data: bytes) -> Marks:
        """Return which fingerprints occur in the bytes."""
        count, (table, shift) = len(data) - WINDOW + 1, self._table
        likely = [NONE]
        for start in range(0, count, PIECE):
            marks = self._windows(data, start, min(PIECE, count - start))
            likely.append(marks[table[marks >> shift]])
        return np.intersect1d(np.concatenate(likely), self._all)

    @cached_property
    def _all(self) -> Marks:
        return np.union1d(self.messages, self.facts)

    @cached_property
    def _table(self) -> tuple[NDArray[np.bool_], np.uint64]:
        """Return a table that is asked first, and how far a fingerprint is shifted to be looked up in it."""
        bits = min(len(self._all).bit_length() + SPARSE, MOST_BITS)
        table, shift = np.zeros(1 << bits, dtype=np.bool_), np.uint64(64 - bits)
        table[self._all >> shift] = True
        return table, shift

    def names_in(self, text: str) -> int:
        """Count where the text names them, as whole words."""
        return len(_any_word(tuple(self.names)).findall(text)) if self.names else 0

    def may_name(self, text: str) -> bool:
        """Say whether a text, or one of many in a row, has a name or an id of theirs."""
        words = (*self.names, *self.ids)
        return bool(words) and _any_word(words).search(text) is not None

    def ids_in(self, text: str) -> int:
        """Count where the text has an id of theirs."""
        return len(_any_word(tuple(self.ids)).findall(text)) if self.ids else 0

    def occur_in(self, text: str) -> bool:
        """Tell whether a name, an id or a window of a text is in this text."""
        return bool(self.names_in(text) or self.ids_in(text) or len(self.found_in(text.encode(errors="replace"))))

    def packed(self) -> bytes:
        """Return all of them as bytes in which nothing can be read as it is: a scan would take it for a trace."""
        plain = {name: getattr(self, name) for name in PLAIN}
        header, file = np.frombuffer(json.dumps(plain).encode(), np.uint8), io.BytesIO()
        np.savez_compressed(file, plain=header, messages=self.messages, facts=self.facts)
        return file.getvalue()

    @classmethod
    def unpacked(cls, data: bytes) -> Needles:
        """Read what `packed` returned."""
        with np.load(io.BytesIO(data), allow_pickle=False) as kept:
            plain = json.loads(kept["plain"].tobytes())
            return cls(**plain, messages=kept["messages"], facts=kept["facts"])


def distinctive_names(names: Iterable[str], *, others: Iterable[str] = ()) -> list[str]:
    """Return the names that say who is meant: none that another member bears, too, and no everyday word."""
    taken = {word for name in others for word in (name.casefold(), *name.casefold().split())}
    wanted = {name.strip().casefold(): name.strip() for name in names if len(name.strip()) >= SHORTEST_NAME}
    return [name for folded, name in wanted.items() if folded not in taken and folded not in STOP_WORDS]


def distinctive_ids(ids: Iterable[str]) -> list[str]:
    """Return the ids that are long enough to be nothing else."""
    return [account for account in dict.fromkeys(ids) if len(account) >= SHORTEST_ID]


@lru_cache(maxsize=8)
def _any_word(words: tuple[str, ...]) -> re.Pattern[str]:
    longest = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.compile(rf"(?<!\w)(?:{longest})(?!\w)", re.IGNORECASE)
