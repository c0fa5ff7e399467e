"""Find anything: members, memories, notes, channels, messages, settings and pages, by a few letters or a question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeVar
from urllib.parse import quote

from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.models import Fact
from memory.recall.results import Memory
from memory.recall.search import recall
from memory.views.settings import GROUPS
from memoryhub import db
from memoryhub.common.htmx import render_either
from memoryhub.common.permissions import asked_guild, guilds_for, is_operator, role_of
from memoryhub.community.days import local
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import name_holds
from memoryhub.models import Role
from memoryhub.site.frame import WATCHED
from notes.models import InteractionNote, Message

Row = TypeVar("Row", bound=Model)
MOST = 5  # of each kind
SEARCHED = 5  # guilds that are asked by meaning while none is chosen
LONGEST = 200  # characters of a question
PAGES: Sequence[tuple[str, str, str]] = (
    ("Home", "home", "overview start numbers feed"), ("Memories", "memories", "facts search correct"),
    ("Review", "review", "approve approval waiting low quality"), ("Members", "members", "people profiles consent"),
    ("Who knows about …", "who-knows", "experts find members by what they told"),
    ("Notes", "notes", "conversations what happened"),
    ("Catch up", "catchup", "what somebody missed since"),
    ("Plans and decisions", "plans", "calendar due upcoming decided agreed"),
    ("Channels", "channels", "summaries memory off"),
    ("Graph", "graph", "relationships interacts"), ("Context studio", "studio", "what a bot is handed prompt"),
    ("Recaps", "recaps", "week month draft post weekly"),
    ("Ask the memory", "ask", "question answer what is known sources"),
    ("Snapshot", "snapshot", "journal day markdown"), ("Jobs", "work", "nightly failed queue conversations"),
    ("Model calls", "model-calls", "cost tokens money"), ("Action log", "actions", "what the hub did"),
    ("Settings", "guild-settings", "options"), ("Webhooks", "webhooks", "events push"),
    ("Receipts", "receipts", "erasure proof"), ("Routes of the API", "api:openapi-view", "swagger openapi docs curl"),
    ("Privacy page", "privacy", "what is kept members read"),
    ("Password", "password", "sign in account"),
)  # fmt: skip
OPERATORS: Sequence[tuple[str, str, str]] = (
    ("People", "people", "invite accounts roles moderators"), ("Keys", "keys", "api key bot token"),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Hit:
    """One thing found: where it leads and what is said of it."""

    title: str
    path: str
    aside: str = ""
    who: str = ""


@require_safe
@db.on_replica
def find(request: HttpRequest) -> HttpResponse:
    """Show what was found, by kind; without a question the pages."""
    question = " ".join(request.GET.get("q", "").replace("\0", "").split())[:LONGEST]
    guild = asked_guild(request)
    groups = [(title, hits) for title, hits in _groups(request, guild, question) if hits]
    context = {"question": question, "groups": groups, "guild": guild, "bare": "bare" in request.GET}
    part = "memoryhub/_found.html" if "typed" in request.GET else "memoryhub/_find.html"
    return render_either(request, "memoryhub/find.html", part, context)


def _groups(request: HttpRequest, guild: Guild | None, question: str) -> Iterator[tuple[str, list[Hit]]]:
    yield "Pages", _pages(request, question)
    if not question:
        return
    yield "Settings", _settings(question, guild)
    if guild is None:
        yield "Guilds", _guilds(request, question)
    guilds = [guild] if guild else list(guilds_for(request.user).order_by("name", "key")[:WATCHED])
    where = {"guild__in": guilds}
    called = name_holds(question) | Q(platform_id=question)
    members = Member.objects.filter(called, **where).select_related("guild").order_by("-last_seen_at")[:MOST]
    yield "Members", [_hit(str(row), "member", row.pk, str(row.guild)) for row in members]
    channels = Channel.objects.filter(name__icontains=question.lstrip("#"), **where).select_related("guild")[:MOST]
    yield "Channels", [_hit(str(row), "channel", row.pk, str(row.guild)) for row in channels]
    yield from _remembered(question, guilds)


def _remembered(question: str, guilds: Sequence[Guild]) -> Iterator[tuple[str, list[Hit]]]:
    """Yield what is recalled by meaning, best first, then what holds the very words: private and outdated, too."""
    found = [memory for guild in guilds[:SEARCHED] for memory in _recalled(guild, question)]
    ids: dict[str, list[Any]] = {"fact": [], "note": [], "message": []}
    for memory in sorted(_telling(found, question), key=lambda memory: -memory.score):
        ids[memory.kind].append(memory.id)
    facts = Fact.objects.filter(guild__in=guilds).select_related("subject")
    worded = facts.filter(text__icontains=question).exclude(pk__in=ids["fact"]).order_by("-pk")[:MOST]
    rows = [*_in_order(facts, "pk", ids["fact"]), *worded][:MOST]
    yield "Memories", [_hit(row.text, "fact", row.pk, _about(row)) for row in rows]
    notes = InteractionNote.objects.told_in_each_guild().filter(guild__in=guilds)
    called = notes.filter(title__icontains=question).exclude(pk__in=ids["note"]).order_by("-pk")[:MOST]
    told: dict[tuple[str, date], InteractionNote] = {}
    for row in [*_in_order(notes, "pk", ids["note"]), *called]:
        told.setdefault((row.title, row.note_date), row)  # a topic may bear the title of its talk
    first = list(told.values())[:MOST]
    yield "Notes", [_hit(row.title, "note", row.pk, f"{row.note_date:%-d %b %Y}") for row in first]
    messages = Message.objects.filter(guild__in=guilds, deleted_at=None).select_related("author", "channel", "guild")
    said = _in_order(messages, "platform_id", ids["message"])[:MOST]
    yield (
        "Messages",
        [
            _hit(row.text[:120], "message", row.pk, f"{local(row.guild, row.sent_at):%-d %b}", who=str(row.author))
            for row in said
        ],
    )


def _telling(found: Sequence[Memory], question: str) -> list[Memory]:
    """Return what is about the question, else what is nearest; one word alone is near many short messages, so none."""
    alone = " " not in question
    said = [memory for memory in found if memory.gate == "lexical" or (memory.gate and not alone)]
    return said or [memory for memory in found if not (alone and memory.kind == "message")]


def _in_order(rows: QuerySet[Row], field: str, wanted: Sequence[Any]) -> list[Row]:
    """Return the rows with these values of the field in their order; one that is gone meanwhile is left out."""
    by_value = {getattr(row, field): row for row in rows.filter(**{f"{field}__in": wanted})}
    return [by_value[value] for value in wanted if value in by_value]


def _about(fact: Fact) -> str:
    status = "" if fact.status == Fact.Status.ACTIVE else f", {fact.get_status_display().lower()}"
    return f"{fact.subject or 'Lore'}{status}"


def _recalled(guild: Guild, question: str) -> list[Memory]:
    return recall(guild, question=question, now=timezone.now(), limit=3 * MOST)


def _hit(title: str, name: str, pk: int, aside: str = "", *, who: str = "") -> Hit:
    return Hit(title=title, path=reverse(name, args=[pk]), aside=aside, who=who)


def _pages(request: HttpRequest, question: str) -> list[Hit]:
    """Return the pages whose name or words hold the letters, of those that the visitor may open."""
    role = role_of(request.user)
    pages = [*PAGES, *(OPERATORS if is_operator(request.user) else ())]
    if is_operator(request.user) or (role and role.kind == Role.Kind.AUDITOR):
        pages.append(("Audit log", "audit", "who looked who changed"))
    wanted = question.casefold()
    return [
        Hit(title=title, path=reverse(name)) for title, name, words in pages if wanted in f"{title} {words}".casefold()
    ]


def _settings(question: str, guild: Guild | None) -> list[Hit]:
    """Return the settings that are called so."""
    address, wanted = reverse("guild-settings"), question.casefold()
    query = f"?guild={quote(guild.key)}" if guild else ""
    found = []
    for group, labels in GROUPS.items():
        for name, label in labels.items():
            title = label or name.replace("_", " ").capitalize()
            if wanted in f"{title} {group} {name.replace('_', ' ')}".casefold():
                found.append(Hit(title=title, path=f"{address}{query}#id_{name}", aside=group))
    return found[:MOST]


def _guilds(request: HttpRequest, question: str) -> list[Hit]:
    rows = guilds_for(request.user).filter(Q(name__icontains=question) | Q(key__icontains=question)).order_by("name")
    return [Hit(title=str(row), path=f"{reverse('home')}?guild={quote(row.key)}", aside=row.key) for row in rows[:MOST]]
