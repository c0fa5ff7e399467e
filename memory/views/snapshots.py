"""The snapshot of a guild's memory, and its journals by day."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import content_disposition_header, urlencode
from django.views.decorators.http import require_POST, require_safe

from memory.models import Fact
from memory.records import snapshots
from memory.records.journal_lines import Line, read_lines, talks
from memory.records.markdown import to_html
from memoryhub.common import address
from memoryhub.common.htmx import details, render_either
from memoryhub.common.permissions import guilds_for, one_guild, visible
from memoryhub.community.days import span
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import heard
from notes.models import InteractionNote, Journal

JOURNALS, LATELY = 60, 14  # days that are listed, and of these the ones that stand open
DAY = re.compile(r"^- (\d{4}-\d{2}-\d{2})(?:\.md)?(?=$| )", re.MULTILINE)
PERSON = re.compile(r"^- \*\*(.+)\*\*$", re.MULTILINE)
HEADING = re.compile(r"\A# .*\n*")
OPEN = 60  # lines of a day's journal that stand open; what was said after them is folded
MOST_IDS = 500
NOTES, FACTS = 40, 40  # that a day's journal tells of


@require_safe
def snapshot(request: HttpRequest) -> HttpResponse:
    """Show the guild's snapshot, of the largest guild when none is named."""
    guild = one_guild(request)
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
    guild = one_guild(request)
    if guild is None:
        raise Http404("There is no guild yet.")
    return _file("MEMORY.md", snapshots.current_snapshot(guild, now=timezone.now()).text)


def _file(name: str, text: str) -> HttpResponse:
    headers = {"Content-Disposition": content_disposition_header(as_attachment=True, filename=name) or ""}
    return HttpResponse(text, content_type="text/markdown; charset=utf-8", headers=headers)


def _shown(guild: Guild) -> dict[str, object]:
    page = snapshots.current_snapshot(guild, now=timezone.now())
    journals = list(Journal.objects.of(guild).only("day", "guild_id", "generated_at")[:JOURNALS])
    listed = {"journals": journals[:LATELY], "older": journals[LATELY:]}
    return {"snapshot": page, "html": to_html(_linked(guild, page.text)), **listed}


def _linked(guild: Guild, text: str) -> str:
    """Return the snapshot's text with the way to members and to the days' journals, where there are any."""
    days = {f"{day}": reverse("journal", args=[guild.pk, day]) for day in _days_named(guild, text)}
    people = {snapshots.line_of(str(member)): reverse("member", args=[member.pk]) for member in _people_named(guild)}

    def day(found: re.Match[str]) -> str:
        return f"- [{found[1]}]({days[found[1]]})" if found[1] in days else found[0]

    def person(found: re.Match[str]) -> str:
        return f"- **[{found[1]}]({people[found[1]]})**" if found[1] in people else found[0]

    return PERSON.sub(person, DAY.sub(day, text))


def _days_named(guild: Guild, text: str) -> Collection[date]:
    named = {found for each in DAY.findall(text) if (found := address.day(each))}
    return set(Journal.objects.of(guild).filter(day__in=named).values_list("day", flat=True)) if named else ()


def _people_named(guild: Guild) -> QuerySet[Member]:
    """Return those of whom a snapshot may tell; the same few as it does."""
    told = Fact.objects.of(guild).active().heard_in(None).filter(subject__isnull=False)
    return Member.objects.of(guild).filter(pk__in=told.values("subject")).order_by("label", "pk")[: snapshots.PEOPLE]


@require_safe
def journal(request: HttpRequest, guild: int, day: date) -> HttpResponse:
    """Show the guild's journal of one day, and the way to the days before and after it."""
    row, others = _journal(request, guild, day), Journal.objects.filter(guild=guild).only("day", "guild_id")
    lines = read_lines(row.text)
    context = {
        "journal": row,
        "html": "" if lines else to_html(HEADING.sub("", row.text)),
        "said": len(lines),
        "talks": _talks(row.guild, lines),
        "happened": _happened(row.guild, day),
        "learned": _learned(row.guild, day),
        "earlier": others.filter(day__lt=day).order_by("-day").first(),
        "later": others.filter(day__gt=day).order_by("day").first(),
    }
    return render(request, "memory/journal.html", context)


@dataclass(frozen=True)
class ShownTalk:
    """One talk of a journal's day, with the channel and the members of its lines where they are still known."""

    channel: Channel | None
    name: str
    lines: Sequence[tuple[Line, Member | None]]
    folded: bool


def _talks(guild: Guild, lines: Sequence[Line]) -> list[ShownTalk]:
    """Return the day's talks; on a day with very many lines only the first ones stand open."""
    people = _known(Member.objects.of(guild), {line.account for line in lines})
    places = _known(Channel.objects.of(guild), {line.channel for line in lines})
    found: list[ShownTalk] = []
    shown = 0
    for talk in talks(lines):
        shown += len(talk.lines)
        with_members = [(line, people.get(line.account)) for line in talk.lines]
        found.append(
            ShownTalk(places.get(talk.channel), talk.channel, with_members, folded=bool(found) and shown > OPEN)
        )
    return found


def _known(rows: QuerySet[Any], ids: Collection[str]) -> dict[str, Any]:
    """Return the rows with these ids of the platform."""
    return {row.platform_id: row for row in rows.filter(platform_id__in=list(ids)[:MOST_IDS])} if ids else {}


def _happened(guild: Guild, day: date) -> list[InteractionNote]:
    """Return the day's notes that the whole guild may be told."""
    notes = InteractionNote.objects.told(guild).heard_in(None).filter(note_date=day)
    return list(notes.select_related("channel").order_by("started_at", "pk")[:NOTES])


def _learned(guild: Guild, day: date) -> list[Fact]:
    """Return what was learned on the day and is believed still, of what the whole guild may be told."""
    begin, end = span(guild, day)
    facts = Fact.objects.of(guild).active().heard_in(None).filter(said_at__gte=begin, said_at__lt=end)
    whose = Q(subject=None) | Q(heard(guild, "subject"))
    return list(facts.filter(whose).select_related("subject").order_by("said_at", "pk")[:FACTS])


@require_safe
def download_journal(request: HttpRequest, guild: int, day: date) -> HttpResponse:
    """Hand the journal out as a file named after its day."""
    return _file(f"{day}.md", _journal(request, guild, day).text)


def _journal(request: HttpRequest, guild: int, day: date) -> Journal:
    journals = visible(Journal.objects.select_related("guild"), request.user)
    row = get_object_or_404(journals, guild_id=guild, day=day)
    return snapshots.read_journal(row.guild, day=day, now=timezone.now()) or row
