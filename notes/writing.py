"""Writes the note of a conversation: who talked about what, with the messages it rests on (seed 001)."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from django.db import transaction

from memoryhub.ai import ask
from notes.lines import as_lines
from notes.models import ChannelBuffer, InteractionNote, Message
from notes.prompts import NOTE, NoteInput, NoteText

TOO_LITTLE = 100  # visible characters in all; seed 001 as shipped


def messages_of(buffer: ChannelBuffer) -> list[Message]:
    """Return what people said in the conversation, oldest first."""
    return list(Message.objects.said().filter(buffer=buffer).select_related("author").order_by("sent_at", "pk"))


def write_note(buffer: ChannelBuffer) -> InteractionNote | None:
    """Write the conversation's note, or write it anew after a message of it changed; None if too little was said.

    Raises ModelFailed, with nothing changed.
    """
    said = messages_of(buffer)
    if sum(len("".join(message.text.split())) for message in said) < TOO_LITTLE:
        return None
    given = NoteInput(guild=str(buffer.guild), channel=str(buffer.channel), lines=as_lines(said))
    return _store(buffer, said, ask(NOTE, given, guild=buffer.guild_id))


@transaction.atomic
def _store(buffer: ChannelBuffer, said: list[Message], text: NoteText) -> InteractionNote:
    ended = said[-1].sent_at
    note, _ = InteractionNote.objects.update_or_create(
        buffer=buffer,
        defaults={
            "guild": buffer.guild,
            "channel": buffer.channel,
            "audience_id": buffer.channel.heard_by,
            "title": text.title,
            "summary": text.summary,
            "note_date": ended.astimezone(ZoneInfo(buffer.guild.time_zone)).date(),
            "started_at": said[0].sent_at,
            "ended_at": ended,
        },
    )
    note.messages.set(said)
    note.participants.set({message.author for message in said})
    return note
