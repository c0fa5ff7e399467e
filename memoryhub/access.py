"""Who may see which guilds: the one place that decides it, for every page."""

from __future__ import annotations

from typing import TypeVar

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest

from profiles.models import Guild

Row = TypeVar("Row", bound=Model)
Visitor = AbstractBaseUser | AnonymousUser


def sees_everything(user: Visitor) -> bool:
    """Say whether a person is an operator: they see every guild."""
    return user.is_active and bool(getattr(user, "is_superuser", False) or getattr(user, "is_staff", False))


def guilds_for(user: Visitor) -> QuerySet[Guild]:
    """Return the guilds a person may look into; somebody without a role sees none."""
    return Guild.objects.all() if sees_everything(user) else Guild.objects.none()


def visible(rows: QuerySet[Row], user: Visitor, guild: Guild | None = None) -> QuerySet[Row]:
    """Return the rows of one guild that the person may see, or of all their guilds."""
    if guild is not None:
        rows = rows.filter(guild=guild)
    # An operator's query stays without a list of guilds, so that it walks the table by its key instead of sorting it.
    return rows if sees_everything(user) else rows.filter(guild__in=guilds_for(user))


def named_guild(user: Visitor, key: str) -> Guild | None:
    """Return the guild with this key, None for no key; Http404 when the person may not know of it."""
    if not key:
        return None
    guild = guilds_for(user).filter(key=key).first()
    if guild is None:
        raise Http404("No such guild.")
    return guild


def actor(request: HttpRequest) -> str:
    """Return how a change made on a page is signed in the histories."""
    return f"operator:{request.user.get_username()}"[:100]
