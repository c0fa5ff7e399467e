"""The context studio: what exactly a bot would be handed, how much of the budget each part takes, and why."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import quote

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from memory.answers import answering
from memory.context import builder
from memory.context.builder import Context
from memory.context.items import Item, Why
from memory.models import Fact
from memory.recall.word_overlap import shared_words
from memory.views.community.ask import cited
from memory.views.studio import studio_form
from memoryhub.common.htmx import render_either
from memoryhub.common.permissions import only_asks
from memoryhub.community.models import Guild, Member
from notes.models import Message

WIDTH = 1_000  # of the bar, in its own units
SOURCES = 3  # links of one item
LIKELY = 0.5  # share of an item's words that the bot's answer has, from which on it probably rests on the item
SHOWN = 5  # of those

NAMES = {
    "base": "The bot's own instructions", "text": "What was said", "profiles": "Profiles", "channel": "The channel",
    "rolling": "Recent summary", "relationships": "Who knows whom", "facts": "Facts", "notes": "Notes",
    "messages": "Messages that may matter", "transcript": "Transcript",
}  # fmt: skip
REASONS = {
    Why.BUDGET: "No room in the budget", Why.CAP: "Its part was full", Why.REPEATED: "Said already",
    Why.GATE: "Too far from what was said", Why.AUDIENCE: "Hidden in this channel",
}  # fmt: skip


SCORES = {
    "semantic": ("meaning", "How close it is in meaning to what was said"),
    "lexical": ("words", "How many of the words of what was said it has, rare ones counting more"),
    "words": ("words", "How many of the words of what was said it has"),
    "support": ("its sources", "How well the messages it rests on fit what was said"),
    "named": ("named", "Whether it is about somebody who is named"),
    "when": ("time", "Whether it is of the time that is asked about"),
    "told": ("telling", "How much of what was said the message tells together with the one before it"),
    "recency": ("new", "How new it is"),
    "channel": ("here", "Whether it was said in this channel"),
    "asking": ("asks", "Whether it is itself a question: that counts against it"),
    "brief": ("brief", "How little it says, the less of what was said it has: that counts against it"),
    "outdated": ("outdated", "What it told is known to hold no longer: that counts against it"),
    "confidence": ("confidence", "How sure the hub is of it"),
    "strength": ("interaction", "How much the two have to do with each other"),
}
"""The parts of a score: the word for each, and what it measures; each is 0 to 1."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """An item as the page shows it; `message` and the like are row ids for links."""

    item: Item
    part: str
    links: list[tuple[str, int, str]]
    more: int
    member: int | None
    likely: bool = False
    pinned: bool = False

    @property
    def title(self) -> str:
        """Return the name of its part."""
        return NAMES[self.part]

    @property
    def scores(self) -> list[tuple[str, str, float]]:
        """Return the parts of the score that are not nothing, the largest first: what each is called and measures."""
        parts = sorted(((name, value) for name, value in self.item.scores.items() if value), key=lambda part: -part[1])
        return [(*SCORES.get(name, (name.replace("_", " "), "")), value) for name, value in parts]


@dataclass(frozen=True, kw_only=True)
class Slice:
    """A part of the token bar with its lines."""

    name: str
    title: str
    priority: str
    tokens: int
    cap: int
    dropped: int
    x: float
    width: float
    lines: list[Line]


@require_safe
def studio(request: HttpRequest) -> HttpResponse:
    """Show the form, and the context of the turn that it describes."""
    form = studio_form.read(request)
    shown: dict[str, object] = {}
    if form is not None:
        shown |= {**studio_form.offered(form), "asked": form, "guild": form.guild}
    if form and form.is_filled:
        started = time.perf_counter()
        built = builder.build(form.turn(now=timezone.now()))
        took = (time.perf_counter() - started) * 1_000
        drawing = Drawing(form.guild, built, answer=form.fields["said"])
        slices = list(drawing.slices(form.max_tokens))
        shown |= {
            "built": built, "took": round(took), "slices": slices, "free": max(0, form.max_tokens - built.tokens),
            "left_out": drawing.left_out(), "likely": drawing.likely(slices), "width": WIDTH,
            "beside": _beside(form, built), "calls": _calls(request, form),
            "around": max(0, built.tokens - sum(part.tokens for part in slices)),
            "filled": round(WIDTH * built.tokens / max(1, form.max_tokens, built.tokens), 2),
        }  # fmt: skip
    shown["back"] = request.get_full_path()
    return render_either(request, "memory/studio.html", "memory/_studio.html", shown)


def _beside(form: studio_form.StudioForm, built: Context) -> dict[str, object]:
    """Return how the context differs with the second setting: tokens of both by part, and the lines of one alone."""
    if form.beside is None:
        return {}
    other = builder.build(form.beside_it().turn(now=timezone.now()))
    first, second = ({part.name: part for part in each.parts} for each in (built, other))
    names = [name for name in NAMES if name in first or name in second]
    rows = [(NAMES[name], *(part[name].tokens if name in part else 0 for part in (first, second))) for name in names]
    lines = [{item.text: item for part in each.parts for item in part.items} for each in (built, other)]
    alone = [[item for text, item in lines[at].items() if text not in lines[1 - at]] for at in (0, 1)]
    return {"rows": rows, "tokens": other.tokens, "first": alone[0], "second": alone[1]}


@require_POST
def ask_memory(request: HttpRequest) -> HttpResponse:
    """Answer what is asked in the studio from memory, by the model where one is set; a page, or a part of one."""
    only_asks(request)
    form = studio_form.read(request)
    if form is None or not form.fields["text"]:
        messages.error(request, "Say something first: then it can be answered.")
        return redirect("studio")
    asker = form.members[0] if form.members else None
    answered = answering.answer(
        form.guild, question=form.fields["text"], now=timezone.now(), channel=form.channel, asker=asker
    )
    context = {
        "asked": form, "guild": form.guild, "answered": answered, "query": request.GET.urlencode(),
        "cited": cited(form.guild, answered),
    }  # fmt: skip
    return render_either(request, "memory/studio_answer.html", "memory/_answer.html", context)


def _calls(request: HttpRequest, form: studio_form.StudioForm) -> list[tuple[str, str]]:
    """Return the same question to the JSON API, by curl and in Python; the key stands in KEY."""
    turn: dict[str, object] = {"text": form.fields["text"], "members": [member.platform_id for member in form.members]}
    turn |= {"max_tokens": form.max_tokens, "format": form.fields["format"]}
    if form.channel:
        turn["channel"] = form.channel.platform_id
    address = request.build_absolute_uri(f"/api/v1/guilds/{quote(form.guild.key, safe='')}/context")
    body = json.dumps(turn, ensure_ascii=False)
    heads = "-H \"Authorization: Bearer $KEY\" -H 'Content-Type: application/json'"
    curl = f"curl -s {shlex.quote(address)} {heads} -d {shlex.quote(body)}"
    python = (
        'import json, urllib.request\n\nKEY = "your API key"\n'
        f"turn = {turn!r}\n"
        f"request = urllib.request.Request({address!r}, json.dumps(turn).encode(), {{\n"
        '    "Authorization": f"Bearer {KEY}", "Content-Type": "application/json"})\n'
        'print(json.load(urllib.request.urlopen(request))["text"])'
    )
    return [("curl", curl), ("Python", python)]


class Drawing:
    """What the page draws of a context and links to; three queries find the rows behind it.

    `answer` is what the bot said to it, "" if that is not known.
    """

    def __init__(self, guild: Guild, built: Context, *, answer: str) -> None:
        self._built, self._answer = built, answer
        items = [item for part in built.parts for item in part.items] + [row.item for row in built.left_out]
        ids = {source.message_id for item in items for source in item.sources[:SOURCES] if source.message_id}
        names = {item.member for item in items if item.member}
        facts = [item.id for item in items if item.kind == "fact" and isinstance(item.id, int)]
        self._pinned = set(Fact.objects.of(guild).filter(pk__in=facts, pinned=True).values_list("pk", flat=True))
        self._messages = Message.objects.of(guild).row_ids(ids)
        self._members = dict(Member.objects.of(guild).filter(platform_id__in=names).values_list("platform_id", "pk"))

    def slices(self, most: int) -> Iterator[Slice]:
        """Yield the parts side by side, as wide as the share of the budget of `most` tokens that they take."""
        x, scale = 0.0, WIDTH / max(1, most, self._built.tokens)
        for part in self._built.parts:
            yield Slice(
                name=part.name, title=NAMES[part.name], priority=part.priority, tokens=part.tokens, cap=part.cap,
                dropped=part.dropped, x=round(x, 2), width=round(part.tokens * scale, 2),
                lines=[self._line(part.name, item) for item in part.items],
            )  # fmt: skip
            x += part.tokens * scale

    def left_out(self) -> list[tuple[str, list[tuple[Line, str]]]]:
        """Return what stayed out by reason."""
        order = list(Why)
        rows = sorted(self._built.left_out, key=lambda row: order.index(row.why))
        return [
            (REASONS[why], [(self._line(row.part, row.item), row.because) for row in group])
            for why, group in groupby(rows, key=lambda row: row.why)
        ]

    def likely(self, slices: Iterable[Slice]) -> list[Line]:
        """Return the lines that the bot's answer probably rests on, the likeliest first."""
        lines = [line for part in slices for line in part.lines if line.likely]
        return sorted(lines, key=lambda line: -shared_words(line.item.text, self._answer))[:SHOWN]

    def _line(self, part: str, item: Item) -> Line:
        links: dict[tuple[str, int, str], None] = {}  # in order, each once
        for source in item.sources[:SOURCES]:
            if source.message_id in self._messages:
                links["message", self._messages[source.message_id], source.quote or "the message"] = None
            elif source.note_id:
                links["note", int(source.note_id), source.quote or "the note"] = None
        comparable = bool(self._answer) and part not in ("base", "text")
        return Line(
            item=item, part=part, links=list(links), more=max(0, len(item.sources) - SOURCES),
            likely=comparable and shared_words(item.text, self._answer) >= LIKELY,
            member=self._members.get(item.member), pinned=item.kind == "fact" and item.id in self._pinned,
        )  # fmt: skip
