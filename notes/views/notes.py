"""Pages of what happened: the timeline of notes, and one note."""

from __future__ import annotations

from datetime import date

from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from memoryhub import db
from memoryhub.common import address
from memoryhub.common.htmx import newest, render_either
from memoryhub.common.permissions import asked_guild, visible
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import bears
from notes.models import InteractionNote
from notes.views.month_calendar import Month, first_of, month_of, span_of

SHOWN = 20  # notes of a page
SHOWN_MESSAGES = 200
CHANNELS = 200
PEOPLE = 200  # who were seen last are offered as names
WHO = 100  # characters
MONTHS = (1970, 2200)  # years of which a calendar is drawn


@require_safe
@db.on_replica
def notes(request: HttpRequest) -> HttpResponse:
    """Show the notes that the visitor asked for, newest first."""
    guild = asked_guild(request)
    people = visible(Member.objects.all(), request.user, guild)
    wanted = address.number(request.GET.get("member"))
    member = get_object_or_404(visible(Member.objects.all(), request.user), pk=wanted) if wanted else None
    who = address.words(request.GET, "with", most=WHO)
    kind = request.GET.get("kind", "")
    asked = {
        "kind": kind if kind in InteractionNote.Kind.values else "",
        "channel": address.number(request.GET.get("channel")),
        "participants": member.pk if member else None,
    }
    first, last = address.day(request.GET.get("from", "")), address.day(request.GET.get("to", ""))
    between = {"note_date__gte": first, "note_date__lte": last}
    told = InteractionNote.objects.told(guild) if guild else InteractionNote.objects.told_in_each_guild()
    rows = visible(told if asked["kind"] else told.once(), request.user, guild)
    rows = rows.filter(**{field: value for field, value in asked.items() if value})
    called: list[Member] = []
    if who:  # who bears this label, name or id; in several guilds there may be several
        called = list(people.filter(bears(who) | Q(platform_id=who))[:PEOPLE])
        rows = rows.filter(participants__in=called).distinct()
    in_time = rows.filter(**{field: value for field, value in between.items() if value})
    page = newest(
        in_time.select_related("guild", "channel", "audience").prefetch_related("participants"),
        by="ended_at",
        limit=SHOWN,
        before=request.GET.get("before", ""),
    )
    context = {
        "notes": page.items,
        "next": page.next,
        "month": _month(rows, request.GET.get("month", ""), first or last),
        "asked": asked | {"from": first, "to": last},
        "one_day": first if first == last else None,
        "member": member,
        "who": who,
        "unknown": bool(who and not called),
        "people": people.order_by("-last_seen_at")[:PEOPLE],
        "guild": guild,
        "kinds": InteractionNote.Kind.choices,
        "channels": offered_channels(request, guild),
    }
    return render_either(request, "notes/notes.html", "notes/_notes.html", context)


def _month(rows: QuerySet[InteractionNote], text: str, day: date | None) -> Month | None:
    """Return the calendar of the month that is asked for, else of the day, else of the newest note."""
    dates = rows.order_by().values_list("note_date", flat=True)
    shown = address.day(f"{text}-01") or day or dates.order_by("-note_date").first()
    if shown is None or not MONTHS[0] <= shown.year <= MONTHS[1]:
        return None
    begin, end = span_of(first_of(shown))
    counts = dates.filter(note_date__range=(begin, end)).annotate(many=Count("pk", distinct=True))
    return month_of(
        begin,
        dict(counts.values_list("note_date", "many")),
        earlier=dates.filter(note_date__lt=begin).order_by("-note_date").first(),
        later=dates.filter(note_date__gt=end).order_by("note_date").first(),
    )


def offered_channels(request: HttpRequest, guild: Guild | None) -> QuerySet[Channel]:
    """Return the channels that a list may be narrowed to."""
    return visible(Channel.objects.select_related("guild"), request.user, guild).order_by("guild", "name")[:CHANNELS]


@require_safe
def note(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one note with the messages or the notes it was written from."""
    notes = InteractionNote.objects.told_in_each_guild()
    found = get_object_or_404(visible(notes.select_related("guild", "channel", "audience"), request.user), pk=pk)
    said = found.messages.select_related("author", "guild").order_by("sent_at", "pk")[: SHOWN_MESSAGES + 1]
    context = {
        "note": found,
        "messages_said": said[:SHOWN_MESSAGES],
        "more": len(said) > SHOWN_MESSAGES,
        "participants": found.participants.all(),
        "sources": found.notes.told(found.guild).select_related("channel"),
        "clusters": found.clusters.told(found.guild),
    }
    return render(request, "notes/note.html", context)
