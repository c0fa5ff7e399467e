"""Holds each key to its requests a minute: counted in the cache, so over all processes where REDIS_URL names one."""

from __future__ import annotations

from datetime import datetime

from django.core.cache import cache

from memoryhub.models import ApiKey

WINDOW = 60  # seconds


class TooManyRequests(Exception):
    """The key has had its requests of this minute."""

    def __init__(self, most: int, retry_after: int) -> None:
        super().__init__(f"This key may make {most} requests a minute. Try again in {retry_after} seconds.")
        self.headers = {"Retry-After": str(retry_after)}


def count_request(key: ApiKey, *, now: datetime) -> None:
    """Count one request of the key; raises TooManyRequests when it is one too many.

    Without Redis each web process counts for itself: two of them let through up to twice as many.
    """
    if key.per_minute is None:
        return
    minute, second = divmod(int(now.timestamp()), WINDOW)
    place = f"rate:{key.pk}:{minute}"
    cache.add(place, 0, 2 * WINDOW)
    try:
        count = cache.incr(place)
    except ValueError:  # thrown out of a cache that is full
        return
    if count > key.per_minute:
        raise TooManyRequests(key.per_minute, WINDOW - second)
