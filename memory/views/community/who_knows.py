"""The page of who knows about something: members who told of it, with their words and the way to them."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.expertise.who_knows import Knower, who_knows
from memoryhub import db
from memoryhub.common import address
from memoryhub.common.htmx import render_either
from memoryhub.common.permissions import one_guild, visible
from memoryhub.community.models import Channel, Guild
from notes.models import Message
from notes.views.notes import offered_channels

LONGEST = 300  # characters of a question


@require_safe
@db.on_replica
def find(request: HttpRequest) -> HttpResponse:
    """Show who told of what is asked about, of the largest guild when none is named: as told to all, or in one."""
    guild = one_guild(request)
    about = " ".join(request.GET.get("q", "").replace("\0", " ").split())[:LONGEST]
    wanted = address.number(request.GET.get("channel"))
    channels = visible(Channel.objects.select_related("parent"), request.user, guild)
    channel = get_object_or_404(channels, pk=wanted) if wanted else None
    found = who_knows(guild, question=about, now=timezone.now(), channel=channel) if guild and about else []
    context = {
        "guild": guild, "about": about, "channel": channel, "channels": offered_channels(request, guild),
        "found": _shown(guild, found) if guild else [],
    }  # fmt: skip
    return render_either(request, "memory/who_knows.html", "memory/_who_knows.html", context)


def _shown(guild: Guild, found: Sequence[Knower]) -> list[dict[str, object]]:
    """Return the members with what each told, and each source with the page of its message if it has one."""
    ids = {source.message_id for each in found for told in each.told for source in told.sources if source.message_id}
    pages = Message.objects.of(guild).row_ids(ids)
    return [
        {
            "member": each.member,
            "told": [
                {"memory": told, "words": [(source, pages.get(source.message_id or "")) for source in told.sources[:2]]}
                for told in each.told
            ],
        }
        for each in found
    ]
