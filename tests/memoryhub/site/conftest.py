"""An operator in front of the pages, and a cache that starts empty."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client


@pytest.fixture
def olga(db: None) -> Client:
    """Return the browser of an operator who is signed in."""
    client = Client()
    client.force_login(User.objects.create_superuser("olga"))
    return client


@pytest.fixture
def empty_cache() -> Iterator[None]:
    """Count requests and looks from nothing."""
    cache.clear()
    yield
    cache.clear()
