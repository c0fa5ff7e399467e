"""A page that asks the memory: a question, where it is asked and by whom; the answer with its sources, or none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from memory.answers.answering import QUESTION, Answered, answer
from memory.recall.results import Memory
from memoryhub.common import address
from memoryhub.common.htmx import render_either
from memoryhub.common.permissions import named_guild, one_guild, only_asks
from memoryhub.community.models import Channel, Guild, Member
from notes.models import Message

CHANNELS, PEOPLE = 500, 50  # that are offered
WHO = 100  # characters of a name


@dataclass(frozen=True, kw_only=True)
class Cited:
    """A source of an answer: its number, the memory, and the page that shows it ("": it is gone meanwhile)."""

    number: int
    memory: Memory
    path: str


def cited(guild: Guild, answered: Answered) -> list[Cited]:
    """Return the sources of an answer by number, each with its page."""
    paths = _paths(guild, answered.memories)
    return [
        Cited(number=each, memory=memory, path=paths.get(each, "")) for each, memory in answered.memories.items()
    ]  # fmt: skip


def _paths(guild: Guild, memories: Mapping[int, Memory]) -> dict[int, str]:
    ids = [str(memory.id) for memory in memories.values() if memory.kind == "message"]
    rows = Message.objects.of(guild).row_ids(ids)
    found = {
        each: rows.get(str(memory.id)) if memory.kind == "message" else memory.id for each, memory in memories.items()
    }
    return {each: reverse(memories[each].kind, args=[pk]) for each, pk in found.items() if pk is not None}


@require_http_methods(["GET", "HEAD", "POST"])
def ask_page(request: HttpRequest) -> HttpResponse:
    """Show the form; answer what is posted. Asking may cost a call of a model, so nothing is asked by looking."""
    only_asks(request)
    fields = request.POST if request.method == "POST" else request.GET
    given = {name: fields.get(name, "").replace("\0", "").strip() for name in ("text", "who", "channel", "guild")}
    guild = one_guild(request, named_guild(request.user, given["guild"]))
    context: dict[str, object] = {"guild": guild, "asked": given, "longest": QUESTION}
    if guild is not None:
        people = Member.objects.of(guild).filter(is_bot=False)
        context |= {
            "channels": Channel.objects.of(guild).order_by("name")[:CHANNELS],
            "people": people.order_by("-last_seen_at")[:PEOPLE],
        }
        if request.method == "POST":
            context |= _answered(guild, given)
    return render_either(request, "memory/ask.html", "memory/_ask.html", context)


def _answered(guild: Guild, given: Mapping[str, str]) -> dict[str, object]:
    """Return the answer, or what is wrong with the question."""
    channel, askers = _channel(guild, given["channel"]), _called(guild, given["who"][:WHO])
    if not guild.memory_on:
        return {"wrong": "Memory is turned off in this guild, so nothing is recalled. The settings turn it on."}
    if not given["text"]:
        return {"wrong": "Write a question first: then it can be answered."}
    if len(given["text"]) > QUESTION:
        return {"wrong": f"A question has at most {QUESTION:,} characters; this one has {len(given['text']):,}."}
    if given["who"] and len(askers) != 1:
        many = "Several members here are" if askers else "Nobody here is"
        return {"wrong": f"{many} called so. Write the name as the list shows it, or the account’s id."}
    asker = askers[0] if askers else None
    answered = answer(guild, question=given["text"], now=timezone.now(), channel=channel, asker=asker)
    return {"answered": answered, "cited": cited(guild, answered), "here": channel, "asker": asker}


def _channel(guild: Guild, text: str) -> Channel | None:
    """Return the channel; Http404 for one that is not of this guild."""
    if not text:
        return None
    found = Channel.objects.of(guild).filter(pk=address.number(text) or 0).first()
    if found is None:
        raise Http404("No such channel.")
    return found


def _called(guild: Guild, who: str) -> list[Member]:
    """Return whom a name means: whose label or id it is, else all who bear it."""
    if not who:
        return []
    people = Member.objects.of(guild).filter(is_bot=False)
    exact = people.filter(Q(label__iexact=who) | Q(platform_id=who))[:1]
    return list(exact) or list(people.filter(Q(display_name__iexact=who) | Q(name__iexact=who)).order_by("pk")[:2])
