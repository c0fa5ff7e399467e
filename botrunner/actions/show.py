"""What members may see at the desk: all that is known about them, what it rests on, what memory answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from botrunner.actions import caller as asking
from botrunner.actions import texts_members
from botrunner.actions.caller import Caller
from botrunner.actions.escape import line, link
from botrunner.actions.memory_ids import Kind, Mark, mark, named
from memory.recall.search import recall
from memoryhub.ai import ModelFailed
from notes.models import InteractionNote, Message, Summary
from notes.summaries import summarize as summaries

SUMMARY_LASTS = timedelta(minutes=1)  # who asks again so soon gets the same: a model's answer costs
HITS = 6  # with their links they stay below Discord's 2,000 characters
OFFERED = 25  # suggestions; Discord's limit


@dataclass(frozen=True)
class Page:
    """A page of a long list, and where it stands in it."""

    text: str
    page: int = 1
    last: int = 1


# --- The list ------------------------------------------------------------------------------------------------------


def listed(caller: Caller, *, of: str = "", query: str = "", page: int = 1) -> Page:
    """Show a page of what is known: facts, then lines of the profile, then notes; each kind the newest first."""
    shelves = _shelves(caller, of=of, query=query)
    total = sum(rows.count() for _, rows in shelves)
    last = max(1, -(-total // texts_members.A_PAGE))
    page = min(max(page, 1), last)
    shown = _cut(shelves, (page - 1) * texts_members.A_PAGE, texts_members.A_PAGE)
    return Page(texts_members.listed(shown, total=total, page=page, last=last, own=not of), page, last)


def _shelves(caller: Caller, *, of: str = "", query: str = "") -> list[tuple[Kind, QuerySet[Any]]]:
    words, told = Q(text__icontains=query), Q(title__icontains=query) | Q(summary__icontains=query)
    return [
        ("fact", asking.facts(caller, of=of).filter(words)),
        ("line", asking.lines(caller, of=of).filter(words)),
        ("note", asking.notes(caller, of=of).filter(told)),
    ]


def _cut(shelves: Sequence[tuple[Kind, QuerySet[Any]]], start: int, count: int) -> list[tuple[Mark, str]]:
    """Return so many rows of the shelves set end to end, from the one at `start` on."""
    found: list[tuple[Mark, str]] = []
    for kind, rows in shelves:
        room = count - len(found)
        found += [(Mark(kind, row.pk), WORDS[kind](row)) for row in rows[start : start + room]] if room else []
        start = max(0, start - rows.count())
    return found


def _note_words(note: InteractionNote) -> str:
    return f"{note.title}: {note.summary}"


WORDS: dict[Kind, Callable[[Any], str]] = {
    "fact": lambda fact: str(fact.text),
    "line": lambda entry: f"{entry.get_section_display()}: {entry.text}",
    "note": _note_words,
}


def suggest(caller: Caller, *, typed: str, kinds: Sequence[Kind] = ("fact",)) -> list[tuple[str, str]]:
    """Return the memories that what is typed may mean: their words and mark."""
    shelves = [(kind, rows) for kind, rows in _shelves(caller, query=typed) if kind in kinds]
    exact = [(kind, rows.filter(named(typed, kind))) for kind, rows in _shelves(caller) if kind in kinds]
    found = _cut(exact, 0, len(kinds)) + _cut(shelves, 0, OFFERED)
    return [(line(words), str(which)) for which, words in dict.fromkeys(found)][:OFFERED]


# --- Why -----------------------------------------------------------------------------------------------------------


def explain(caller: Caller, *, memory: str) -> str:
    """Show what a fact, a line of the profile or a note rests on, with links."""
    found = mark(memory)
    return WHY[found.kind](caller, found) if found else texts_members.NOT_YOURS


def _why_fact(caller: Caller, which: Mark) -> str:
    fact = asking.facts(caller).filter(pk=which.pk).first()
    return texts_members.why(fact) if fact else texts_members.NOT_YOURS


def _why_line(caller: Caller, which: Mark) -> str:
    entry = asking.lines(caller).filter(pk=which.pk).first()
    if entry is None:
        return texts_members.NOT_YOURS
    told = asking.notes(caller).filter(entry_sources__entry=entry)[: texts_members.SHOWN_SOURCES]
    return texts_members.why_line(entry, [(note, _first_said(note)) for note in told])


def _why_note(caller: Caller, which: Mark) -> str:
    note = asking.notes(caller).filter(pk=which.pk).first()
    if note is None:
        return texts_members.NOT_YOURS
    said = note.messages.filter(deleted_at=None).select_related("channel", "guild", "author")
    return texts_members.why_note(note, list(said[: texts_members.SHOWN_SOURCES]), total=said.count())


def _first_said(note: InteractionNote) -> Message | None:
    return note.messages.filter(deleted_at=None).select_related("channel", "guild").first()


WHY: dict[Kind, Callable[[Caller, Mark], str]] = {"fact": _why_fact, "line": _why_line, "note": _why_note}


# --- What memory answers -------------------------------------------------------------------------------------------


def search(caller: Caller, *, question: str, now: datetime) -> str:
    """Search what may be told in this channel, if the guild lets members search."""
    guild = asking.guild_of(caller)
    if guild is None:
        return texts_members.NOTHING_MATCHES
    if not guild.member_search:
        return texts_members.NO_SEARCH
    if not guild.memory_on:
        return texts_members.MEMORY_OFF
    channel = asking.channel_of(caller)
    found = recall(guild, question=question, now=now, channel=channel, limit=HITS, strict=True)
    sources = [source.message_id for memory in found for source in memory.sources[:1] if source.message_id]
    said = Message.objects.of(guild).filter(platform_id__in=sources).select_related("channel", "guild")
    return texts_members.hits(found, {message.platform_id: link(message) for message in said})


def summarize(caller: Caller, *, now: datetime) -> str:
    """Have the channel in which it is asked summarised now, and return what it is about."""
    channel = asking.channel_of(caller)
    if channel is None:
        return texts_members.NOTHING_SAID
    lately = Summary.objects.filter(channel=channel, kind=Summary.Kind.ROLLING, generated_at__gt=now - SUMMARY_LASTS)
    try:
        summary = lately.first() or summaries.summarize(channel, now=now)
    except summaries.MemoryOff:
        return texts_members.MEMORY_OFF
    except ModelFailed:
        return texts_members.NO_SUMMARY
    return texts_members.summary(summary.text, summary.unresolved) if summary else texts_members.NOTHING_SAID
