"""Who may see which guilds, and who may change them: the one place that decides it, for every page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TypeVar
from urllib.parse import unquote

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import F, Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.functional import SimpleLazyObject

from memoryhub.community.models import Guild, Member
from memoryhub.db.guild_scope import enter, inside
from memoryhub.models import Role

Row = TypeVar("Row", bound=Model)
View = TypeVar("View", bound=Callable[..., HttpResponse])
Visitor = AbstractBaseUser | AnonymousUser

READS = ("GET", "HEAD", "OPTIONS")
SWITCH = "guild"
"""The cookie of the switch in the frame: the key of the guild that all pages are about."""
OWN = {"theme", "choose-guild", "save-filter", "drop-filter", "sign-in", "sign-in-link", "sign-out", "password"}
"""What everybody may do, by the name of the address: it is about themselves."""
READS_ONLY = "Your role lets you read, not change."
KEYED = {"api", "mem0-api", "mcp"}
"""Doors, by namespace or the name of the address, that look at keys with scopes of their own."""


def is_operator(user: Visitor) -> bool:
    """Say whether a person may do everything, the administrator's own tables included."""
    return user.is_active and bool(getattr(user, "is_superuser", False))


def role_of(user: Visitor) -> Role | None:
    """Return the person's role; an operator needs none."""
    return getattr(user, "role", None) if user.is_active and user.is_authenticated else None


@contextmanager
def one_operator_at_a_time(who: Visitor) -> Iterator[None]:
    """Let operators change others one after the other: of two who take each other's rights away, one keeps theirs.

    Raises PermissionDenied for who stopped being an operator meanwhile.
    """
    with transaction.atomic():
        operators = User.objects.select_for_update().filter(is_superuser=True, is_active=True).order_by("pk")
        if who.pk not in [operator.pk for operator in operators]:
            raise PermissionDenied
        yield


def sees_everything(user: Visitor) -> bool:
    """Say whether a person sees every guild: operators, and whose role holds everywhere."""
    role = role_of(user)
    return is_operator(user) or bool(role and role.everywhere)


def guilds_for(user: Visitor) -> QuerySet[Guild]:
    """Return the guilds a person may look into; somebody without a role sees none."""
    role = role_of(user)
    if sees_everything(user):
        return Guild.objects.all()
    return role.guilds.all() if role else Guild.objects.none()


def may_change(user: Visitor) -> bool:
    """Say whether a person may change what they see: operators and moderators."""
    role = role_of(user)
    return is_operator(user) or bool(role and role.kind == Role.Kind.MODERATOR)


def rights(request: HttpRequest) -> dict[str, object]:
    """Tell every page which guilds its visitor sees, and whether they may change anything."""
    return {
        "changing": SimpleLazyObject(lambda: may_change(request.user)),
        "guilds": SimpleLazyObject(lambda: guilds_for(request.user)),
    }


def visible(rows: QuerySet[Row], user: Visitor, guild: Guild | None = None) -> QuerySet[Row]:
    """Return the rows of one guild that the person may see, or of all their guilds."""
    if guild is not None:
        rows = rows.filter(guild=guild)
    # An operator's query stays without a list of guilds, so that it walks the table by its key instead of sorting it.
    return rows if sees_everything(user) else rows.filter(guild__in=guilds_for(user))


def visible_member(request: HttpRequest, pk: int) -> Member:
    """Return the member with its guild; Http404 when the visitor may not see them."""
    member = get_object_or_404(visible(Member.objects.select_related("guild"), request.user), pk=pk)
    enter(member)
    return member


def named_guild(user: Visitor, key: str) -> Guild | None:
    """Return the guild with this key, None for no key; Http404 when the person may not know of it."""
    if not key:
        return None
    guild = guilds_for(user).filter(key=key).first()
    if guild is None:
        raise Http404("No such guild.")
    enter(guild)
    return guild


def asked_guild(request: HttpRequest) -> Guild | None:
    """Return the guild that a page is asked about: the address names it, else the switch in the frame; None for all.

    Http404 for a guild in the address that the person may not know of; the switch's, gone since, counts for nothing.
    """
    if not hasattr(request, "_asked_guild"):
        request._asked_guild = _asked_guild(request)  # type: ignore[attr-defined]
    found: Guild | None = request._asked_guild  # type: ignore[attr-defined]
    return found


def _asked_guild(request: HttpRequest) -> Guild | None:
    if "guild" in request.GET:
        return named_guild(request.user, request.GET["guild"])
    key = request.COOKIES.get(SWITCH, "").replace("\0", "")
    guild = guilds_for(request.user).filter(key=unquote(key)).first() if key else None
    if guild is not None:
        enter(guild)
    return guild


def one_guild(request: HttpRequest, guild: Guild | None = None) -> Guild | None:
    """Return this guild, else the one that the page is asked about, else the visitor's largest; None: they see none."""
    found = guild or asked_guild(request) or largest_guild(request.user)
    if found is not None:
        enter(found)
    request._one_guild = found  # type: ignore[attr-defined]  # so the audit log has it without asking once more
    return found


def largest_guild(user: Visitor) -> Guild | None:
    """Return the guild with the most messages, as last counted, of those that a person sees; None if they see none.

    It is the same one from page to page, which the guild that was spoken in last would not be.
    """
    return guilds_for(user).order_by(F("figures__numbers__messages").desc(nulls_last=True), "key").first()


def only_asks(request: HttpRequest) -> None:
    """Tell the audit log that what was posted changes nothing: it was a look."""
    request._only_asks = True  # type: ignore[attr-defined]


def actor(request: HttpRequest) -> str:
    """Return how a change made on a page is signed in the histories."""
    role = role_of(request.user)
    kind = "operator" if is_operator(request.user) else role.kind if role else "visitor"
    return f"{kind}:{request.user.get_username()}"[:100]


def operators_only(view: View) -> View:
    """Let nobody but operators into a page; others are told so."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if not is_operator(request.user):
            raise PermissionDenied("Only operators may do this.")
        return view(request, *args, **kwargs)

    return guarded  # type: ignore[return-value]


def changers_only(view: View) -> View:
    """Let nobody into a page that only asks about a change who may not make it; they are told so."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if not may_change(request.user):
            raise PermissionDenied(READS_ONLY)
        return view(request, *args, **kwargs)

    return guarded  # type: ignore[return-value]


class OneGuildARequest:
    """Begins each request in no guild; the door that finds out which one is asked about enters it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Go on, and leave the guild with the answer."""
        with inside(None):
            return self.get_response(request)


class ReadersOnlyRead:
    """Refuses, before any view is asked, what somebody who may only read wants to change on a page."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Go on; the view is judged when it is known."""
        return self.get_response(request)

    def process_view(self, request: HttpRequest, _view: object, _args: object, _kwargs: object) -> None:
        """Raise PermissionDenied for a change, but not at a door of programs."""
        match = request.resolver_match
        own = match is None or match.url_name in OWN or bool(KEYED & {match.url_name, *match.namespaces})
        if request.method in READS or own or not request.user.is_authenticated:
            return
        if not may_change(request.user):
            raise PermissionDenied(READS_ONLY)
