"""An operator in front of the pages."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client


@pytest.fixture
def olga(db: None) -> Client:
    """Return the browser of an operator who is signed in."""
    client = Client()
    client.force_login(User.objects.create_superuser("olga"))
    return client
