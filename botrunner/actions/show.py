"""What members may see: all that is known about them, what it rests on, what memory answers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from botrunner.actions import texts_members
from botrunner.actions.caller import Caller, channel_of, entries_of, facts_of, guild_of, in_names, member_of, notes_of
from botrunner.actions.escape import link, one_line
from botrunner.actions.listing import Page, place
from botrunner.actions.memory_ids import Kind, MemoryId, has_id, parse_id
from memory.answers import answering
from memory.models import Evidence, Fact
from memory.recall.results import Memory
from memory.recall.search import recall
from memoryhub.ai import ModelFailed
from memoryhub.community.models import Guild
from memoryhub.community.querysets import heard
from notes.models import InteractionNote, Message, Summary
from notes.summaries import summarize
from profiles.models import ProfileEntry

SUMMARY_LASTS = timedelta(minutes=1)  # who asks again so soon gets the same: a model's answer costs
HITS = 6  # with their links they are one screen
MOST_CHOICES = 25  # suggestions; Discord's limit

Row = tuple[MemoryId, Fact | ProfileEntry | InteractionNote]
"""A memory with its id."""


# --- The list ------------------------------------------------------------------------------------------------------


def list_memories(caller: Caller, *, of: str = "", query: str = "", page: int = 1) -> Page:
    """Show a page of what is known: facts, then entries of the profile, then notes; each kind the newest first."""
    querysets = _querysets(caller, of=of, query=query)
    total = sum(rows.count() for rows in querysets.values())
    page, last = place(page, total, a_page=texts_members.A_PAGE)
    shown = _slice(querysets, (page - 1) * texts_members.A_PAGE, texts_members.A_PAGE)
    return texts_members.memories(shown, total=total, page=page, last=last, own=not of, query=query)


def _querysets(caller: Caller, *, of: str = "", query: str = "") -> dict[Kind, QuerySet[Any]]:
    in_text, in_note = Q(text__icontains=query), Q(title__icontains=query) | Q(summary__icontains=query)
    return {
        "fact": facts_of(caller, of=of).filter(in_text),
        "entry": entries_of(caller, of=of).filter(in_text),
        "note": notes_of(caller, of=of).filter(in_note),
    }


def _slice(querysets: dict[Kind, QuerySet[Any]], start: int, count: int) -> list[Row]:
    """Return so many rows of the kinds set end to end, from the one at `start` on."""
    found: list[Row] = []
    for kind, rows in querysets.items():
        room = count - len(found)
        found += [(MemoryId(kind, row.pk), row) for row in rows[start : start + room]]
        start = max(0, start - rows.count())
    return found


def suggest(caller: Caller, *, typed: str, kinds: Sequence[Kind] = ("fact",)) -> list[tuple[str, str]]:
    """Return the memories that what is typed may mean, by id first: their words and id."""
    by_id = {kind: rows.filter(has_id(typed, kind)) for kind, rows in _querysets(caller).items() if kind in kinds}
    by_words = {kind: rows for kind, rows in _querysets(caller, query=typed).items() if kind in kinds}
    rows = dict.fromkeys([*_slice(by_id, 0, len(kinds)), *_slice(by_words, 0, MOST_CHOICES)])
    return [(one_line(texts_members.words(row)), str(memory_id)) for memory_id, row in rows][:MOST_CHOICES]


# --- Why -----------------------------------------------------------------------------------------------------------


def explain(caller: Caller, *, memory: str) -> Page:
    """Show what a fact, an entry of the profile or a note rests on, with links."""
    match parse_id(memory):
        case ("fact", pk) if fact := facts_of(caller).filter(pk=pk).first():
            return texts_members.why(fact, _sources(fact))
        case ("entry", pk) if entry := entries_of(caller).filter(pk=pk).first():
            notes = notes_of(caller).filter(entry_sources__entry=entry)[: texts_members.SHOWN_SOURCES]
            said = Message.objects.filter(entry_sources__entry=entry, deleted_at=None)
            said = said.select_related("channel", "guild")
            shown = [message for message in said if message.heard_by in (None, entry.audience_id)]
            return texts_members.why_entry(entry, [(note, _messages(note).first()) for note in notes], shown)
        case ("note", pk) if note := notes_of(caller).filter(pk=pk).first():
            messages = _messages(note)
            shown = list(messages[: texts_members.SHOWN_SOURCES])
            return texts_members.why_note(note, shown, total=messages.count())
    return Page(texts_members.NOT_YOURS)


def _sources(fact: Fact) -> list[Evidence]:
    """Return the words that a fact rests on, also the caller's own: those of others as far as they may be told."""
    told = heard(fact.guild, "speaker") | Q(speaker=fact.subject)
    rows = fact.evidence.filter(told).exclude(message=None)
    return list(rows.select_related("speaker", "message__channel", "message__guild")[: texts_members.SHOWN_SOURCES])


def _messages(note: InteractionNote) -> QuerySet[Message]:
    return note.messages.filter(deleted_at=None).select_related("channel", "guild", "author")


# --- What memory answers -------------------------------------------------------------------------------------------


def search(caller: Caller, *, question: str, now: datetime) -> Page:
    """Search what may be told in this channel, if the guild lets members search."""
    guild = guild_of(caller)
    if guild is None or (why := _closed(guild)):
        return Page(texts_members.NOTHING_MATCHES if guild is None else why)
    question = in_names(caller, question)
    memories = recall(guild, question=question, now=now, channel=channel_of(caller), limit=HITS, strict=True)
    return texts_members.hits(memories, _links(guild, memories))


def ask(caller: Caller, *, question: str, now: datetime) -> Page:
    """Answer a question from what may be told in this channel, if the guild lets members search."""
    guild = guild_of(caller)
    if guild is None or (why := _closed(guild)):
        return Page(texts_members.NOT_KNOWN if guild is None else why)
    answered = answering.answer(
        guild, question=in_names(caller, question), now=now, channel=channel_of(caller), asker=member_of(caller)
    )  # fmt: skip
    return texts_members.answered(answered, _links(guild, list(answered.memories.values())))


def _closed(guild: Guild) -> str:
    """Return why members get no answers from memory here; "" where they do."""
    if not guild.member_search:
        return texts_members.NO_SEARCH
    return "" if guild.memory_on else texts_members.MEMORY_OFF


def _links(guild: Guild, memories: Sequence[Memory]) -> dict[str, str]:
    """Return the address of the first message that each memory rests on, by the message's id."""
    sources = [source.message_id for memory in memories for source in memory.sources[:1] if source.message_id]
    messages = Message.objects.of(guild).filter(platform_id__in=sources).select_related("channel", "guild")
    return {message.platform_id: link(message) for message in messages}


def summarize_channel(caller: Caller, *, now: datetime) -> str:
    """Have the channel in which it is asked summarised now, and return what it is about."""
    channel = channel_of(caller)
    if channel is None:
        return texts_members.NOTHING_SAID
    lately = Summary.objects.filter(channel=channel, kind=Summary.Kind.ROLLING, generated_at__gt=now - SUMMARY_LASTS)
    try:
        before = lately.first()
        summary = before or summarize.summarize(channel, now=now)
    except summarize.MemoryOff:
        return texts_members.MEMORY_OFF
    except ModelFailed:
        return texts_members.NO_SUMMARY
    if summary is None:
        return texts_members.NOTHING_SAID
    said = texts_members.summary(summary.text, summary.unresolved)
    return f"{said}\n{texts_members.SUMMED_UP_BEFORE}" if before else said
