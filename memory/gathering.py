"""Collects what may go into the context of a turn, part by part, best first: reads only, embeds the text once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Prefetch

from memory import ranking
from memory.lanes import Probe, probe
from memory.memories import Memory, Source
from memory.parts import Item, Parts
from memory.recall import Inquiry, tell
from memory.repeats import says_the_same
from memory.shelves import View
from notes.models import EntrySource, Message, Summary
from profiles.models import Channel, Guild, Member, Profile, ProfileEntry
from profiles.querysets import AudienceScoped
from profiles.shapes import LIMITS
from profiles.wording import clip

MENTIONED = 3  # members named in the text whose profiles go in beside those present; seed 001
FACTS, FACTS_OF_PRESENT, NOTES = 10, 8, 5  # seeds 000 and 001
MESSAGES = 12  # seed 000 takes 8
TRANSCRIPT = 40  # messages; seed 003
SECTIONS = [str(section) for section in LIMITS]
QUESTION = 2_000  # characters of the text that are looked for
MESSAGE, NOTE = 400, 900  # characters of one message or note that are shown


def gather(
    guild: Guild, *, channel: Channel | None, present: Sequence[Member], mentioned: Sequence[Member], text: str,
    now: datetime,
) -> Parts:  # fmt: skip
    """Return the items of every part, in the order in which they are to be kept."""
    if not guild.memory_on or (channel is not None and not channel.memory_on):
        return {}
    asked = probe(text[:QUESTION])
    inquiry = Inquiry(probe=asked, view=View(guild=guild, channel=channel), now=now)
    transcript = _transcript(guild, channel)
    profiles = _profiles(guild, [*present, *mentioned[:MENTIONED]], channel, asked)
    return {
        "profiles": profiles,
        "facts": _unsaid(_facts(inquiry, present), profiles),
        "channel": _summaries(guild, channel, Summary.Kind.PROFILE),
        "rolling": _summaries(guild, channel, Summary.Kind.ROLLING),
        "notes": _notes(inquiry) if text.strip() else [],
        "messages": _messages(inquiry, transcript) if text.strip() else [],
        "transcript": transcript,
    }


def _profiles(guild: Guild, members: Sequence[Member], channel: Channel | None, asked: Probe) -> list[Item]:
    """Return the short summaries and the profile lines, those that share words with the question first."""
    known = [member for member in members if member.guild_id == guild.pk and member.remember is not False]
    summaries = Profile.objects.filter(member__in=known).exclude(summary="").select_related("member")
    sources = Prefetch("sources", EntrySource.objects.select_related("note").order_by("-note__ended_at"))
    entries = AudienceScoped[ProfileEntry](ProfileEntry).filter(
        profile__member__in=known, status=ProfileEntry.Status.SHOWN
    )
    lines = [
        _line(entry, ranking.shared_words(asked.question, entry.text))
        for entry in entries.heard_in(channel).select_related("profile__member").prefetch_related(sources)
    ]
    short = [Item(text=each.summary, about=str(each.member), section="summary") for each in summaries]
    return [*short, *sorted(lines, key=lambda item: (-item.score, SECTIONS.index(item.section)))]


def _line(entry: ProfileEntry, score: float) -> Item:
    notes = [source.note for source in entry.sources.all()]
    return Item(
        text=entry.text, about=str(entry.profile.member), section=entry.section, score=score,
        cited=[(note.title, note.note_date) for note in notes],
        sources=[Source(note_id=note.pk, quote=note.title, at=note.ended_at) for note in notes],
    )  # fmt: skip


def _facts(inquiry: Inquiry, present: Sequence[Member]) -> list[Item]:
    """Return what the guild knows about the question, and what it knows about those present, best first."""
    relevant = inquiry.best("fact", FACTS, strict=True)
    theirs = inquiry.best("fact", FACTS_OF_PRESENT, members=present) if present else []
    found = {row.pk: (row, ranked) for row, ranked in (*relevant, *theirs)}
    best = sorted(found.values(), key=lambda each: -each[1].score)
    return [_item(memory) for memory in tell(best)]


def _unsaid(facts: Sequence[Item], lines: Sequence[Item]) -> list[Item]:
    """Leave out the facts that a line of the profile says already."""
    said = [(line.about, line.text) for line in lines]
    return [
        fact
        for fact in facts
        if not any(about == fact.about and says_the_same(text, fact.text) for about, text in said)
    ]


def _notes(inquiry: Inquiry) -> list[Item]:
    found = inquiry.best("note", NOTES)
    return [
        Item(
            text=clip(row.summary, NOTE), section=row.title, at=row.ended_at, score=ranked.score, sources=memory.sources
        )
        for (row, ranked), memory in zip(found, tell(found), strict=True)
    ]


def _messages(inquiry: Inquiry, transcript: Sequence[Item]) -> list[Item]:
    """Return messages that share words with the question and are not in the transcript anyway."""
    shown = {source.message_id for item in transcript for source in item.sources}
    found = [each for each in inquiry.best("message", MESSAGES + TRANSCRIPT) if each[0].platform_id not in shown]
    return [_item(memory) for memory in tell(found[:MESSAGES])]


def _item(memory: Memory) -> Item:
    return Item(
        text=clip(memory.text, MESSAGE), about=memory.member or "", at=memory.created_at, score=memory.score,
        sources=memory.sources,
    )  # fmt: skip


def _summaries(guild: Guild, channel: Channel | None, kind: str) -> list[Item]:
    rows = Summary.objects.of(guild).filter(channel=channel, kind=kind) if channel else Summary.objects.none()
    return [
        Item(text=row.text, section=kind, at=row.to_at, sources=_cited(row))
        for row in rows.prefetch_related("messages")
    ]


def _cited(summary: Summary) -> list[Source]:
    return [Source(message_id=message.platform_id, at=message.sent_at) for message in summary.messages.all()]


def _transcript(guild: Guild, channel: Channel | None) -> list[Item]:
    """Return the newest messages of the channel, newest first, with what bots said."""
    if channel is None:
        return []
    rows = Message.objects.of(guild).filter(channel=channel, deleted_at=None).exclude(author__remember=False)
    newest = rows.select_related("author").order_by("-sent_at", "-pk")[:TRANSCRIPT]
    return [
        Item(
            text=clip(row.text, MESSAGE), about=str(row.author), at=row.sent_at,
            sources=[Source(message_id=row.platform_id, author=str(row.author), at=row.sent_at)],
        )
        for row in newest
    ]  # fmt: skip
