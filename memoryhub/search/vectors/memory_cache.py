"""What this process keeps of guilds that are asked often: read once, then kept in step by what changed since."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock

from memoryhub.search.scope import Scope
from memoryhub.search.vectors import quantized, store
from memoryhub.search.vectors.kept_rows import Kept, KeptCodes, KeptEmbeddings

# Embeddings of one guild that are kept: a search of 8,192 takes 1 ms. Of a bigger one codes are kept, if it has any.
MOST, MOST_CODES = 8_192, 250_000

# Bytes that are kept in all: what was asked for longest ago gives way.
ROOM = 64_000_000

# Questions after which a guild is read: the second for embeddings, the fourth for codes, which take longer to read.
ASKED, ASKED_CODES = 2, 4

Key = tuple[str, str, int]


@dataclass
class Entry:
    """How often a guild was asked, at which question it is read, and what is kept: up to the change of this number."""

    asked: int = 0
    read_at: int = ASKED
    kept: Kept | None = None
    number: int = 0
    mark: int = 0
    lock: Lock = field(default_factory=Lock)


_entries: OrderedDict[Key, Entry] = OrderedDict()
_lock = Lock()


def find(*, kind: str, model: str, scope: Scope) -> Kept | None:
    """Return what is kept of the guild, with every change up to now.

    None where it is seldom asked, is too big, or does not suit the scope.
    """
    key = (kind, model, scope.guild)
    with _lock:
        entry = _entries.setdefault(key, Entry())
        _entries.move_to_end(key)
    with entry.lock:
        entry.asked += 1
        if entry.kept is not None and not entry.kept.suits(scope):
            return None
        if entry.kept is None or not _followed(entry, key):
            entry.kept = _read(entry, key)
    if entry.kept is None:
        return None
    _make_room()
    return entry.kept if entry.kept.suits(scope) else None


def _followed(entry: Entry, key: Key) -> bool:
    """Bring what is kept up to date; False where that can't be done, or reading all anew is better."""
    kind, model, guild = key
    known, *new = store.changes(kind=kind, model=model, guild=guild, since=entry.number) or [(0, 0, 0)]
    if entry.kept is None or known[:2] != (entry.number, entry.mark):
        return False
    if new:
        changed = {each for _, _, each in new}
        entry.kept.replace(changed, store.rows_of(kind=kind, model=model, guild=guild, ids=changed))
        entry.number, entry.mark, _ = new[-1]
    return not entry.kept.worn


def _read(entry: Entry, key: Key) -> Kept | None:
    kind, model, guild = key
    if entry.asked < entry.read_at or not (last := store.changes(kind=kind, model=model, guild=guild, since=None)):
        return None
    entry.number, entry.mark, _ = last[0]  # before the rows: what changes meanwhile is taken twice, and not missed
    size = store.size_of_guild(MOST_CODES + 1, kind=kind, model=model, guild=guild)
    rows = store.rows_of(kind=kind, model=model, guild=guild)
    if size <= MOST:
        return KeptEmbeddings(rows, size, MOST)
    coded = quantized.find(kind=kind, model=model, guild=guild) if size <= MOST_CODES else None
    if coded and entry.asked >= ASKED_CODES:
        return KeptCodes(coded, rows, size)
    entry.read_at = 2 * entry.asked
    return None


def _make_room() -> None:
    with _lock:
        room = ROOM - sum(entry.kept.size() for entry in _entries.values() if entry.kept)
        while room < 0:
            _, oldest = _entries.popitem(last=False)
            room += oldest.kept.size() if oldest.kept else 0
