"""Keeps what a channel is about over time: its profile so far and the newest summary make its new one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction

from memoryhub import db
from memoryhub.ai import LEFT_TO_RULES, ModelFailed, ask
from memoryhub.ai.model_choice import chosen
from memoryhub.community.models import Channel
from memoryhub.language.clip import clip
from notes.messages.prompt_lines import as_lines, lines_to_tell, messages_to_tell
from notes.models import InteractionNote, Message, Summary
from notes.writing import note_safety
from notes.writing.note_safety import is_raw
from notes.writing.prompts import CHANNEL
from notes.writing.schemas import ChannelInput, NoteText, SummaryText, Term

NOTES, NOTE = 20, 300  # notes, and characters of each, that a profile without a past is written from
READ = 1_000  # messages that the rules write it from, the newest
Kind, CONVERSATION = Summary.Kind, InteractionNote.Kind.CONVERSATION


def update_profile(channel: Channel, rolling: Summary, *, now: datetime) -> None:
    """Work the newest summary into the channel's profile, at most every few hours (the guild's setting).

    A channel whose profile had to go with a message gets a new one from the notes that still stand. The rules write it
    from the channel's own messages each time. Raises ModelFailed.
    """
    old = Summary.objects.filter(channel=channel, kind=Kind.PROFILE).first()
    if old and now - old.generated_at < timedelta(hours=channel.guild.summary_profile_hours):
        return
    by_rules = chosen("fast", own=channel.guild.model_fast) is None
    past = None if by_rules else old
    if by_rules:
        newest = messages_to_tell(channel.guild).filter(channel=channel).order_by("-sent_at", "-pk")[:READ]
        messages = list(newest)[::-1]
    else:
        messages = list(rolling.messages.select_related("author").order_by("sent_at", "pk"))
    notes: list[InteractionNote] = []
    if not past:  # what is left of the channel's past when its profile had to go
        rows = InteractionNote.objects.told(channel.guild).filter(channel=channel, kind=CONVERSATION)
        rows = rows.filter(ended_at__lt=messages[0].sent_at) if by_rules and messages else rows
        notes = list(rows.order_by("-ended_at", "-pk")[:NOTES])[::-1]
    terms = (line.partition(": ") for line in rolling.glossary)
    lists = {name: getattr(rolling, name) for name in ("topics", "threads", "unresolved", "decisions")}
    given = ChannelInput(
        channel=str(channel),
        previous=past.text if past else "",
        notes=[NoteText(title=note.title, summary=clip(note.summary, NOTE)) for note in notes],
        rolling=SummaryText(
            summary=rolling.text, glossary=[Term(term=term, meaning=meaning) for term, _, meaning in terms], **lists
        ),
        lines=lines_to_tell(channel.guild, messages) if by_rules else [],
    )
    source = "\n".join([given.previous, given.rolling.summary, *(message.text for message in messages)])
    answer = ask(CHANNEL, given, guild=channel.guild_id, attempt=channel.attempts)
    text = note_safety.cleaned(answer.text, source, kept=channel.guild.kept_kinds)
    if text and is_raw(text, as_lines(channel.guild, messages)):
        if channel.attempts < LEFT_TO_RULES:
            raise ModelFailed("bad_answer", "The model repeated the chat instead of describing the channel.")
        text = ""  # it keeps the profile that it has
    _store(channel, rolling, past, notes, messages, text, now=now)


@transaction.atomic
def _store(
    channel: Channel, rolling: Summary, past: Summary | None, notes: Sequence[InteractionNote],
    messages: Sequence[Message], text: str, *, now: datetime,
) -> None:  # fmt: skip
    """Write the profile; without a text, wait.

    Nothing is written where something went, or somebody of it said no, while the model was thinking.
    """
    db.lock_guild(channel.guild_id)
    channel.guild.refresh_from_db(fields=["consent_mode", "blocked"])
    summaries = [rolling.pk, *([past.pk] if past else [])]
    read = {message.pk: message.edited_at for message in messages}
    if Summary.objects.filter(pk__in=summaries).count() < len(summaries):
        return
    if dict(messages_to_tell(channel.guild).filter(pk__in=read).values_list("pk", "edited_at")) != read:
        return
    told = InteractionNote.objects.told(channel.guild).filter(pk__in=[note.pk for note in notes])
    if told.count() < len(notes):
        return
    if not text:
        Summary.objects.filter(channel=channel, kind=Kind.PROFILE).update(generated_at=now)
        return
    begun = [past.from_at] if past else []
    begun += [*(message.sent_at for message in messages[:1]), *(note.started_at for note in notes)]
    profile, _ = Summary.objects.update_or_create(
        channel=channel,
        kind=Kind.PROFILE,
        defaults={
            "guild_id": channel.guild_id,
            "text": text,
            "from_at": min(begun),
            "to_at": rolling.to_at,
            "generated_at": now,
        },
    )
    sources = [*messages, *Message.objects.filter(notes__in=notes).distinct()]
    change = profile.messages.add if past else lambda *rows, **more: profile.messages.set(rows, **more)
    change(*sources, through_defaults={"guild_id": profile.guild_id})
