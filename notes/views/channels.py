"""Channels: what each is about, what it left open, its conversation; what can be done there now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.db.models import Count, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce, TruncDate
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from memoryhub import db
from memoryhub.ai import ModelFailed
from memoryhub.common import address
from memoryhub.common.charts import chart
from memoryhub.common.htmx import newest, render_either
from memoryhub.common.permissions import asked_guild, changers_only, visible
from memoryhub.community.days import begin_of, day_of
from memoryhub.community.models import Channel, Member
from memoryhub.community.querysets import same_guild
from notes.messages import conversations
from notes.models import ChannelBuffer, Message, Question, Summary
from notes.summaries import questions, summarize

MAX_NAME = 100  # characters of a name that are searched for
CITED = 12
ANSWERED = 5
TALKERS, HAPPENED = 12, 10  # members, and notes, that a channel's page shows
DAYS = 30
NEVER = datetime(1970, 1, 1, tzinfo=UTC)  # when a channel was talked in that is known by name only
Status, Kind = ChannelBuffer.Status, Summary.Kind


@require_safe
@db.on_replica
def channels(request: HttpRequest) -> HttpResponse:
    """Show the channels, those talked in last first, or those whose name holds the words."""
    guild = asked_guild(request)
    name = address.words(request.GET, "q", most=MAX_NAME)
    rows = visible(Channel.objects.select_related("guild", "parent"), request.user, guild)
    rows = rows.filter(Q(name__icontains=name) | Q(platform_id=name)) if name else rows
    messages_of = Message.objects.filter(same_guild(), channel=OuterRef("pk")).order_by("-sent_at")
    open_now = ChannelBuffer.objects.filter(same_guild(), channel=OuterRef("pk"), status=Status.OPEN)
    rolling = Summary.objects.filter(same_guild(), channel=OuterRef("pk"), kind=Kind.ROLLING)
    asked = Question.objects.unanswered().filter(same_guild(), channel=OuterRef("pk")).order_by().values("channel")
    rows = rows.annotate(
        talked_at=Coalesce(Subquery(messages_of.values("sent_at")[:1]), Value(NEVER)),
        open_count=Subquery(open_now.values("message_count")[:1]),
        summary_text=Subquery(rolling.values("text")[:1]),
        summarized_at=Subquery(rolling.values("generated_at")[:1]),
        open_questions=Subquery(asked.annotate(many=Count("pk")).values("many")),
    )
    page = newest(rows, by="talked_at", before=request.GET.get("before", ""))
    context = {
        "channels": page.items,
        "never": NEVER,
        "next": page.next,
        "name": name,
        "guild": guild,
    }
    return render_either(request, "notes/channels.html", "notes/_channels.html", context)


@require_safe
def channel(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what one channel is about, what it left open, and where its conversation and its summary stand."""
    found = _channel(request, pk)
    summaries = list(Summary.objects.filter(channel=found).order_by("-to_at", "-pk"))
    written = {summary.kind: summary for summary in summaries}
    rolling = written.get(Kind.ROLLING)
    lists: list[tuple[str, list[str]]] = []
    if rolling:
        lists = [("Topics", rolling.threads or rolling.topics)]  # the same matters, with or without who spoke of them
        lists += [("Decisions", rolling.decisions), ("Words", rolling.glossary)]
    people, by_day, notes = _talkers(found), _by_day(found), found.notes.told(found.guild)
    context = {
        "channel": found,
        "activity": chart("Messages by day", by_day) if people else None,
        "people": people,
        "happened": notes.prefetch_related("participants").order_by("-ended_at", "-pk")[:HAPPENED],
        "rolling": rolling,
        "earlier": [summary for summary in summaries if summary.kind == Kind.PAST],
        "profile": written.get(Kind.PROFILE),
        "about": _about(written.get(Kind.PROFILE)),
        "lists": [(title, items) for title, items in lists if items],
        "cited": summarize.cited(rolling, limit=CITED) if rolling else [],
        "questions": questions.open_in(found).select_related("asked_by").prefetch_related("messages"),
        "answered": found.questions.exclude(answered_at=None).order_by("-answered_at")[:ANSWERED],
        "buffer": found.buffers.filter(status=Status.OPEN).first(),
        "waiting": found.buffers.exclude(status__in=[Status.OPEN, Status.DONE]).order_by("closed_at"),
    }
    return render(request, "notes/channel.html", context)


def _about(profile: Summary | None) -> list[tuple[str, str]]:
    """Return the description by its lines: what stands before a colon is a heading, a list by semicolons a sentence."""
    lines = [line.partition(": ") for line in (profile.text if profile else "").splitlines()]
    return [
        (head, items.replace("; ", ", ")) if colon and "; " in items else ("", head + colon + items)
        for head, colon, items in lines
    ]


def _talkers(found: Channel) -> list[tuple[Member, int]]:
    """Return who wrote most in the channel, and how much."""
    counted = Message.objects.posted().filter(channel=found).order_by().values_list("author").annotate(many=Count("pk"))
    most = dict(counted.order_by("-many", "author")[:TALKERS])
    people = Member.objects.of(found.guild).in_bulk(most)
    return [(people[pk], many) for pk, many in most.items() if pk in people]


def _by_day(found: Channel) -> list[tuple[date, int]]:
    """Return how many messages each of the days up to the newest one has, the guild's own days."""
    said = Message.objects.posted().filter(channel=found)
    newest = said.order_by("-sent_at").values_list("sent_at", flat=True).first()
    last = day_of(found.guild, newest or timezone.now())
    days = [last - timedelta(days=back) for back in reversed(range(DAYS))]
    since = said.filter(sent_at__gte=begin_of(found.guild, days[0])).order_by()
    counted = dict(
        since.annotate(day=TruncDate("sent_at", tzinfo=ZoneInfo(found.guild.time_zone)))
        .values_list("day")
        .annotate(many=Count("pk"))
    )
    return [(day, counted.get(day, 0)) for day in days]


def _channel(request: HttpRequest, pk: int) -> Channel:
    return get_object_or_404(visible(Channel.objects.select_related("guild", "parent"), request.user), pk=pk)


# --- What can be done ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Deed:
    """Something that is asked about before it is done: in which words; `act` does it and says what came of it.

    `undo` returns the tags of a message that offers to take it back.
    """

    question: str
    text: str
    button: str
    act: Callable[[Channel, datetime], str]
    undo: Callable[[Channel], str] = lambda _channel: ""


def _summarize(found: Channel, now: datetime) -> str:
    written = summarize.summarize(found, now=now)
    return "The summary is written anew." if written else "Nothing was said here yet, so there is nothing to sum up."


def _flush(found: Channel, now: datetime) -> str:
    ended = conversations.close_all(guild=found.guild, channel=found, now=now)
    return "The conversation is ended; the worker digests it next." if ended else "No conversation was open."


def stands(found: Channel) -> str:
    """Return how a channel's switch stands, as an undo of it says."""
    return "on" if found.memory_on else "off"


DEEDS: Mapping[str, Deed] = {
    "summarize-channel": Deed(
        "Summarise this channel now?",
        "The last two hours of talk go to the language model, once for the summary and, when it is time, once for the "
        "description over time. That costs what two calls cost; without a model it costs nothing.",
        "Summarise now",
        _summarize,
    ),
    "flush-channel": Deed(
        "End this conversation now?",
        "The worker then reads it for facts, writes its note and revises profiles, as it does after a silence. "
        "The next message begins another conversation.",
        "End it now",
        _flush,
    ),
}


@require_http_methods(["GET", "HEAD", "POST"])
@changers_only
def do(request: HttpRequest, pk: int) -> HttpResponse:
    """Carry out the deed whose address it is."""
    return carry_out(request, pk, DEEDS[_name(request)])


def _name(request: HttpRequest) -> str:
    return str(request.resolver_match.url_name) if request.resolver_match else ""


def carry_out(request: HttpRequest, pk: int, deed: Deed) -> HttpResponse:
    """Ask about a deed on a channel (a page, or a dialog for htmx); do it when the answer is posted."""
    found = _channel(request, pk)
    if request.method != "POST":
        context = {"channel": found, "deed": deed, "path": reverse(_name(request), args=[pk])}
        return render_either(request, "notes/channel_deed.html", "notes/_channel_deed.html", context)
    stood = request.POST.get("stands", "")  # where it is an undo: what it takes back
    if stood and stood != stands(found):
        messages.error(request, "Somebody changed it meanwhile, and it is left so.")
        return redirect("channel", pk=pk)
    try:
        done = deed.act(found, timezone.now())
        messages.success(request, done, extra_tags="" if stood else deed.undo(found))
    except (ModelFailed, summarize.MemoryOff) as error:
        messages.error(request, f"{error} What was written before stays.")
    return redirect("channel", pk=pk)
