"""Writes the note of a conversation: who talked about what, with the messages it rests on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from zoneinfo import ZoneInfo

from django.db import transaction

from memoryhub import db
from memoryhub.ai import Line, ask
from memoryhub.community import outbox
from memoryhub.community.consent import remembers
from memoryhub.community.days import day_of
from memoryhub.community.models import Event
from memoryhub.language.calendar import MONTHS
from notes.messages import conversations
from notes.messages.prompt_lines import lines_to_tell
from notes.models import Arrangement, ChannelBuffer, InteractionNote, Message, NoteMessage, NoteParticipant
from notes.writing import note_safety, rules
from notes.writing.prompts import NOTE
from notes.writing.schemas import UNTITLED, Arranged, NoteInput, NoteText

TOO_LITTLE = 100  # visible characters in all
MOST_TRIES = 3
Index = Callable[[Sequence[InteractionNote]], object]
"""Puts notes where they are found."""


class StillChangingError(Exception):
    """Messages of the conversation changed each time while a model read them."""


def messages_of(buffer: ChannelBuffer, said: Sequence[Message] | None = None) -> list[Message]:
    """Return what people said in the conversation, oldest first, without those who said no or were blocked since.

    `said` is all of it if it was just read.
    """
    said = conversations.said_in(buffer) if said is None else said
    return [message for message in said if remembers(buffer.guild, message.author)]


def write_note(
    buffer: ChannelBuffer, read: list[Message] | None = None, arranged: Iterable[Arrangement] = (), *,
    lines: list[Line] | None = None, index: Index | None = None,
) -> InteractionNote | None:  # fmt: skip
    """Write the conversation's note, or write it anew after a message of it changed; None if too little was said.

    `read` are its messages if they were just read, `arranged` what was found in them, `lines` what is to be told of
    them if that is known. What changes while the model reads is read again. `index` is called in the transaction that
    stores the note. Raises ModelFailed or StillChangingError, with nothing changed.
    """
    for _ in range(MOST_TRIES):
        messages, read = messages_of(buffer) if read is None else read, None
        lines, told = None, lines_to_tell(buffer.guild, messages) if lines is None else lines
        if sum(len("".join(line.text.split())) for line in told) < TOO_LITTLE:
            return None
        given = NoteInput(
            guild=str(buffer.guild),
            channel=str(buffer.channel),
            lines=told,
            arranged=[as_arranged(row, ZoneInfo(buffer.guild.time_zone)) for row in arranged],
            kept=buffer.guild.kept_kinds,
        )
        arranged = ()  # what is read again may say something else
        text = _guarded(ask(NOTE, given, guild=buffer.guild_id, attempt=buffer.attempts), given)
        if note := _store(buffer, messages, text, index=index):
            return note
    raise StillChangingError


def as_arranged(row: Arrangement, zone: ZoneInfo) -> Arranged:
    """Return a row as the rules tell it, with its day in the guild; a date that stands in its words needs no other."""
    due = row.due_at.astimezone(zone) if row.due_at else None
    named = due is None or any(word.strip(".,!").lower() in MONTHS for word in row.text.split())
    return Arranged(
        message=row.message_id, text=row.text, decided=row.decided or bool(row.change),
        day="" if due is None or named else f"{due:%A} {due.day} {due:%B %Y}",
    )  # fmt: skip


def _guarded(text: NoteText, given: NoteInput) -> NoteText:
    """Return the note without what must not be stored; where nothing else is left of it, the rules' own."""
    source = "\n".join(line.text for line in given.lines)

    def cleaned(part: str) -> str:
        return note_safety.cleaned(part, source, kept=given.kept)

    title = "" if note_safety.refuse(text.title, source, kept=given.kept) else text.title
    summary = cleaned(text.summary)
    if title and summary:
        return NoteText(title=title, summary=summary)
    ours = rules.write_note(given)
    return NoteText(
        title=title or cleaned(ours.title) or UNTITLED,
        summary=summary or cleaned(ours.summary) or f"{len(given.lines)} messages were written.",
    )


@transaction.atomic
def _store(
    buffer: ChannelBuffer, messages: list[Message], text: NoteText, *, index: Index | None
) -> InteractionNote | None:
    """Write the note, unless what it tells of changed meanwhile: a deleted text must not come back."""
    db.lock_guild(buffer.guild_id)
    # Its mode, who is blocked and who may read the channel may have changed since.
    stored = ChannelBuffer.objects.select_related("guild", "channel", "note").get(pk=buffer.pk)
    buffer.guild, channel = stored.guild, stored.channel
    note: InteractionNote | None = getattr(stored, "note", None)
    if [(row.pk, row.text) for row in messages] != [(row.pk, row.text) for row in messages_of(buffer)]:
        return None
    begun, ended = messages[0].sent_at, messages[-1].sent_at
    told = {
        "guild": buffer.guild,
        "channel": channel,
        "audience_id": channel.heard_by_at(begun),
        "title": text.title,
        "summary": text.summary,
        "note_date": day_of(buffer.guild, ended),
        "started_at": begun,
        "ended_at": ended,
    }
    authors, tie = {message.author: None for message in messages}, {"guild_id": buffer.guild_id}
    if note:
        for name, value in told.items():
            setattr(note, name, value)
        note.save()
        note.messages.set(messages, through_defaults=tie)
        note.participants.set(authors, through_defaults=tie)
    else:
        note = InteractionNote(buffer=buffer, **told)
        note.just_written = True
        db.insert(note)
        db.append([NoteMessage(interactionnote=note, message=message, **tie) for message in messages])
        db.append([NoteParticipant(interactionnote=note, member=author, **tie) for author in authors])
    if index:
        index([note])
    outbox.write([Event(guild_id=note.guild_id, kind=Event.Kind.NOTE, row=note.pk)])
    return note
