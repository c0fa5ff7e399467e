"""What of facts, notes and messages goes into the indexes: their words, their passages and where they may be found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from memory.index.reply_context import line, with_the_one_before
from memory.models import Fact
from memoryhub.search import keywords
from memoryhub.search.scope import NOBODY, WHOLE_GUILD
from notes.models import InteractionNote, Message

COLUMNS = ("guild_id", "audience_id", "text", "subject__label")


@dataclass(frozen=True)
class Kind:
    """How the rows of one kind are indexed."""

    rows: Callable[[], QuerySet[Any]]
    words: Callable[[Sequence[Any]], list[keywords.TextRow]]
    passage: Callable[[Any], str]


def active_facts() -> QuerySet[Fact]:
    """Return the facts that belong in the indexes, with the names of their subjects."""
    return Fact.objects.active().select_related("subject").only(*COLUMNS)


def human_messages() -> QuerySet[Message]:
    """Return the messages that belong in the indexes."""
    return Message.objects.said().select_related("author", "channel", "guild")


def fact_text(fact: Fact) -> str:
    """Return how a fact is found: with the name of the member, which its own text leaves out."""
    return with_name(str(fact.subject or ""), fact.text)


def with_name(name: str, text: str) -> str:
    """Return the text of a fact about somebody of this name; of lore, which is about nobody, as it is."""
    return f"{name}: {text}" if name else text


def note_text(note: Any) -> str:
    """Return how a note is found, and shown: title and summary, whether of a model or of a row of recall."""
    return f"{note.title}: {note.summary}"


def fact_rows(facts: Sequence[Fact]) -> list[keywords.TextRow]:
    """Return the facts as rows of the keyword index."""
    return [_row(fact, fact.subject_id, fact.audience_id, fact_text(fact)) for fact in facts]


def note_rows(notes: Sequence[InteractionNote]) -> list[keywords.TextRow]:
    """Return the notes as rows of the keyword index; a note is about no single member."""
    return [_row(note, None, note.audience_id, note_text(note)) for note in notes]


def message_rows(messages: Sequence[Message], *, without: Sequence[int] = ()) -> list[keywords.TextRow]:
    """Return the messages, and those right after them, as rows of the keyword index; see `with_the_one_before`."""
    channels = {message.channel_id: message.channel for message in messages}
    rows = []
    for message, before in with_the_one_before(messages, without=without):
        channel = channels[message.channel_id]
        audience = channel.heard_by_at(message.sent_at)
        if before and channels[before.channel_id].heard_by_at(before.sent_at) != audience:
            before = None
        rows.append(_row(message, message.author_id, audience, line(message), line(before)))
    return rows


def _row(
    row: Fact | InteractionNote | Message, subject: int | None, audience: int | None, text: str, before: str = ""
) -> keywords.TextRow:
    place = {"guild": row.guild_id, "subject": subject or NOBODY, "audience": audience or WHOLE_GUILD}
    return keywords.TextRow(id=row.pk, text=text, before=before, **place)


KINDS = {
    "fact": Kind(active_facts, fact_rows, fact_text),
    "note": Kind(InteractionNote.objects.all, note_rows, note_text),
    "message": Kind(human_messages, message_rows, line),
}
