"""What this process keeps of guilds that are asked often: read once, then kept in step by what changed since."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock

from memoryhub.search.scope import Scope
from memoryhub.search.vectors import quantized, store
from memoryhub.search.vectors.kept_rows import KeptCodes, KeptEmbeddings

# Embeddings of one guild that are kept: a search of 8,192 takes 1 ms. Of a bigger one codes are kept, if it has any.
MOST, MOST_CODES = 8_192, 250_000

# Bytes that are kept in all: what was asked for longest ago gives way.
ROOM = 64_000_000

# Questions after which a guild is read: the second for embeddings, the fourth for codes, which take longer to read.
ASKED, ASKED_CODES = 2, 4

Key = tuple[str, str, int]
Kept = KeptEmbeddings | KeptCodes
Changes = list[tuple[int, int, int]]
"""Number, mark and id of each."""


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


def find_all(*, model: str, asked: Sequence[tuple[str, Scope]]) -> list[Kept | None]:
    """Return what is kept of the guild for each kind and scope, with every change up to now, read by one statement.

    None where it is seldom asked, is too big, or does not suit the scope.
    """
    keys = [(kind, model, scope.guild) for kind, scope in asked]
    with _lock:
        entries = {key: _entries.setdefault(key, Entry()) for key in keys}
        for key in entries:
            _entries.move_to_end(key)
    suited = {key for key, (_, scope) in zip(keys, asked, strict=True) if _suits(entries[key].kept, scope)}
    known = [(key, entries[key].number) for key in suited]
    changed = dict(zip(known, store.changes_of_all([(*key, number) for key, number in known]), strict=True))
    found = list[Kept | None]()
    for key, (_, scope) in zip(keys, asked, strict=True):
        entry = entries[key]
        with entry.lock:
            entry.asked += 1
            if entry.kept is not None and not entry.kept.suits(scope):
                found.append(None)
                continue
            if entry.kept is None or not _followed(entry, key, changed.get((key, entry.number))):
                entry.kept = _read(entry, key)
            found.append(entry.kept if _suits(entry.kept, scope) else None)
    _make_room()
    return found


def _suits(kept: Kept | None, scope: Scope) -> bool:
    return kept is not None and kept.suits(scope)


def _followed(entry: Entry, key: Key, changes: Changes | None) -> bool:
    """Bring what is kept up to date; False where that can't be done, or reading all anew is better."""
    kind, model, guild = key
    if changes is None:  # another thread has brought it further meanwhile
        changes = store.changes(kind=kind, model=model, guild=guild, since=entry.number)
    known, *new = changes or [(0, 0, 0)]
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
