"""Keeps what a channel is about over time: its profile so far and the newest summary make its new one (seed 003)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction

from memoryhub.ai import ModelFailed, ask
from notes import guarding
from notes.copying import is_raw
from notes.lines import as_lines
from notes.models import InteractionNote, Message, Summary
from notes.prompts import CHANNEL, ChannelInput, SummaryText, Term
from notes.shapes import Told
from profiles.models import Channel
from profiles.wording import clip

NOTES, NOTE = 20, 300  # notes, and characters of each, that a profile without a past is written from
Kind = Summary.Kind


def update_profile(channel: Channel, rolling: Summary, *, now: datetime) -> None:
    """Work the newest summary into the channel's profile, at most every few hours (the guild's setting).

    A channel whose profile had to go with a message gets a new one from the notes that still stand. Raises ModelFailed.
    """
    old = Summary.objects.filter(channel=channel, kind=Kind.PROFILE).first()
    if old and now - old.generated_at < timedelta(hours=channel.guild.summary_profile_hours):
        return
    notes = [] if old else _notes(channel)
    said = list(rolling.messages.select_related("author").order_by("sent_at", "pk"))
    given = ChannelInput(
        channel=str(channel),
        previous=old.text if old else "",
        notes=[Told(title=note.title, summary=clip(note.summary, NOTE)) for note in notes],
        rolling=_as_text(rolling),
    )
    source = "\n".join([given.previous, given.rolling.summary, *(message.text for message in said)])
    text = guarding.cleaned(ask(CHANNEL, given, guild=channel.guild_id).text, source, kept=channel.guild.kept_kinds)
    if not text:
        return
    if is_raw(text, as_lines(said)):
        raise ModelFailed("bad_answer", "The model repeated the chat instead of describing the channel.")
    _store_profile(channel, rolling, old, notes, text, now=now)


def _notes(channel: Channel) -> list[InteractionNote]:
    """Return the channel's newest notes, oldest first: what is left of its past when its profile had to go."""
    rows = InteractionNote.objects.told(channel.guild).filter(channel=channel, kind=InteractionNote.Kind.CONVERSATION)
    return list(rows.order_by("-ended_at", "-pk")[:NOTES])[::-1]


@transaction.atomic
def _store_profile(
    channel: Channel, rolling: Summary, old: Summary | None, notes: Sequence[InteractionNote], text: str, *,
    now: datetime,
) -> None:  # fmt: skip
    """Write the profile, unless what it was written from went while the model was thinking."""
    if Summary.objects.filter(pk__in=[each.pk for each in (rolling, old) if each]).count() < (2 if old else 1):
        return
    profile, _ = Summary.objects.update_or_create(
        channel=channel,
        kind=Kind.PROFILE,
        defaults={
            "guild_id": channel.guild_id,
            "text": text,
            "from_at": min([each.from_at for each in (old, rolling) if each] + [note.started_at for note in notes]),
            "to_at": rolling.to_at,
            "generated_at": now,
        },
    )
    profile.messages.add(*rolling.messages.all(), *Message.objects.filter(notes__in=notes).distinct())


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
