"""The snapshot of a guild's memory, and its journals by day."""

from __future__ import annotations

from datetime import date

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import content_disposition_header, urlencode
from django.views.decorators.http import require_POST, require_safe

from memory.records import snapshots
from memory.records.markdown import to_html
from memoryhub.common.htmx import details, render_either
from memoryhub.common.permissions import asked_guild, guilds_for, visible
from memoryhub.community.models import Guild
from notes.models import Journal

JOURNALS = 60


@require_safe
def snapshot(request: HttpRequest) -> HttpResponse:
    """Show the guild's snapshot, of the first guild when none is named."""
    guild = asked_guild(request) or guilds_for(request.user).first()
    context = {"guild": guild, **(_shown(guild) if guild else {})}
    return render_either(request, "memory/snapshot.html", "memory/_snapshot.html", context)


@require_POST
def refresh_snapshot(request: HttpRequest) -> HttpResponse:
    """Render the guild's snapshot anew."""
    guild = get_object_or_404(guilds_for(request.user), key=request.POST.get("guild", ""))
    snapshots.current_snapshot(guild, now=timezone.now(), refresh=True)
    if details(request):
        context = {"guild": guild, "refreshed": True, **_shown(guild)}
        return render(request, "memory/_snapshot.html", context)
    messages.success(request, "The snapshot is up to date.")
    return redirect(f"{reverse('snapshot')}?{urlencode({'guild': guild.key})}")


@require_safe
def download_snapshot(request: HttpRequest) -> HttpResponse:
    """Hand the snapshot out as the file MEMORY.md."""
    guild = asked_guild(request) or guilds_for(request.user).first()
    if guild is None:
        raise Http404("There is no guild yet.")
    return _file("MEMORY.md", snapshots.current_snapshot(guild, now=timezone.now()).text)


def _file(name: str, text: str) -> HttpResponse:
    headers = {"Content-Disposition": content_disposition_header(as_attachment=True, filename=name) or ""}
    return HttpResponse(text, content_type="text/markdown; charset=utf-8", headers=headers)


def _shown(guild: Guild) -> dict[str, object]:
    page = snapshots.current_snapshot(guild, now=timezone.now())
    journals = Journal.objects.of(guild).only("day", "guild_id", "generated_at")[:JOURNALS]
    return {"snapshot": page, "html": to_html(page.text), "journals": journals}


@require_safe
def journal(request: HttpRequest, guild: int, day: date) -> HttpResponse:
    """Show the guild's journal of one day, and the way to the days before and after it."""
    row, others = _journal(request, guild, day), Journal.objects.filter(guild=guild).only("day", "guild_id")
    context = {
        "journal": row,
        "html": to_html(row.text),
        "earlier": others.filter(day__lt=day).order_by("-day").first(),
        "later": others.filter(day__gt=day).order_by("day").first(),
    }
    return render(request, "memory/journal.html", context)


@require_safe
def download_journal(request: HttpRequest, guild: int, day: date) -> HttpResponse:
    """Hand the journal out as a file named after its day."""
    return _file(f"{day}.md", _journal(request, guild, day).text)


def _journal(request: HttpRequest, guild: int, day: date) -> Journal:
    journals = visible(Journal.objects.select_related("guild"), request.user)
    row = get_object_or_404(journals, guild_id=guild, day=day)
    return snapshots.read_journal(row.guild, day=day, now=timezone.now()) or row
