"""What the first start makes: the administrator."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.contrib.auth import get_user_model

NAME = "admin"


def ensure_admin() -> str:
    """Make the administrator if nobody can sign in as one; return the password to show once, "" if there is none."""
    users = get_user_model().objects
    if users.filter(is_superuser=True).exists():
        return ""
    password = settings.MEMORYHUB_ADMIN_PASSWORD or secrets.token_urlsafe(12)
    users.create_superuser(NAME, password=password)
    return "" if settings.MEMORYHUB_ADMIN_PASSWORD else password
