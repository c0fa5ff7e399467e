"""What somebody missed: since they last spoke, or since a day; in one channel, or in all that the visitor may see."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.catchup.catching_up import CaughtUp, catch_up
from memory.catchup.readers import Reader
from memoryhub import db
from memoryhub.common import address
from memoryhub.common.htmx import render_either
from memoryhub.common.permissions import one_guild, visible
from memoryhub.community.days import begin_of
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import bears
from notes.models import Message
from notes.views.notes import PEOPLE, WHO, offered_channels

HEADINGS = {
    "mention": "To them, or about them",
    "answered": "Their questions, answered",
    "decision": "Decided",
    "talk": "Being talked about",
    "topic": "Talked about",
}


@require_safe
@db.on_replica
def catchup(request: HttpRequest) -> HttpResponse:
    """Show what a member missed, of the largest guild when none is named; a week of it when nobody is named."""
    guild = one_guild(request)
    who = address.words(request.GET, "who", most=WHO)
    people = visible(Member.objects.filter(is_bot=False), request.user, guild)
    member = people.filter(bears(who) | Q(platform_id=who)).first() if who and guild else None
    wanted = address.number(request.GET.get("channel"))
    only = get_object_or_404(visible(Channel.objects.all(), request.user, guild), pk=wanted) if wanted else None
    found = _missed(guild, member, only, request.GET.get("since", "")) if guild and not (who and not member) else None
    context = {
        "guild": guild, "who": who, "member": member, "unknown": bool(who and not member), "only": only,
        "since": request.GET.get("since", ""), "found": found, "sections": _sections(found, guild),
        "people": people.order_by("-last_seen_at")[:PEOPLE], "channels": offered_channels(request, guild),
    }  # fmt: skip
    return render_either(request, "memory/catchup.html", "memory/_catchup.html", context)


def _missed(guild: Guild, member: Member | None, only: Channel | None, day: str) -> CaughtUp:
    """Return what was missed since a day in the guild's zone; who may see the guild sees all its channels."""
    every = Channel.objects.of(guild).values_list("pk", flat=True)
    reader = Reader(guild=guild, member=member, channels=frozenset(every), only=only)
    return catch_up(reader, since=_since(day, guild), now=timezone.now())


def _since(day: str, guild: Guild) -> datetime | None:
    asked = address.day(day)
    return begin_of(guild, asked) if asked else None


def _sections(found: CaughtUp | None, guild: Guild | None) -> list[dict[str, object]]:
    """Return what was missed by kind, each with the page of the note or message that tells it."""
    if found is None or guild is None:
        return []
    ids = {source.message_id for item in found.items for source in item.sources if source.message_id}
    pages = Message.objects.of(guild).row_ids(ids)
    shown = [
        {
            "kind": item.kind, "item": item,
            "note": next((source.note_id for source in item.sources if source.note_id), None),
            "message": next((pages[s.message_id] for s in item.sources if s.message_id in pages), None),
        }
        for item in found.items
    ]  # fmt: skip
    return [
        {"title": title, "rows": rows}
        for kind, title in HEADINGS.items()
        if (rows := [row for row in shown if row["kind"] == kind])
    ]
