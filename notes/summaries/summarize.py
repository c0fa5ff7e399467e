"""Keeps what a channel is about, lately and over time; raw chat is never stored as a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Greatest

from memoryhub import db
from memoryhub.ai import LEFT_TO_RULES, ModelFailed, ask
from memoryhub.community.models import Channel, Member
from memoryhub.db import leases
from memoryhub.db.guild_scope import in_its_guild
from memoryhub.errors import Conflict
from memoryhub.language.clip import clip
from notes.arrangements import keeping as arrangements
from notes.messages.prompt_lines import lines_to_tell, messages_to_tell
from notes.models import Arrangement, Message, Question, Summary
from notes.summaries import questions
from notes.summaries.channel_profile import update_profile
from notes.summaries.told_of_channel import CITED
from notes.writing import note_safety
from notes.writing.note_safety import is_raw
from notes.writing.prompts import SUMMARY
from notes.writing.schemas import LIST_ITEMS, SummaryInput, SummaryText
from notes.writing.writer import as_arranged

MOST_MESSAGES = 120
MOST_CHARACTERS = 24_000  # of them together; the newest are kept
MESSAGE = 2_000  # characters of one message that are read
WINDOW = timedelta(hours=2)
TRIES = 3  # where a message that it rests on changes while the model thinks
EARLIER = 12  # summaries of earlier talks that a channel keeps
NOTHING_TOLD = "People only asked a bot."

# Written out, since every message that comes in runs it.
MORE_TO_SUM_UP = f"""UPDATE {Channel._meta.db_table} SET unsummarized = unsummarized + %s
    WHERE id = %s AND guild_id = %s"""  # noqa: S608  every value is a parameter
Kind = Summary.Kind


class MemoryOff(Conflict):
    """Memory is off here, so nothing is summarised."""


@in_its_guild
def summarize(channel: Channel, *, now: datetime, anew: bool = True) -> Summary | None:
    """Write the channel's rolling summary, and its profile when due; None without messages.

    Not `anew`: a summary of these very messages is kept, so that only what failed after it is tried again. Raises
    ModelFailed, with the old summary in place, and MemoryOff.
    """
    if not (channel.listens and channel.guild.memory_on):
        raise MemoryOff(f"The memory of {channel} is off. Turn it on first, then summarise.")
    for _ in range(TRIES):
        new = Channel.objects.values_list("unsummarized", flat=True).get(pk=channel.pk)
        messages = _lately(channel)
        rolling = _rolling(channel, messages, now=now, anew=anew) if messages else None
        if rolling:
            update_profile(channel, rolling, now=now)
        if rolling or not messages:
            # What was summarised is taken off the count of new messages; those that came meanwhile stay on it.
            left = Greatest(F("unsummarized") - new, 0)
            Channel.objects.filter(pk=channel.pk).update(unsummarized=left, last_error="", **leases.FRESH)
            return rolling
    return None


def _lately(channel: Channel) -> list[Message]:
    """Return the newest two hours of talk, 120 messages at most; the newest are kept when it must be cut."""
    rows = messages_to_tell(channel.guild).filter(channel=channel).order_by("-sent_at", "-pk")[:MOST_MESSAGES]
    kept: list[Message] = []
    room = MOST_CHARACTERS
    for message in rows:
        room -= min(len(message.text), MESSAGE)
        if kept and (room < 0 or message.sent_at <= kept[0].sent_at - WINDOW):
            break
        kept.append(message)
    return kept[::-1]


def _rolling(channel: Channel, messages: list[Message], *, now: datetime, anew: bool) -> Summary | None:
    """Return the summary of these messages; None if one of them changed while the model was thinking."""
    old = Summary.objects.filter(channel=channel, kind=Kind.ROLLING).first()
    if old and not anew and set(old.messages.values_list("pk", flat=True)) == {message.pk for message in messages}:
        return old
    left_open = questions.to_ask_about(channel)
    lines = lines_to_tell(channel.guild, messages)
    lines = [line.model_copy(update={"text": clip(line.text, MESSAGE)}) for line in lines]
    arranged = Arrangement.objects.of(channel.guild).shown().standing().filter(message__in=messages)
    given = SummaryInput(
        channel=str(channel),
        previous=old.text if old else "",
        unresolved=[question.text for question in left_open],
        lines=lines,
        arranged=[as_arranged(row, ZoneInfo(channel.guild.time_zone)) for row in arranged],
        kept=channel.guild.kept_kinds,
    )
    tried = channel.attempts
    asked = ask(SUMMARY, given, guild=channel.guild_id, attempt=tried) if lines else SummaryText(summary=NOTHING_TOLD)
    text = _guarded(asked, given)
    if is_raw(text.summary, lines):
        if tried < LEFT_TO_RULES:
            raise ModelFailed("bad_answer", "The model repeated the chat instead of summing it up.")
        text = _guarded(SUMMARY.offline(given), given)
    return _store(channel, messages, left_open, text, now=now)


def _guarded(text: SummaryText, given: SummaryInput) -> SummaryText:
    """Return the summary without what must not be stored."""
    source = "\n".join([given.previous, *(line.text for line in given.lines)])
    lists = {
        name: note_safety.items(getattr(text, name), source, kept=given.kept)
        for name in ("topics", "threads", "unresolved", "decisions")
    }
    glossary = [term for term in text.glossary if not note_safety.refuse(term.meaning, source, kept=given.kept)]
    summary = note_safety.cleaned(text.summary, source, kept=given.kept) or note_safety.NOTHING_KEPT
    return text.model_copy(update={"summary": summary, "glossary": glossary, **lists})


@transaction.atomic
def _store(
    channel: Channel, messages: list[Message], left_open: Sequence[Question], text: SummaryText, *, now: datetime
) -> Summary | None:
    """Write the summary and the questions, if the messages still stand as they were read.

    None of them may have been edited, deleted, or be of somebody who said no since.
    """
    db.lock_guild(channel.guild_id)
    channel.guild.refresh_from_db(fields=["consent_mode", "blocked"])
    read = {message.pk: message.edited_at for message in messages}
    if dict(messages_to_tell(channel.guild).filter(pk__in=read).values_list("pk", "edited_at")) != read:
        return None
    questions.keep(channel, said=messages, asked=left_open, answered=text.answered, unresolved=text.unresolved, now=now)
    _put_by(channel, begin=messages[0].sent_at)
    summary, _ = Summary.objects.update_or_create(
        channel=channel,
        kind=Kind.ROLLING,
        defaults={
            "guild_id": channel.guild_id,
            "text": text.summary,
            "topics": text.topics,
            "threads": text.threads,
            "unresolved": [question.text for question in questions.to_ask_about(channel)][-LIST_ITEMS:],
            "decisions": text.decisions,
            "glossary": [f"{term.term}: {term.meaning}" for term in text.glossary],
            "from_at": messages[0].sent_at,
            "to_at": messages[-1].sent_at,
            "generated_at": now,
        },
    )
    summary.messages.set(messages, through_defaults={"guild_id": summary.guild_id})
    return summary


def _put_by(channel: Channel, *, begin: datetime) -> None:
    """Keep what the summary says where another talk began since: with its messages, so that it goes when they do."""
    rows = Summary.objects.filter(channel=channel)
    old = rows.filter(kind=Kind.ROLLING, to_at__lt=begin).exclude(text__in=[NOTHING_TOLD, note_safety.NOTHING_KEPT])
    if old.update(kind=Kind.PAST):
        beyond = rows.filter(kind=Kind.PAST).order_by("-to_at", "-pk").values_list("pk", flat=True)[EARLIER:]
        rows.filter(pk__in=list(beyond)).delete()


# --- What comes and goes -----------------------------------------------------------------------------------------


def cited(summary: Summary, *, limit: int = CITED) -> list[Message]:
    """Return the newest messages that a summary rests on; a channel's profile rests on very many."""
    return list(summary.messages.select_related("author", "guild").order_by("-sent_at", "-pk")[:limit])


def mark_new(messages: Iterable[Message]) -> None:
    """Count new messages of people towards their channels' next summaries."""
    counts = Counter((message.channel_id, message.guild_id) for message in messages if message.buffer_id)
    for place, count in counts.items():
        db.run(MORE_TO_SUM_UP, [count, *place])


def withdraw(messages: Sequence[Message]) -> None:
    """Drop the summaries, questions, decisions and plans on these messages; have their channels summarised anew."""
    Summary.objects.filter(messages__in=messages).delete()
    questions.withdraw(messages)
    arrangements.withdraw(messages)
    channels = {message.channel_id for message in messages}
    Channel.objects.filter(pk__in=channels).update(unsummarized=F("unsummarized") + 1)


def write_anew(channels: QuerySet[Channel]) -> None:
    """Drop the summaries of these channels, and have them written anew from what stands."""
    Summary.objects.filter(channel__in=channels).delete()
    channels.update(unsummarized=F("unsummarized") + 1)


@transaction.atomic
def leave_out(members: QuerySet[Member]) -> int:
    """Drop the summaries that rest on words of these members; return of how many channels."""
    rows = Summary.objects.filter(messages__author__in=members).distinct()
    channels = set(rows.values_list("channel", flat=True))
    Summary.objects.filter(pk__in=[row.pk for row in rows]).delete()
    Channel.objects.filter(pk__in=channels).update(unsummarized=F("unsummarized") + 1)
    return len(channels)
