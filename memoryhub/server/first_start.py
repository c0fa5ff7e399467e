"""What the first start makes: the administrator."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.contrib.auth import get_user_model

NAME = "admin"


def ensure_admin() -> str:
    """Make the administrator if nobody can sign in as one; return the password to show once, "" if there is none."""
    users = get_user_model().objects
    if users.filter(is_superuser=True, is_active=True).exists():
        return ""
    password = settings.MEMORYHUB_ADMIN_PASSWORD or secrets.token_urlsafe(12)
    admin = users.filter(username=NAME).first() or get_user_model()(username=NAME)
    admin.is_superuser = admin.is_staff = admin.is_active = True  # its rights were taken away, if it is there
    admin.set_password(password)
    admin.save()
    return "" if settings.MEMORYHUB_ADMIN_PASSWORD else password
