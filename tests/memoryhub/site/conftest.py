"""A cache that starts empty."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.cache import cache


@pytest.fixture
def empty_cache() -> Iterator[None]:
    """Count requests and looks from nothing."""
    cache.clear()
    yield
    cache.clear()
