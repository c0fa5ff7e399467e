"""Keeps what a channel is about, lately and over time; raw chat is never stored as a summary (seed 003)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q

from memoryhub.ai import ModelFailed, ask
from notes import questions
from notes.lines import as_lines
from notes.models import Message, Summary
from notes.prompts import CHANNEL, SUMMARY, ChannelInput, SummaryInput, SummaryText, Term
from profiles.models import Channel

MOST_MESSAGES = 120
WINDOW = timedelta(hours=2)
ENOUGH = 10  # new messages
WAIT = timedelta(minutes=15)  # or this long with at least one
PROFILE_EVERY = timedelta(hours=6)
A_TICK = 5  # channels; the rest wait for the next tick
Kind = Summary.Kind


def due(now: datetime) -> list[Channel]:
    """Return the channels whose summary is out of date, the busiest first."""
    waited = ~Q(summaries__kind=Kind.ROLLING) | Q(summaries__kind=Kind.ROLLING, summaries__generated_at__lte=now - WAIT)
    rows = Channel.objects.filter(Q(unsummarized__gte=ENOUGH) | Q(unsummarized__gte=1) & waited, memory_on=True)
    return list(rows.distinct().select_related("guild").order_by("-unsummarized", "pk")[:A_TICK])


def summarize_due(*, now: datetime) -> int:
    """Summarise the channels that are due; one whose model fails keeps its old summary and waits. Returns how many."""
    return sum(_summarized(channel, now=now) for channel in due(now))


def _summarized(channel: Channel, *, now: datetime) -> bool:
    try:
        return summarize(channel, now=now) is not None
    except ModelFailed:
        return False


def summarize(channel: Channel, *, now: datetime) -> Summary | None:
    """Write the channel's rolling summary, and its profile when due; None without messages. Raises ModelFailed."""
    said = _lately(channel)
    if not said:
        Channel.objects.filter(pk=channel.pk).update(unsummarized=0)
        return None
    old = Summary.objects.filter(channel=channel, kind=Kind.ROLLING).first()
    given = SummaryInput(
        channel=str(channel),
        previous=old.text if old else "",
        unresolved=old.unresolved if old else [],
        lines=as_lines(said),
    )
    summary = _store(channel, said, ask(SUMMARY, given, guild=channel.guild_id), now=now)
    _update_profile(channel, summary, now=now)
    return summary


def _lately(channel: Channel) -> list[Message]:
    """Return the newest two hours of talk, 120 messages at most; the newest are kept when it must be cut."""
    rows = Message.objects.said().filter(channel=channel).select_related("author").order_by("-sent_at", "-pk")
    newest = list(rows[:MOST_MESSAGES])
    return [m for m in reversed(newest) if m.sent_at > newest[0].sent_at - WINDOW]


@transaction.atomic
def _store(channel: Channel, said: list[Message], text: SummaryText, *, now: datetime) -> Summary:
    fields = text.model_dump()
    fields["glossary"] = [f"{term['term']}: {term['meaning']}" for term in fields["glossary"]]
    summary, _ = Summary.objects.update_or_create(
        channel=channel,
        kind=Kind.ROLLING,
        defaults={
            "guild_id": channel.guild_id,
            "text": fields.pop("summary"),
            "from_at": said[0].sent_at,
            "to_at": said[-1].sent_at,
            "generated_at": now,
            **fields,
        },
    )
    summary.messages.set(said)
    Channel.objects.filter(pk=channel.pk).update(unsummarized=0)
    return summary


def _update_profile(channel: Channel, rolling: Summary, *, now: datetime) -> None:
    """Work the newest summary into the channel's profile, at most every six hours."""
    old = Summary.objects.filter(channel=channel, kind=Kind.PROFILE).first()
    if old and now - old.generated_at < PROFILE_EVERY:
        return
    given = ChannelInput(channel=str(channel), previous=old.text if old else "", rolling=_as_text(rolling))
    text = ask(CHANNEL, given, guild=channel.guild_id).text
    with transaction.atomic():
        profile, _ = Summary.objects.update_or_create(
            channel=channel,
            kind=Kind.PROFILE,
            defaults={
                "guild_id": channel.guild_id,
                "text": text,
                "from_at": old.from_at if old else rolling.from_at,
                "to_at": rolling.to_at,
                "generated_at": now,
            },
        )
        profile.messages.add(*rolling.messages.all())


def _as_text(summary: Summary) -> SummaryText:
    terms = [line.partition(": ") for line in summary.glossary]
    return SummaryText(
        summary=summary.text,
        topics=summary.topics,
        threads=summary.threads,
        unresolved=summary.unresolved,
        decisions=summary.decisions,
        glossary=[Term(term=term, meaning=meaning) for term, _, meaning in terms],
    )


def mark_new(messages: Iterable[Message]) -> None:
    """Count new messages of people towards their channels' next summaries."""
    counts = Counter(message.channel_id for message in messages if message.buffer_id)
    for channel, count in counts.items():
        Channel.objects.filter(pk=channel).update(unsummarized=F("unsummarized") + count)


def withdraw(messages: list[Message]) -> None:
    """Drop the summaries that rest on these messages, and have their channels summarised anew."""
    Summary.objects.filter(messages__in=messages).delete()
    questions.withdraw(messages)
    Channel.objects.filter(messages__in=messages).update(unsummarized=F("unsummarized") + 1)
