"""How many requests a key makes in a minute, over all processes and hosts: in Redis, else in the database."""

from __future__ import annotations

from datetime import datetime
from threading import Lock

from django.conf import settings
from django.core.cache import cache
from django.db import OperationalError

from memoryhub import db
from memoryhub.models import ApiKey

WINDOW = 60  # seconds
BLOCKS = 500
"""A process draws requests from the database by this part of the limit, so that few of them write.

What others have drawn and not used a key can't use: of 6,000 requests, 11 for each further process at worst.
"""
DRAW_WAITS = 200  # milliseconds; a database that is busy must not keep a reader out
KEYS = 1_000  # of which a process remembers what it has drawn
DRAW = """INSERT INTO memoryhub_requestcount AS known (api_key_id, minute, drawn) VALUES (%s, %s, %s)
    ON CONFLICT (api_key_id) DO UPDATE SET
        drawn = CASE WHEN excluded.minute > known.minute THEN excluded.drawn ELSE known.drawn + excluded.drawn END,
        minute = CASE WHEN excluded.minute > known.minute THEN excluded.minute ELSE known.minute END
    RETURNING drawn"""

Minute = tuple[str, int]  # the digest of a key, and the minute


class TooManyRequests(Exception):
    """The key has had its requests of this minute."""

    def __init__(self, most: int, retry_after: int) -> None:
        super().__init__(f"This key may make {most} requests a minute. Try again in {retry_after} seconds.")
        self.headers = {"Retry-After": str(retry_after)}


def count_request(key: ApiKey, *, now: datetime) -> None:
    """Count one request of the key; raises TooManyRequests when it is one too many."""
    if key.per_minute is None:
        return
    minute, second = divmod(int(now.timestamp()), WINDOW)
    if not (_counted_in_redis(key, minute) if settings.REDIS_URL else _drawn.take(key, key.per_minute, minute)):
        raise TooManyRequests(key.per_minute, WINDOW - second)


def _counted_in_redis(key: ApiKey, minute: int) -> bool:
    place = f"rate:{key.pk}:{minute}"
    cache.add(place, 0, 2 * WINDOW)
    try:
        return cache.incr(place) <= (key.per_minute or 0)
    except ValueError:  # Redis does not answer
        return _drawn.take(key, key.per_minute or 0, minute)


class _Drawn:
    """What this process has drawn for each key in this minute and not used yet."""

    def __init__(self) -> None:
        self.left: dict[Minute, int] = {}
        self.lock = Lock()

    def take(self, key: ApiKey, most: int, minute: int) -> bool:
        """Use one request up; False where the key has had all of them."""
        place = key.digest, minute
        with self.lock:
            left = self.left.get(place)
            if left is not None and left != 0:
                self.left[place] = max(left - 1, -1)
                return left > 0
        drawn = self._draw(key, most, minute)
        with self.lock:
            if len(self.left) >= KEYS:
                self.left = {known: count for known, count in self.left.items() if known[1] == minute}
            # -1: there are no more. Another thread may have drawn, too.
            self.left[place] = max(self.left.get(place, 0), 0) + drawn - 1 if drawn else -1
        return drawn > 0

    def _draw(self, key: ApiKey, most: int, minute: int) -> int:
        """Return how many requests this process may let through; some of the last are drawn by nobody."""
        block = max(1, most // BLOCKS)
        try:
            with db.wait_at_most(DRAW_WAITS):
                ((drawn,),) = db.select(DRAW, [key.pk, minute, block])
        except OperationalError:
            return block
        return max(0, min(block, most - (int(drawn) - block)))


_drawn = _Drawn()
