"""Who may call the JSON API: issues keys, checks them, and holds each to its scope and its guild."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from contextlib import suppress
from datetime import datetime, timedelta

from django.conf import settings
from django.db import OperationalError
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone
from ninja.errors import AuthorizationError
from ninja.security import APIKeyCookie, HttpBearer

from memoryhub.common import key_use
from memoryhub.common.api_scope import Caller
from memoryhub.common.permissions import actor, guilds_for
from memoryhub.community.identity import GuildUnknown
from memoryhub.community.models import Guild
from memoryhub.db import read, wait_at_most
from memoryhub.models import ApiKey
from memoryhub.site.rate_limit import count_request

MARK = "mh_"  # lets secret scanners and people tell a key when they see one
PER_MINUTE = 6000  # requests; generous for a bot, and an end to a loop gone wild
USE_NOTED_EVERY = timedelta(seconds=10)  # each time is a turn at the database's only write lock
NOTE_WAITS = 200  # milliseconds
BY_DIGEST = "WHERE digest = %s AND revoked_at IS NULL"
Scope = ApiKey.Scope
WIDTH = {Scope.READ: 0, Scope.WRITE: 1, Scope.ADMIN: 2}
SCOPE_OF = {
    "mcp": Scope.READ,  # each tool has its own
    "start_consolidation": Scope.ADMIN,
    "replay_parked": Scope.ADMIN,
    "block_member": Scope.ADMIN,
    "list_webhooks": Scope.ADMIN,
    "remove_webhook": Scope.ADMIN,
    "replay_webhook": Scope.ADMIN,
}
"""Routes, by name, that need another scope than their method says: GET reads, everything else writes."""
ASKED_BY_POST = {
    "search_memories", "search_memories_v1", "search_memories_v2", "search_flat", "list_memories_v2",
    "list_memories_v3", "show_user_summary", "create_memory_export", "get_memory_export", "ask_memory",
    "build_context", "search_items",
}  # fmt: skip
"""Routes, by name, that only read although they are asked by POST: an answer from memory, and mem0's."""
CHANGED_BY_ADMINS = {"list_edges", "list_recaps", "show_channel", "show_relationship", "show_settings"}
"""Addresses, by the name of their first route, at which everything but reading needs scope admin."""


class NameTaken(Exception):
    """Another key of this name is in use for the same guilds; the text says since when and what to do."""


def issue(*, name: str, guild: Guild | None, scope: str, per_minute: int | None = PER_MINUTE) -> str:
    """Make a key and return it: only its digest is kept, so this is the one time that it can be read.

    Raises NameTaken: what is changed with a key is signed with its name.
    """
    if other := ApiKey.objects.filter(name=name, guild=guild, revoked_at=None).first():
        of = f"for {guild.key}" if guild else "for all guilds"
        raise NameTaken(
            f"A key {name!r} {of} is in use since {other.created_at:%Y-%m-%d}. Name the new one otherwise, or revoke "
            "that one first, on the page Keys."
        )
    key = MARK + secrets.token_urlsafe(32)
    ApiKey.objects.create(name=name, guild=guild, scope=scope, per_minute=per_minute, digest=_digest(key))
    return key


def revoke(row: ApiKey, *, now: datetime) -> None:
    """Close a key for good; the time of the first revocation stays."""
    ApiKey.objects.filter(pk=row.pk, revoked_at=None).update(revoked_at=now)


def verify(key: str, *, now: datetime) -> ApiKey | None:
    """Return the row of a key that is known and not revoked, and note its use every ten seconds at most."""
    digest = _digest(key)
    row = next(iter(read(ApiKey, BY_DIGEST, [digest], joined=("guild",))), None)
    if row is None or not hmac.compare_digest(row.digest, digest):
        return None
    uses = key_use.count(digest, now=now)
    if row.last_used_at is None or now - row.last_used_at >= USE_NOTED_EVERY:
        unnoted = Q(last_used_at=None) | Q(last_used_at__lte=now - USE_NOTED_EVERY)
        with suppress(OperationalError), wait_at_most(NOTE_WAITS):  # a database that is busy must not keep a reader out
            added = key_use.added(row.uses, uses, now=now)
            if ApiKey.objects.filter(unnoted, pk=row.pk).update(last_used_at=now, uses=added):
                key_use.noted(digest, uses)
    return row


def key_in(request: HttpRequest) -> ApiKey | None:
    """Return the key that the request presents, if it is a good one; looked up once a request."""
    if not hasattr(request, "_api_key"):
        key = _presented(request)
        request._api_key = verify(key, now=timezone.now()) if key else None  # type: ignore[attr-defined]
    row: ApiKey | None = request._api_key  # type: ignore[attr-defined]
    return row


def _presented(request: HttpRequest) -> str:
    """Return the key as it was sent: as a bearer token, and by mem0's clients also in two ways of their own."""
    scheme, _, key = request.headers.get("Authorization", "").partition(" ")
    theirs = request.path_info.startswith("/mem0/")
    if scheme.lower() == "bearer" or (theirs and scheme.lower() == "token"):
        return key.strip()
    return request.headers.get("X-API-Key", "") if theirs else ""


class BearerKey(HttpBearer):
    """`Authorization: Bearer KEY`."""

    def authenticate(self, request: HttpRequest, _token: str) -> Caller | None:
        """Return the caller, if the key is known."""
        row = key_in(request)
        return None if row is None else admit(request, row, now=timezone.now())


def admit(request: HttpRequest, row: ApiKey, *, now: datetime) -> Caller:
    """Return a key's caller; GuildUnknown if the path names a guild that the key is not for, then AuthorizationError.

    Raises TooManyRequests before anything else is looked up.
    """
    count_request(row, now=now)
    guilds = Guild.objects.filter(pk=row.guild_id) if row.guild_id else Guild.objects.all()
    admin = row.scope == Scope.ADMIN
    caller = Caller(
        actor=f"api:{row.name}"[:100], guilds=guilds, bound=row.guild, everywhere=row.guild_id is None, admin=admin
    )
    match = request.resolver_match
    guild_key = match.kwargs.get("key") if match else None
    if guild_key is not None and not caller.allows(guild_key):
        raise GuildUnknown("There is no such guild here.")
    route = match.url_name if match else None
    to_write = Scope.ADMIN if route in CHANGED_BY_ADMINS else Scope.WRITE
    needed = SCOPE_OF.get(route or "", Scope.READ if only_reads(request) else to_write)
    if WIDTH[Scope(row.scope)] < WIDTH[needed]:
        raise AuthorizationError(message=f"This needs a key with scope {needed}; this one has {row.scope}.")
    return caller


def only_reads(request: HttpRequest) -> bool:
    """Tell whether a request changes nothing, also one that is asked by POST since its question is long."""
    match = request.resolver_match
    return request.method == "GET" or (match is not None and match.url_name in ASKED_BY_POST)


class SignedIn(APIKeyCookie):
    """The dashboard's session, for reading only: what a page of another site could post needs a key."""

    param_name = settings.SESSION_COOKIE_NAME

    def __init__(self) -> None:
        super().__init__(csrf=False)

    def authenticate(self, request: HttpRequest, _session: str | None) -> Caller | None:
        """Return the person as a caller."""
        user = request.user
        if request.method != "GET" or not user.is_authenticated:
            return None
        return Caller(actor=actor(request), guilds=guilds_for(user))


def _digest(key: str) -> str:
    """A key has 256 random bits: nothing slower than SHA-256 is needed to keep it."""
    return hashlib.sha256(key.encode(errors="replace")).hexdigest()
