"""Writes down who looked at whose memory and who changed what: ids only, in one middleware, so no door forgets it."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache
from django.db import OperationalError
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.urls import ResolverMatch
from django.utils import timezone

from memory.models import Fact
from memoryhub.common.permissions import READS, actor
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.db import LONGEST, patience
from memoryhub.models import AuditEntry
from memoryhub.site.auth import key_in
from notes.models import ChannelBuffer, InteractionNote, Message
from profiles.models import ProfileEntry

logger = logging.getLogger(__name__)

LOOK_WAITS = 200  # milliseconds
SAME_LOOK = 600  # seconds; who turns pages or types a question looks once
UNWATCHED = {
    "home", "theme", "sign-in", "sign-out", "password", "privacy", "guild-privacy", "openapi-json", "openapi-view",
    "show_health", "receive_message", "receive_messages", "build_context", "jsi18n",
}  # fmt: skip
"""Pages and routes that show nobody's memory, and what bots do all day: messages and turns."""


KEEPING = {"people", "change-role", "keys", "audit", "index", "app_list"}
"""Pages without anybody's memory, on which only a change counts."""


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


class Audit:
    """The middleware: what an address speaks of is looked up before the view, since the view may delete it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, then write down what was answered to somebody known."""
        response = self.get_response(request)
        entry: AuditEntry | None = getattr(request, "_audit", None)
        if entry is not None and response.status_code < 400 and (who := _who(request)):
            entry.actor = who
            _write(entry)
        return response

    def process_view(self, request: HttpRequest, _view: object, _args: object, kwargs: dict[str, Any]) -> None:
        """Note what the address speaks of."""
        match = request.resolver_match
        unseen = UNWATCHED | KEEPING if request.method in READS else UNWATCHED
        if match is None or not match.url_name or match.url_name in unseen:
            return
        # Who is refused anyway is not looked up for: how long that takes would tell them what there is.
        if _who(request) and not _elsewhere(request, kwargs):
            request._audit = _entry(request, match, kwargs)  # type: ignore[attr-defined]


def _who(request: HttpRequest) -> str:
    key = key_in(request)
    if key is not None:
        return f"api:{key.name}"[:100]
    return actor(request) if request.user.is_authenticated else ""


def _elsewhere(request: HttpRequest, kwargs: dict[str, Any]) -> bool:
    key = key_in(request)
    return bool(key and key.guild and "key" in kwargs and key.guild.key != kwargs["key"])


def _entry(request: HttpRequest, match: ResolverMatch, kwargs: dict[str, Any]) -> AuditEntry:
    word, row = _named(match.url_name or "", kwargs)
    guild, member = _owner(word, row, kwargs) if word else (None, None)
    asked = str(kwargs.get("key") or request.GET.get("guild", ""))
    if guild is None and asked:
        guild = Guild.objects.filter(key=asked).values_list("pk", flat=True).first()
    verb = AuditEntry.Verb.LOOKED if request.method in READS else AuditEntry.Verb.CHANGED
    what = f"admin:{match.url_name}" if "admin" in match.namespaces else str(match.url_name)
    return AuditEntry(verb=verb, what=what[:60], row=row[:200], guild_id=guild, member_id=member)


def _named(name: str, kwargs: dict[str, Any]) -> tuple[str, str]:
    """Return the word and the id of the row that the address names; "" for none."""
    for word in KINDS:
        if f"{word}_id" in kwargs:
            return word, str(kwargs[f"{word}_id"])
    row = str(kwargs.get("pk") or kwargs.get("object_id") or kwargs.get("day") or "")
    return next((word for word in KINDS if word in name), ""), row


def _owner(word: str, row: str, kwargs: dict[str, Any]) -> tuple[int | None, int | None]:
    kind = KINDS[word]
    if "key" in kwargs and kind.platform:
        rows = kind.model._default_manager.filter(guild__key=kwargs["key"], platform_id=row)
    elif row.isascii() and row.isdigit() and len(row) < 19:
        rows = kind.model._default_manager.filter(pk=int(row))
    else:
        return None, None
    found = rows.values_list(kind.guild, kind.member or kind.guild).first()
    return (None, None) if found is None else (found[0], found[1] if kind.member else None)


_waiting: deque[AuditEntry] = deque()  # entries of this process that the database had no room for a moment ago


def _write(entry: AuditEntry) -> None:
    """Write the entry; a look that was written down a moment ago is the same look."""
    looked = entry.verb == AuditEntry.Verb.LOOKED
    look = f"{entry.actor} {entry.what} {entry.row} {entry.guild_id} {entry.member_id}"
    if looked and not cache.add(f"look:{hash(look)}", 1, SAME_LOOK):
        return
    entry.at = timezone.now()
    _waiting.append(entry)
    due = [_waiting.popleft() for _ in range(len(_waiting))]
    if not looked or len(due) > 1:
        _forget_the_erased(due)
    try:
        with patience(LOOK_WAITS if looked else LONGEST):
            AuditEntry.objects.bulk_create(due)
    except OperationalError:
        # The answer is ready; a full or locked database must neither hold it back nor turn it into an error.
        _waiting.extend(due)
        logger.warning("audit entries wait for the database", extra={"waiting": len(_waiting)})


def _forget_the_erased(entries: list[AuditEntry]) -> None:
    """Take out who was erased between the request and now: by it, or while the entry waited."""
    members = {entry.member_id for entry in entries if entry.member_id}
    there = set(Member.objects.filter(pk__in=members).values_list("pk", flat=True))
    for entry in entries:
        if entry.member_id and entry.member_id not in there:
            entry.member_id, entry.row = None, ""
