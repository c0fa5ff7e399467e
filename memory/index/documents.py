"""What of facts, notes and messages goes into the indexes: their words, their passages and where they may be found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from django.db.models import QuerySet

from memory.index.reply_context import line, with_the_one_before
from memory.models import Fact
from memoryhub.search import keywords as words
from memoryhub.search.scope import NOBODY, WHOLE_GUILD
from notes.models import InteractionNote, Message

COLUMNS = ("guild_id", "audience_id", "text", "subject__display_name", "subject__name", "subject__platform_id")


@dataclass(frozen=True)
class Kind:
    """How the rows of one kind are indexed."""

    rows: Callable[[], QuerySet[Any]]
    words: Callable[[Sequence[Any]], list[words.Row]]
    passage: Callable[[Any], str] | None = None


def active_facts() -> QuerySet[Fact]:
    """Return the facts that belong in the indexes, with the names of their subjects."""
    return Fact.objects.active().select_related("subject").only(*COLUMNS)


def human_messages() -> QuerySet[Message]:
    """Return the messages that belong in the word index."""
    return Message.objects.said().select_related("author", "channel", "guild")


def fact_text(fact: Fact) -> str:
    """Return how a fact is found: with the name of the member, which its own text leaves out."""
    return f"{fact.subject}: {fact.text}" if fact.subject else fact.text


class Titled(Protocol):
    """A note, however it was read."""

    @property
    def title(self) -> str:
        """Return what it is about."""

    @property
    def summary(self) -> str:
        """Return what happened."""


def note_text(note: Titled) -> str:
    """Return how a note is found, and shown: title and summary."""
    return f"{note.title}: {note.summary}"


def fact_rows(facts: Sequence[Fact]) -> list[words.Row]:
    """Return the facts as rows of the word index."""
    return [_row(fact, fact.subject_id, fact.audience_id, fact_text(fact)) for fact in facts]


def note_rows(notes: Sequence[InteractionNote]) -> list[words.Row]:
    """Return the notes as rows of the word index; a note is about no single member."""
    return [_row(note, None, note.audience_id, note_text(note)) for note in notes]


def message_rows(messages: Sequence[Message], *, without: Sequence[int] = ()) -> list[words.Row]:
    """Return the messages, and those right after them, as rows of the word index; see `with_the_one_before`."""
    channels = {message.channel_id: message.channel for message in messages}

    def heard_by(message: Message) -> int | None:
        return channels[message.channel_id].heard_by_at(message.sent_at)

    def alike(message: Message, before: Message | None) -> Message | None:
        return before if before and heard_by(before) == heard_by(message) else None

    return [
        _row(message, message.author_id, heard_by(message), line(message), line(alike(message, before)))
        for message, before in with_the_one_before(messages, without=without)
    ]


def _row(
    row: Fact | InteractionNote | Message, subject: int | None, audience: int | None, text: str, before: str = ""
) -> words.Row:
    place = {"guild": row.guild_id, "subject": subject or NOBODY, "audience": audience or WHOLE_GUILD}
    return words.Row(id=row.pk, text=text, before=before, **place)


KINDS = {
    "fact": Kind(active_facts, fact_rows, fact_text),
    "note": Kind(InteractionNote.objects.all, note_rows, note_text),
    "message": Kind(human_messages, message_rows),
}
