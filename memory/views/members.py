"""A member: profile with its sources, facts, notes, relationships, activity, consent."""

from __future__ import annotations

from datetime import datetime

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from memory.curation import browse, statistics
from memory.models import Fact
from memory.views import filters
from memory.views.entries import NewEntryForm
from memoryhub.common.charts import Chart, chart
from memoryhub.common.permissions import actor, may_change, visible
from memoryhub.community.consent import remembers
from memoryhub.community.models import Member
from notes.models import InteractionNote
from profiles import consent_effects
from profiles.models import EntrySource, ProfileEntry, RelationshipDay
from profiles.relationships.graph import Edge, edges
from profiles.revision.sections import section_of

FACTS = 30
NOTES = 12
TIES = 6
REFUSED = 50
LINES = 12  # of a section, looking back
CHOICES = 10


@require_safe
@login_required
def member(request: HttpRequest, pk: int) -> HttpResponse:
    """Show all that is known of one member, and why."""
    found = get_object_or_404(visible(Member.objects.select_related("guild", "profile"), request.user), pk=pk)
    moment = filters.as_of(request, found.guild)
    facts = _facts(found, moment)
    context = {
        "member": found,
        "remembered": remembers(found.guild, found),
        "choices": found.consent_choices.all()[:CHOICES],
        "sections": _sections(found) if moment is None else _believed(found, moment),
        "refused": _refused(found) if moment is None else [],
        "new_entry": NewEntryForm(label_suffix=""),
        "facts": facts[:FACTS],
        "more_facts": len(facts) > FACTS,
        "notes": _notes(found),
        "ties": _ties(found),
        "activity": _activity(found),
        "changing": may_change(request.user) and moment is None,
        "day": filters.day(request) if moment else None,
    }
    return render(request, "memory/member.html", context)


@require_POST
@login_required
def choose(request: HttpRequest, pk: int) -> HttpResponse:
    """Record a member's choice about being remembered that they told an operator; it works at once."""
    found = get_object_or_404(visible(Member.objects.select_related("guild"), request.user), pk=pk)
    if (said := request.POST.get("remember")) not in ("yes", "no"):
        messages.error(request, "Choose yes or no.")
        return redirect("member", pk)
    consent_effects.choose(found, remember=said == "yes", actor=actor(request), now=timezone.now())
    told = "is remembered from now on" if said == "yes" else "is no longer remembered; what is known stays until erased"
    messages.success(request, f"The choice is kept: {found} {told}.")
    return redirect("member", pk)


def _facts(found: Member, moment: datetime | None) -> list[Fact]:
    """Return the newest facts that are believed, or were at the moment: one more than are shown."""
    rows = browse.apply_filters(found.facts.all(), browse.Filters(as_of=moment)).order_by("-pk")
    facts = list(rows[: FACTS + 1])
    if moment is not None:
        browse.worded_as_of(facts, moment)
    return facts


def _sections(found: Member) -> list[tuple[str, list[ProfileEntry]]]:
    """Return the profile's sections that have entries, each entry with its source notes."""
    sources = EntrySource.objects.select_related("note")
    shown = ProfileEntry.objects.filter(profile__member=found, status=ProfileEntry.Status.SHOWN)
    entries = list(shown.select_related("audience").prefetch_related(Prefetch("sources", sources)))
    sections = [(section.label, [e for e in entries if e.section == section]) for section in ProfileEntry.Section]
    return [(label, lines) for label, lines in sections if lines]


def _believed(found: Member, moment: datetime) -> list[tuple[str, list[Fact]]]:
    """Return what was believed at the moment, in the sections of a profile: lines of profiles keep no history."""
    facts = list(found.facts.believed_at(moment).select_related("audience").order_by("said_at", "pk"))
    browse.worded_as_of(facts, moment)
    placed = [(section_of(fact.text, kind=fact.kind), fact) for fact in facts]
    sections = [(section.label, [f for name, f in placed if name == section]) for section in ProfileEntry.Section]
    return [(label, lines[:LINES]) for label, lines in sections if lines]


def _refused(found: Member) -> QuerySet[ProfileEntry]:
    return ProfileEntry.objects.filter(profile__member=found, status=ProfileEntry.Status.REFUSED)[:REFUSED]


def _notes(found: Member) -> list[InteractionNote]:
    return list(found.notes.select_related("channel").order_by("-ended_at", "-pk")[:NOTES])


def _ties(found: Member) -> list[tuple[Member, Edge]]:
    """Return the members whom they have most to do with."""
    rows = RelationshipDay.objects.of(found.guild)
    strongest = edges(rows, guild=found.guild, now=timezone.now(), touching=[found], most=TIES)
    return [(edge.seen_from(found)[0], edge) for edge in strongest]


def _activity(found: Member) -> Chart:
    """Draw the days before the member was last seen."""
    until = found.last_seen_at.date()
    return chart("Messages by day", statistics.count_by_day(found.messages.all(), "sent_at", until))
