"""The pages of recaps: the list, one to edit, post or discard, and a new one of the last days."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from urllib.parse import quote

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memory.models import Recap, RecapLine
from memory.models.posts import INTRO, LINE
from memory.recaps import recap_posting, recap_writing
from memory.recaps.recap_periods import next_time
from memory.recaps.told_lines import standing
from memoryhub.common import address
from memoryhub.common.htmx import newest
from memoryhub.common.permissions import actor, named_guild, one_guild, visible
from memoryhub.community.discord_links import message_url
from memoryhub.community.models import Channel, Guild
from memoryhub.db.guild_scope import enter

CHANNELS = 500  # that are offered
DAYS = 7  # of a recap that is asked for


@require_safe
def recaps(request: HttpRequest) -> HttpResponse:
    """Show the recaps of a guild, of the first one when none is named."""
    guild = one_guild(request)
    context: dict[str, object] = {"guild": guild, "days": DAYS, "most_days": recap_writing.MOST_DAYS}
    if guild is not None:
        rows = newest(Recap.objects.of(guild).select_related("guild"), before=request.GET.get("after", ""), by="until")
        context |= {"rows": rows, "next_at": next_time(guild, now=timezone.now())}
    return render(request, "memory/recaps.html", context)


@require_POST
def write_recap(request: HttpRequest) -> HttpResponse:
    """Write a draft of the last days; it may ask a model once."""
    guild = one_guild(request, named_guild(request.user, request.POST.get("guild", "")))
    days = address.number(request.POST.get("days"))
    if guild is None:
        return redirect("recaps")
    if days is None or not 1 <= days <= recap_writing.MOST_DAYS:
        messages.error(request, f"Write a number of days from 1 to {recap_writing.MOST_DAYS}.")
    elif not guild.memory_on:
        messages.error(request, "Memory is turned off in this guild, so nothing is told. The settings turn it on.")
    else:
        recap = recap_writing.write_asked(guild, days=days, actor=actor(request), now=timezone.now())
        if recap.status == Recap.Status.DRAFT:
            return redirect("recap", pk=recap.pk)
        messages.info(request, f"There is nothing to tell of the last {days} days that everybody may read.")
    return redirect(f"{reverse('recaps')}?guild={quote(guild.key)}")


@require_http_methods(["GET", "HEAD", "POST"])
def recap(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a recap; save what a moderator made of its draft, have it posted, or discard it."""
    found = get_object_or_404(visible(Recap.objects.select_related("guild"), request.user), pk=pk)
    enter(found)
    if request.method == "POST":
        try:
            told = _change(request, found)
        except recap_posting.RecapRefused as refused:
            messages.error(request, str(refused))
        else:
            messages.success(request, told)
        return redirect("recap", pk=pk)
    lines = standing(found)
    context = {
        "recap": found, "guild": found.guild, "lines": lines, "longest": {"intro": INTRO, "line": LINE},
        "sections": [(rows[0].get_section_display(), rows) for rows in in_sections(lines)],
        "gone": RecapLine.objects.of(found.guild).filter(recap=found).count() - len(lines),
        "channels": Channel.objects.of(found.guild).exclude(kind=Channel.Kind.DIRECT)[:CHANNELS],
        "place": _name(found.guild, found.channel_id), "address": _address(found),
    }  # fmt: skip
    return render(request, "memory/recap.html", context)


def in_sections(lines: Sequence[RecapLine]) -> list[list[RecapLine]]:
    """Return the lines section by section."""
    return [list(rows) for _, rows in groupby(lines, lambda line: line.section)]


def _change(request: HttpRequest, found: Recap) -> str:
    """Do what the pressed button says, and return what was done. Raises RecapRefused."""
    given, now, who = request.POST, timezone.now(), actor(request)
    if given.get("deed") == "discard":
        recap_posting.discard(found, actor=who, now=now)
        return "The draft was discarded."
    if given.get("deed") == "back":
        recap_posting.take_back(found, actor=who, now=now)
        return "It is a draft again."
    lines = {address.number(name.removeprefix("line-")): str(given[name]).replace("\0", "") for name in given}
    texts = {pk: text for pk, text in lines.items() if pk is not None}
    recap_posting.edit(found, intro=given.get("intro", found.intro).replace("\0", ""), texts=texts, now=now)
    if given.get("deed") != "post":
        return "The draft was saved."
    recap_posting.have_posted(found, channel_id=given.get("channel", "").strip(), actor=who, now=now)
    return "The bot posts it within a minute."


def _name(guild: Guild, channel_id: str) -> str:
    """Return the name of a channel, its id where it is not known."""
    channel = Channel.objects.of(guild).filter(platform_id=channel_id).first() if channel_id else None
    return str(channel or channel_id)


def _address(recap: Recap) -> str:
    """Return where it stands on Discord; "" for one that was not posted."""
    if not recap.message_id:
        return ""
    return message_url(recap.guild.key, channel=recap.channel_id, message=recap.message_id)
