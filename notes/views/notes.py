"""Pages of what happened: the timeline of notes, and one note."""

from __future__ import annotations

from datetime import date

from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.dateparse import parse_date
from django.views.decorators.http import require_safe

from memoryhub import db
from memoryhub.common.htmx import newest, number, render_either
from memoryhub.common.permissions import asked_guild, visible
from memoryhub.community.models import Channel, Guild, Member
from notes.models import InteractionNote

SHOWN_MESSAGES = 200
CHANNELS = 200
PEOPLE = 200  # who were seen last are offered as names
WHO = 100  # characters


@require_safe
@db.on_replica
def notes(request: HttpRequest) -> HttpResponse:
    """Show the notes that the visitor asked for, newest first."""
    guild = asked_guild(request)
    people = visible(Member.objects.all(), request.user, guild)
    wanted = number(request.GET.get("member"))
    member = get_object_or_404(visible(Member.objects.all(), request.user), pk=wanted) if wanted else None
    who = request.GET.get("with", "").replace("\0", "").strip()[:WHO]
    kind = request.GET.get("kind", "")
    asked = {
        "kind": kind if kind in InteractionNote.Kind.values else "",
        "channel": number(request.GET.get("channel")),
        "participants": member.pk if member else None,
        "note_date__gte": _day(request.GET.get("from", "")),
        "note_date__lte": _day(request.GET.get("to", "")),
    }
    rows = visible(InteractionNote.objects.all(), request.user, guild)
    rows = rows.filter(**{field: value for field, value in asked.items() if value})
    named: list[Member] = []
    if who:  # who bears this label, name or id; in several guilds there may be several
        bears = Q(label__iexact=who) | Q(display_name__iexact=who) | Q(name__iexact=who) | Q(platform_id=who)
        named = list(people.filter(bears)[:PEOPLE])
        rows = rows.filter(participants__in=named).distinct()
    page = newest(
        rows.select_related("guild", "channel", "audience").prefetch_related("participants"),
        by="ended_at",
        before=request.GET.get("before", ""),
    )
    context = {
        "notes": page.items,
        "next": page.next,
        "asked": asked,
        "member": member,
        "who": who,
        "unknown": bool(who and not named),
        "people": people.order_by("-last_seen_at")[:PEOPLE],
        "guild": guild,
        "kinds": InteractionNote.Kind.choices,
        "channels": offered_channels(request, guild),
    }
    return render_either(request, "notes/notes.html", "notes/_notes.html", context)


def _day(text: str) -> date | None:
    """Read a day from an address; None for what is none."""
    try:
        return parse_date(text)
    except ValueError:
        return None


def offered_channels(request: HttpRequest, guild: Guild | None) -> QuerySet[Channel]:
    """Return the channels that a list may be narrowed to."""
    return visible(Channel.objects.select_related("guild"), request.user, guild).order_by("guild", "name")[:CHANNELS]


@require_safe
def note(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one note with the messages or the notes it was written from."""
    rows = visible(InteractionNote.objects.select_related("guild", "channel", "audience"), request.user)
    found = get_object_or_404(rows, pk=pk)
    said = found.messages.select_related("author", "guild").order_by("sent_at", "pk")[: SHOWN_MESSAGES + 1]
    context = {
        "note": found,
        "messages_said": said[:SHOWN_MESSAGES],
        "more": len(said) > SHOWN_MESSAGES,
        "participants": found.participants.all(),
        "sources": found.notes.select_related("channel"),
        "clusters": found.clusters.all(),
    }
    return render(request, "notes/note.html", context)
