"""What the frame of every page shows beside it: the guild that is chosen, and how much waits for a person."""

from __future__ import annotations

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from memory.curation.attention import Needs, needs
from memoryhub.common.permissions import asked_guild, guilds_for
from memoryhub.community.models import Guild

WATCHED = 20  # guilds whose counts are shown while none is chosen; the first by name
OFFERED = 200  # guilds in the switch; more are found by the search


def frame(request: HttpRequest) -> dict[str, object]:
    """Return what the templates of the frame ask for, looked up only when they do."""
    return {
        "switch": SimpleLazyObject(lambda: offered(request)),
        "chosen_guild": SimpleLazyObject(lambda: asked_guild(request)),
        "live": SimpleLazyObject(lambda: _live(request)),
        "nav_needs": SimpleLazyObject(lambda: waiting(request)),
    }


def offered(request: HttpRequest) -> list[Guild]:
    """Return the guilds that the visitor may switch to, looked up once a request."""
    if not hasattr(request, "_offered"):
        request._offered = list(guilds_for(request.user).order_by("name", "key")[:OFFERED])  # type: ignore[attr-defined]
    found: list[Guild] = request._offered  # type: ignore[attr-defined]
    return found


def watched(request: HttpRequest) -> list[Guild]:
    """Return the guild that is chosen, else the first few that the visitor sees."""
    guild = asked_guild(request)
    return [guild] if guild else offered(request)[:WATCHED]


def _live(request: HttpRequest) -> str:
    """Return the address that tells of changes; none where the server would hold a thread for it (tests)."""
    query = {"guild": request.GET["guild"]} if request.GET.get("guild") else {}
    match = request.resolver_match
    if match and match.url_name == "work":
        query["work"] = "1"
    return reverse("live", query=query or None) if isinstance(request, ASGIRequest) else ""


def waiting(request: HttpRequest, *, conflicts: bool = False) -> Needs:
    """Return what waits for a person, counted once a request: a page that wants the conflicts too asks first."""
    if not hasattr(request, "_waiting"):
        request._waiting = needs(watched(request), conflicts=conflicts)  # type: ignore[attr-defined]
    found: Needs = request._waiting  # type: ignore[attr-defined]
    return found
