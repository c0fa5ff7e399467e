"""How many requests each key makes a day: counted by process, and added to the key's row whenever its use is noted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from threading import Lock

KEPT = 30  # days

_lock = Lock()
_counted: dict[str, Counter[str]] = {}
"""By the digest of a key: requests by day that its row does not have yet. A process that is killed loses seconds."""


def count(digest: str, *, now: datetime) -> Counter[str]:
    """Count a request of the key; return what its row does not have yet."""
    with _lock:
        counted = _counted.setdefault(digest, Counter())
        counted[now.astimezone(UTC).date().isoformat()] += 1
        return Counter(counted)


def waiting(digest: str) -> Counter[str]:
    """Return what this process counted and the key's row does not have yet."""
    with _lock:
        return Counter(_counted.get(digest, {}))


def added(uses: Mapping[str, int], counted: Mapping[str, int], *, now: datetime) -> dict[str, int]:
    """Return the row's numbers with these, without the days that are long ago."""
    first = (now.astimezone(UTC).date() - timedelta(days=KEPT - 1)).isoformat()
    both = Counter(uses) + Counter(counted)
    return {day: number for day, number in sorted(both.items()) if day >= first}


def noted(digest: str, counted: Mapping[str, int]) -> None:
    """Forget what the row has now."""
    with _lock:
        left = _counted.pop(digest, Counter()) - Counter(counted)
        if left:
            _counted[digest] = left


def by_day(uses: Mapping[str, int], *, today: date) -> list[tuple[date, float]]:
    """Return each of the last 30 days with its number."""
    days = [today - timedelta(days=back) for back in reversed(range(KEPT))]
    return [(day, uses.get(day.isoformat(), 0)) for day in days]
