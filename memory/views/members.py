"""A member: profile with its sources, facts, notes, relationships, activity, consent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.contrib import messages
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memory import pipeline
from memory.curation import browse, guild_settings, statistics
from memory.facts.normalization import normalize
from memory.models import Fact
from memory.views import filters
from memory.views.entries import NewEntryForm
from memoryhub.common.charts import chart
from memoryhub.common.htmx import render_either
from memoryhub.common.permissions import actor, may_change, visible, visible_member
from memoryhub.community.consent import remembers
from memoryhub.community.days import day_of
from memoryhub.community.models import Member
from profiles import consent_effects
from profiles.models import EntrySource, ProfileEntry, RelationshipDay
from profiles.relationships.graph import Edge, edges
from profiles.relationships.stated import StatedTie, stated_ties
from profiles.revision.sections import section_of

FACTS = 30
NOTES = 12
TIES = 6
REFUSED = 50
LINES = 12  # of a section, looking back
CHOICES = 10
BECAME = 20
A_MOMENT = timedelta(microseconds=1)  # before midnight it is still the day that was asked for


@require_safe
def member(request: HttpRequest, pk: int) -> HttpResponse:
    """Show all that is known of one member, and why; or, with `as_of`, what was believed on that day."""
    row = get_object_or_404(visible(Member.objects.select_related("guild", "profile"), request.user), pk=pk)
    now, moment = timezone.now(), filters.as_of(request, row.guild)
    facts = list(browse.apply_filters(row.facts.all(), browse.Filters(as_of=moment)).order_by("-pk")[: FACTS + 1])
    if moment is not None:
        browse.worded_as_of(facts, moment)
    entries = ProfileEntry.objects.filter(profile__member=row)
    days = RelationshipDay.objects.of(row.guild)
    until = row.last_seen_at if moment is None else min(moment - A_MOMENT, row.last_seen_at)
    by_day = statistics.count_by_day(row.messages.filter(sent_at__lte=until), "sent_at", until.date())
    notes, told = row.notes.select_related("channel"), _said_in_the_profile(row) if moment is None else set()
    if moment is not None:
        notes, days = notes.filter(ended_at__lte=moment), days.filter(day__lt=day_of(row.guild, moment))
    context = {
        "member": row,
        "remembered": remembers(row.guild, row),
        "choices": row.consent_choices.all()[:CHOICES],
        "sections": _sections(row) if moment is None else _sections_as_of(row, moment),
        "refused": entries.filter(status=ProfileEntry.Status.REFUSED)[:REFUSED] if moment is None else [],
        "new_entry": NewEntryForm(label_suffix="").shown(),
        "facts": [fact for fact in facts[:FACTS] if fact.normalized not in told],
        "told": sum(fact.normalized in told for fact in facts[:FACTS]),
        "became": _became(row, until=moment or now),
        "question": "",
        "more_facts": len(facts) > FACTS,
        "notes": notes.order_by("-ended_at", "-pk")[:NOTES],
        "ties": _ties(
            row,
            edges(days, guild=row.guild, now=moment or now, touching=[row], most=TIES),
            stated_ties(row.guild, touching=[row], as_of=moment),
        ),
        "activity": chart("Messages by day", [*by_day.items()]),
        "changing": may_change(request.user) and moment is None,
        "day": filters.day(request) if moment else None,
    }
    return render(request, "memory/member.html", context)


@require_POST
def choose(request: HttpRequest, pk: int) -> HttpResponse:
    """Record a member's choice about being remembered that they told an operator; it works at once."""
    row = visible_member(request, pk)
    if (answer := request.POST.get("remember")) not in ("yes", "no"):
        messages.error(request, "Choose yes or no.")
        return redirect("member", pk)
    remember = answer == "yes"
    consent_effects.choose(row, remember=remember, actor=actor(request), now=timezone.now())
    effect = "is remembered from now on" if remember else "is no longer remembered; what is known stays until erased"
    messages.success(request, f"The choice is kept: {row} {effect}.")
    return redirect("member", pk)


@require_http_methods(["GET", "HEAD", "POST"])
def disown(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask, then block the account and forget what it said; what others said stays."""
    row = visible_member(request, pk)
    if request.method == "POST" and request.POST.get("confirm") == "yes":
        now, by = timezone.now(), actor(request)
        guild_settings.block(row.guild, platform_id=row.platform_id, blocked=True, actor=by, now=now)
        said = pipeline.forget_said(row, actor=by, now=now)
        messages.success(request, f"{row} is blocked, and {said:,} of their messages are forgotten.")
        return redirect("member", pk)
    said = row.messages.filter(deleted_at=None).count()
    return render_either(request, "memory/disown.html", "memory/_disown.html", {"member": row, "said": said})


def _said_in_the_profile(member: Member) -> set[str]:
    """Return what the profile's lines say, as facts are compared: they need not be told twice."""
    shown = ProfileEntry.objects.filter(profile__member=member, status=ProfileEntry.Status.SHOWN)
    return {normalize(text) for text in shown.values_list("text", flat=True)}


def _became(member: Member, *, until: datetime) -> list[Fact]:
    """Return what was true once and became something else, the newest change first, each with what replaced it."""
    old = member.facts.filter(status=Fact.Status.SUPERSEDED, replaced_by__isnull=False, said_at__lte=until)
    rows = old.select_related("replaced_by").order_by("-replaced_by__said_at", "-said_at")
    return [fact for fact in rows[:BECAME] if fact.replaced_by and fact.replaced_by.said_at <= until]


@dataclass
class Tied:
    """Somebody whom the member has to do with: what was told of them, what is counted."""

    other: Member
    edge: Edge | None = None
    stated: list[StatedTie] = field(default_factory=list)


def _ties(member: Member, counted: Sequence[Edge], stated: Sequence[StatedTie]) -> list[Tied]:
    """Return one line for each other member, those of whom something was told first."""
    found: dict[int, Tied] = {}
    for told in stated:
        other = told.seen_from(member)
        found.setdefault(other.pk, Tied(other)).stated.append(told)
    for edge in counted:
        other = edge.seen_from(member)[0]
        found.setdefault(other.pk, Tied(other)).edge = edge
    return list(found.values())


def _sections(member: Member) -> list[tuple[str, list[ProfileEntry]]]:
    """Return the profile's sections that have entries, each entry with its source notes."""
    sources = EntrySource.objects.select_related("note", "message")
    shown = ProfileEntry.objects.filter(profile__member=member, status=ProfileEntry.Status.SHOWN)
    entries = list(
        shown.select_related("audience", "profile__member__guild").prefetch_related(Prefetch("sources", sources))
    )
    sections = [(section.label, [e for e in entries if e.section == section]) for section in ProfileEntry.Section]
    return [(label, lines) for label, lines in sections if lines]


def _sections_as_of(member: Member, moment: datetime) -> list[tuple[str, list[Fact]]]:
    """Return the facts believed at the moment, in the sections of a profile: entries of profiles keep no history."""
    facts = list(member.facts.believed_at(moment).select_related("audience").order_by("said_at", "pk"))
    browse.worded_as_of(facts, moment)
    placed = [(section_of(fact.text, kind=fact.kind), fact) for fact in facts]
    sections = [(section.label, [f for name, f in placed if name == section]) for section in ProfileEntry.Section]
    return [(label, lines[:LINES]) for label, lines in sections if lines]
