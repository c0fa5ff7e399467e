"""A member: profile with its sources, facts, notes, relationships, activity, consent."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.db.models import Count, Max, Prefetch
from django.db.models.functions import TruncDate
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memory import pipeline
from memory.curation import browse, guild_settings, statistics
from memory.facts.normalization import normalize
from memory.index.view import View
from memory.models import Fact
from memory.recall.own_words import own_words
from memory.views import filters
from memory.views.entries import NewEntryForm
from memoryhub.common import undo
from memoryhub.common.charts import chart
from memoryhub.common.htmx import render_either
from memoryhub.common.permissions import actor, changers_only, may_change, visible, visible_member
from memoryhub.community import consent
from memoryhub.community.consent import remembers
from memoryhub.community.days import day_of
from memoryhub.community.models import Channel, Member
from notes.models import Message
from profiles import consent_effects
from profiles.models import EntrySource, ProfileEntry, RelationshipDay
from profiles.relationships.graph import Edge, edges
from profiles.relationships.stated import StatedTie, stated_ties
from profiles.revision.sections import section_of
from profiles.revision.visible_entries import most_lasting

FACTS = 30
NOTES = 12
TIES = 6
OWN_WORDS = 6
REFUSED = 50
LINES = 12  # of a section, looking back
CHOICES = 10
BECAME = 20
PLACES = 8  # channels
LEAST_BAR = 1.5  # percent of the line of time: what was believed for an hour is seen, too
A_MOMENT = timedelta(microseconds=1)  # before midnight it is still the day that was asked for


@require_safe
def member(request: HttpRequest, pk: int) -> HttpResponse:
    """Show all that is known of one member, and why; or, with `as_of`, what was believed on that day."""
    row = get_object_or_404(visible(Member.objects.select_related("guild", "profile"), request.user), pk=pk)
    now, moment = timezone.now(), filters.as_of(request, row.guild)
    facts = list(browse.apply_filters(row.facts.all(), browse.Filters(as_of=moment)).order_by("-pk")[: FACTS + 1])
    if moment is not None:
        browse.worded_as_of(facts, moment)
    days = RelationshipDay.objects.of(row.guild)
    until = row.last_seen_at if moment is None else min(moment - A_MOMENT, row.last_seen_at)
    by_day = statistics.count_each_day(row.messages.filter(sent_at__lte=until), "sent_at", until.date())
    stated = stated_ties(row.guild, touching=[row], as_of=moment)
    notes = row.notes.told(row.guild).once().select_related("channel")
    if moment is not None:
        notes, days = notes.filter(ended_at__lte=moment), days.filter(day__lt=day_of(row.guild, moment))
    shown = _entries(row) if moment is None else []
    # What the ties and the lines of the profile say need not be told twice.
    told = {normalize(tie.text) for tie in stated if tie.subject == row} | {normalize(entry.text) for entry in shown}
    context = {
        "member": row,
        "remembered": remembers(row.guild, row),
        "choices": row.consent_choices.all()[:CHOICES],
        "new_entry": NewEntryForm(label_suffix="").shown(),
        "facts": [fact for fact in facts[:FACTS] if fact.normalized not in told],
        "told": sum(fact.normalized in told for fact in facts[:FACTS]),
        "believed": _believed(row, until=moment or now),
        "wrote": _activity(row, until=until),
        "question": "",
        "more_facts": len(facts) > FACTS,
        "notes": notes.order_by("-ended_at", "-pk")[:NOTES],
        "ties": _ties(row, edges(days, guild=row.guild, now=moment or now, touching=[row], most=TIES), stated),
        "activity": chart("Messages by day", [*by_day.items()]),
        "changing": may_change(request.user) and moment is None,
    }
    if moment is None:
        context |= _profile(row, shown, every_line=request.GET.get("lines") == "all")
    else:
        back = (day_of(row.guild, now) - day_of(row.guild, moment - A_MOMENT)).days
        context |= {"sections": _sections_as_of(row, moment), "day": filters.day(request), "back": back}
    return render_either(request, "memory/member.html", "memory/_profile.html", context)


@require_POST
def choose(request: HttpRequest, pk: int) -> HttpResponse:
    """Record a member's choice about being remembered that they told an operator; it works at once."""
    row = visible_member(request, pk)
    if (answer := request.POST.get("remember")) not in ("yes", "no"):
        messages.error(request, "Choose yes or no.")
        return redirect("member", pk)
    remember, said_no, undone = answer == "yes", row.remember is False, "stands" in request.POST
    if undone and (request.POST["stands"] == "yes") != row.remember:
        messages.error(request, "Somebody changed it meanwhile, and it is left so.")
        return redirect("member", pk)
    consent_effects.choose(row, remember=remember, actor=actor(request), now=timezone.now())
    effect = "is remembered from now on" if remember else "is no longer remembered; what is known stays until erased"
    # A no takes counts and summaries away for good: only a yes after a no can be taken back.
    back = undo.offer("choose-consent", pk, fields={"remember": "no", "stands": "yes"}) if remember and said_no else ""
    messages.success(request, f"The choice is kept: {row} {effect}.", extra_tags="" if undone else back)
    return redirect("member", pk)


@require_POST
def let_be_found(request: HttpRequest, pk: int) -> HttpResponse:
    """Record whether a member is named to who asks who knows about something, as they told an operator."""
    row = visible_member(request, pk)
    if (answer := request.POST.get("findable")) not in ("yes", "no"):
        messages.error(request, "Choose yes or no.")
        return redirect("member", pk)
    consent.let_be_found(row, findable=answer == "yes", actor=actor(request), now=timezone.now())
    effect = "may be found from now on" if answer == "yes" else "is found no longer; what is known of them stays"
    messages.success(request, f"The choice is kept: {row} {effect}.")
    return redirect("member", pk)


@require_http_methods(["GET", "HEAD", "POST"])
@changers_only
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


@dataclass(frozen=True)
class Held:
    """A fact and the time in which it was believed; `x` and `width` are percents of the whole time, for a bar."""

    fact: Fact
    begin: datetime
    end: datetime | None
    x: float = 0
    width: float = 0


def _believed(member: Member, *, until: datetime) -> list[list[Held]]:
    """Return what was believed when, thread by thread: what was true once, then what it became, the newest first.

    A thread that was not broken by then is none: what is believed now and was never another thing stands elsewhere.
    """
    old = member.facts.filter(status=Fact.Status.SUPERSEDED, said_at__lte=until).select_related("replaced_by")
    ended = {fact.pk: fact for fact in old.order_by("-said_at", "-pk")[:BECAME] if _end(fact, until)}
    by_last: dict[int, dict[int, Fact]] = {}
    for fact in ended.values():
        thread, at = {fact.pk: fact}, fact
        while at.replaced_by and at.replaced_by.said_at <= until and at.replaced_by.pk not in thread:
            at = ended.get(at.replaced_by.pk, at.replaced_by)
            thread[at.pk] = at
        by_last.setdefault(at.pk, {}).update(thread)
    browse.worded_as_of([fact for thread in by_last.values() for fact in thread.values()], until)
    threads = [
        [Held(fact, fact.said_at, _end(fact, until)) for fact in sorted(thread.values(), key=lambda fact: fact.said_at)]
        for thread in by_last.values()
    ]
    return _spread(threads, until=until)


def _end(fact: Fact, until: datetime) -> datetime | None:
    """Return when the fact ceased to be believed; None while it still was."""
    end = fact.replaced_by.said_at if fact.replaced_by_id and fact.replaced_by else fact.valid_until
    return end if end and end <= until and fact.status == Fact.Status.SUPERSEDED else None


def _spread(threads: list[list[Held]], *, until: datetime) -> list[list[Held]]:
    """Give each its place on one line of time, from the first of all to now."""
    begin = min((held.begin for thread in threads for held in thread), default=until)
    whole = max((until - begin).total_seconds(), 1)

    def placed(held: Held) -> Held:
        x = 100 * (held.begin - begin).total_seconds() / whole
        width = 100 * ((held.end or until) - held.begin).total_seconds() / whole
        return replace(held, x=round(x, 2), width=round(max(width, LEAST_BAR), 2))

    return [[placed(held) for held in thread] for thread in threads]


@dataclass(frozen=True)
class Activity:
    """Where and on how many days a member wrote, up to some time."""

    channels: Sequence[tuple[Channel, int, datetime]]
    days: int


def _activity(member: Member, *, until: datetime) -> Activity:
    """Return the channels in which the member wrote, most first, with how much and when last."""
    said = Message.objects.filter(author=member, guild=member.guild, deleted_at=None, sent_at__lte=until).order_by()
    counted = said.values_list("channel").annotate(many=Count("pk"), last=Max("sent_at")).order_by("-many", "channel")
    rows = list(counted[:PLACES])
    places = Channel.objects.of(member.guild).in_bulk([pk for pk, *_ in rows])
    local = TruncDate("sent_at", tzinfo=ZoneInfo(member.guild.time_zone))
    days = said.aggregate(days=Count(local, distinct=True))["days"]
    return Activity([(places[pk], many, last) for pk, many, last in rows if pk in places], days)


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


def _entries(member: Member) -> list[ProfileEntry]:
    """Return the lines of the profile that are shown, each with its source notes."""
    sources = EntrySource.objects.told(member.guild).select_related("note", "message")
    shown = ProfileEntry.objects.filter(profile__member=member, status=ProfileEntry.Status.SHOWN)
    return list(
        shown.select_related("audience", "profile__member__guild").prefetch_related(Prefetch("sources", sources))
    )


def _profile(member: Member, shown: Sequence[ProfileEntry], *, every_line: bool) -> dict[str, object]:
    """Return the profile's lines, all or the most lasting, what was taken out of it, and the member's own words."""
    lines = shown if every_line else most_lasting(shown)
    taken_out = ProfileEntry.objects.filter(profile__member=member, status=ProfileEntry.Status.REFUSED)
    return {
        "sections": _sections(lines),
        "more_lines": len(shown) if len(lines) < len(shown) else 0,
        "refused": taken_out[:REFUSED],
        "own_words": own_words(View(guild=member.guild), member, OWN_WORDS),
    }


def _sections(entries: Collection[ProfileEntry]) -> list[tuple[str, list[ProfileEntry]]]:
    """Return the profile's sections that have entries, the strongest first."""
    ordered = sorted(entries, key=lambda entry: (not entry.pinned, entry.position, entry.pk))
    sections = [(section.label, [e for e in ordered if e.section == section]) for section in ProfileEntry.Section]
    return [(label, lines) for label, lines in sections if lines]


def _sections_as_of(member: Member, moment: datetime) -> list[tuple[str, list[Fact]]]:
    """Return the facts believed at the moment, in the sections of a profile: entries of profiles keep no history."""
    facts = list(member.facts.believed_at(moment).select_related("audience").order_by("said_at", "pk"))
    browse.worded_as_of(facts, moment)
    placed = [(section_of(fact.text, kind=fact.kind), fact) for fact in facts]
    sections = [(section.label, [f for name, f in placed if name == section]) for section in ProfileEntry.Section]
    return [(label, lines[:LINES]) for label, lines in sections if lines]
