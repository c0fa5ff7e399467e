"""The cache in Redis; where Redis does not answer it is an empty one, and the hub goes on."""

from __future__ import annotations

import logging
from typing import Any

from django.core.cache.backends.redis import RedisCache as DjangosRedisCache
from redis import RedisError

logger = logging.getLogger(__name__)


class RedisCache(DjangosRedisCache):
    """What is kept here is counts and notes that somebody can do without: none of it is worth an error."""

    def add(self, *args: Any, **kwargs: Any) -> bool:
        """Keep it if it is not there; True where Redis does not answer, as if it were not."""
        try:
            return bool(super().add(*args, **kwargs))
        except RedisError as error:
            _tell(error)
            return True

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        """Return what is kept."""
        try:
            return super().get(key, default, version)
        except RedisError as error:
            _tell(error)
            return default

    def set(self, *args: Any, **kwargs: Any) -> None:
        """Keep it."""
        try:
            super().set(*args, **kwargs)
        except RedisError as error:
            _tell(error)

    def delete(self, *args: Any, **kwargs: Any) -> bool:
        """Forget it."""
        try:
            return bool(super().delete(*args, **kwargs))
        except RedisError as error:
            _tell(error)
            return False

    def incr(self, key: Any, delta: int = 1, version: int | None = None) -> int:
        """Count; raises ValueError where nothing is kept under the key, or Redis does not answer."""
        try:
            return int(super().incr(key, delta, version))
        except RedisError as error:
            _tell(error)
            raise ValueError("Redis does not answer") from None


def _tell(error: RedisError) -> None:
    logger.warning("Redis does not answer: %s", type(error).__name__)
