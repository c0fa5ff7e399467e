"""Writes down who looked at whose memory and who changed what: ids only, in one middleware, so no door forgets it."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.core.cache import cache
from django.db import OperationalError
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.urls import ResolverMatch
from django.utils import timezone

from memory.models import Fact
from memoryhub.common.permissions import READS, actor
from memoryhub.community.identity import BY_KEY
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.db import append, beside_a_change, read, wait_at_most
from memoryhub.db.guild_scope import inside
from memoryhub.models import AuditEntry
from memoryhub.site.auth import ASKED_BY_POST, key_in
from notes.models import ChannelBuffer, InteractionNote, Message
from profiles.models import ProfileEntry

logger = logging.getLogger(__name__)

LOOK_WAITS = 200  # milliseconds
SAME_LOOK = 600  # seconds; who turns pages or types a question looks once
UNWATCHED = {
    "theme", "live", "counts", "choose-guild", "save-filter", "drop-filter", "sign-in", "sign-out",
    "password", "privacy", "guild-privacy",
    "openapi-json", "openapi-view", "show_health", "metrics", "receive_message", "receive_batch", "build_context",
    "jsi18n", "add_memories", "add_memories_v1", "ping", "follow_events",
    "mcp",  # whose tools announce what they do
}  # fmt: skip
"""Pages and routes that show nobody's memory, and what bots do all day: messages and turns, and ids of what changed."""
WATCHED_FOR_POSTS = {"ask", "people", "change-role", "keys", "audit", "index", "app_list"}
"""Pages without anybody's memory, on which only what is posted counts."""


@dataclass(frozen=True)
class Kind:
    """A table whose rows stand in addresses: where a row says its guild and its member, and its platform's id."""

    model: type[Model]
    member: str = ""
    guild: str = "guild_id"
    platform: bool = False


KINDS = {
    "fact": Kind(Fact, "subject_id"),
    "entry": Kind(ProfileEntry, "profile__member_id", "profile__member__guild_id"),
    "member": Kind(Member, "pk", platform=True),
    "note": Kind(InteractionNote),
    "message": Kind(Message, "author_id", platform=True),
    "channel": Kind(Channel, platform=True),
    "buffer": Kind(ChannelBuffer),
}
"""By the word that names them in an address: `fact_id` of a route, or a page called `delete-fact`."""


class AuditMiddleware:
    """Writes an entry for each request; its rows are looked up before the view, since the view may delete them.

    A change of a guild and its entry are one transaction; what else was done is written down once it is answered.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, then write down what was answered to somebody known."""
        with beside_a_change(lambda: _write_along(request)) as along:
            response = self.get_response(request)
        entry: AuditEntry | None = getattr(request, "_audit", None)
        if entry is None or response.status_code >= 400 or not (name := _actor(request)):
            return response
        if getattr(request, "_only_asks", False):
            entry.verb = AuditEntry.Verb.LOOKED
        entry.guild_id = entry.guild_id or _guild_shown(request)
        if entry.verb == AuditEntry.Verb.LOOKED or not along.written:  # to look may render a paper, which locks too
            entry.actor = name
            _write(entry)
        return response

    def process_view(self, request: HttpRequest, _view: object, _args: object, kwargs: dict[str, Any]) -> None:
        """Note what the address names, unless the caller is refused anyway: how long that takes would tell them."""
        match = request.resolver_match
        ignored = UNWATCHED | WATCHED_FOR_POSTS if request.method in READS else UNWATCHED
        name = _route(request, match) if match else ""
        if match is None or not name or name in ignored or not _actor(request):
            return
        key = key_in(request)
        if not (key and key.guild and "key" in kwargs and key.guild.key != kwargs["key"]):
            with inside(key.guild if key else None):
                request._audit = describe(request, name, match, kwargs)  # type: ignore[attr-defined]


def _actor(request: HttpRequest) -> str:
    key = key_in(request)
    if key is not None:
        return f"api:{key.name}"[:100]
    return actor(request) if request.user.is_authenticated else ""


def _route(request: HttpRequest, match: ResolverMatch) -> str:
    """Return the name of what answers: of a page, or of the API's route for this method at this address."""
    routes: dict[str, str] = getattr(match.func, "routes", {})
    return routes.get("GET" if request.method == "HEAD" else str(request.method), match.url_name or "")


def describe(request: HttpRequest, name: str, match: ResolverMatch, kwargs: dict[str, Any]) -> AuditEntry:
    """Return the unsaved entry for a request: the route, the row in its address, and that row's guild and member."""
    key = key_in(request)
    guild_key = str(kwargs.get("key") or (key.guild.key if key and key.guild else ""))
    word, row = _row_in_address(name, match, kwargs)
    guild, member = _owner(KINDS[word], row, guild_key or None) if word else (None, None)
    if word == "member" and member is None:
        row = ""  # the id of somebody who was erased must not come back
    if guild is None and (guild_key := guild_key or request.GET.get("guild", "")):
        guild = _guild_of(request, guild_key)
    looked = request.method in READS or name in ASKED_BY_POST
    verb = AuditEntry.Verb.LOOKED if looked else AuditEntry.Verb.CHANGED
    what = f"admin:{name}" if "admin" in match.namespaces else name
    return AuditEntry(verb=verb, what=what[:60], row=row[:200], guild_id=guild, member_id=member)


def _row_in_address(name: str, match: ResolverMatch, kwargs: dict[str, Any]) -> tuple[str, str]:
    """Return the word of the kind that an address is about, and its row; "" where it names none."""
    word = next((word for word in KINDS if f"{word}_id" in kwargs), "")
    if word:
        return word, str(kwargs[f"{word}_id"] or "")
    row = str(kwargs.get("pk") or kwargs.get("object_id") or kwargs.get("day") or "")
    if match.route.startswith("members/<"):  # whatever the page there is called, "add-entry" for one
        return "member", row
    return next((word for word in KINDS if word in name), ""), row


def announce(request: HttpRequest, what: str, *, guild: Guild, changes: bool, kind: str = "", row: str = "") -> None:
    """Have written down what a door does that has one address for everything; said before it is done.

    `kind` is the word of the row in KINDS, empty where what is done names no row.
    """
    of = _owner(KINDS[kind], row, guild.key)[1] if kind and row else None
    verb = AuditEntry.Verb.CHANGED if changes else AuditEntry.Verb.LOOKED
    request._audit = AuditEntry(verb=verb, what=what[:60], row=row[:200], guild_id=guild.pk, member_id=of)  # type: ignore[attr-defined]


def take_back(request: HttpRequest) -> None:
    """Have nothing written down of what was announced: it was refused."""
    request._audit = None  # type: ignore[attr-defined]


def _guild_of(request: HttpRequest, key: str) -> int | None:
    known = key_in(request)
    if known and known.guild and known.guild.key == key:
        return known.guild_id
    return next((guild.pk for guild in read(Guild, BY_KEY, [key])), None)


def _owner(kind: Kind, row: str, guild_key: str | None) -> tuple[int | None, int | None]:
    """Return the ids of the guild and the member that a row belongs to."""
    if guild_key is not None and kind.platform:
        rows = kind.model._default_manager.filter(guild__key=guild_key, platform_id=row)
    elif row.isascii() and row.isdigit() and len(row) < 19:
        rows = kind.model._default_manager.filter(pk=int(row))
    else:
        return None, None
    owner = rows.values_list(kind.guild, kind.member or kind.guild).first()
    return (None, None) if owner is None else (owner[0], owner[1] if kind.member else None)


def _guild_shown(request: HttpRequest) -> int | None:
    """Return the guild that a page of one guild is about: its form names it, or nothing does."""
    found: Guild | None = getattr(request, "_one_guild", None)
    return found.pk if found else None


_waiting: deque[AuditEntry] = deque()  # entries of this process that the database had no room for a moment ago


def _write_along(request: HttpRequest) -> None:
    """Write the entry of a change into the change's own transaction."""
    entry: AuditEntry | None = getattr(request, "_audit", None)
    if entry is not None and entry.verb == AuditEntry.Verb.CHANGED:
        entry.actor, entry.at, entry.pk = _actor(request), timezone.now(), None
        entry.guild_id = entry.guild_id or _guild_shown(request)
        _forget_erased([entry])
        if about := getattr(request, "about", None):  # of who was erased since nothing is stored, and no entry beside
            entry.member_id = about.pk
        append([entry])


def _forget_erased(entries: Iterable[AuditEntry]) -> None:
    """Take out who was erased since, by this request or while an entry waited: they must not come back with it."""
    members = {row.member_id for row in entries if row.member_id}
    existing = set(Member.objects.filter(pk__in=members).values_list("pk", flat=True)) if members else set()
    for row in entries:
        if row.member_id and row.member_id not in existing:
            row.member_id, row.row = None, ""


def _write(entry: AuditEntry) -> None:
    """Write the entry; a look that was written down a moment ago is the same look."""
    looked = entry.verb == AuditEntry.Verb.LOOKED
    look = f"{entry.actor} {entry.what} {entry.row} {entry.guild_id} {entry.member_id}"
    if looked and not cache.add(f"look:{sha256(look.encode()).hexdigest()}", 1, SAME_LOOK):
        return
    entry.at = timezone.now()
    _waiting.append(entry)
    due = [_waiting.popleft() for _ in range(len(_waiting))]
    if not looked or len(due) > 1:
        _forget_erased(due)
    try:
        with wait_at_most(LOOK_WAITS) if looked else nullcontext():
            append(due)
    except OperationalError:
        # The answer is ready; a full or locked database must neither hold it back nor turn it into an error.
        _waiting.extend(due)
        logger.warning("audit entries wait for the database", extra={"waiting": len(_waiting)})
