"""What of facts, notes and messages goes into the indexes: their words, their passages and where they may be found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from memory.index.reply_context import line, with_the_one_before
from memory.models import Fact
from memoryhub import db
from memoryhub.search import keywords
from memoryhub.search.scope import NOBODY, WHOLE_GUILD
from notes.models import InteractionNote, Message

# Written out, since every digest asks it. What was deleted or let go has no text.
SAID_IN = f"""SELECT link.interactionnote_id, said.id, said.text FROM notes_interactionnote_messages AS link
    {db.in_order()} notes_message AS said ON said.id = link.message_id AND said.guild_id = link.guild_id
    {db.in_order()} community_member AS author ON author.id = said.author_id AND author.guild_id = said.guild_id
    WHERE {db.among("link.interactionnote_id")} AND {db.unindexed("link.guild_id")} = %s
        AND said.text <> '' AND NOT author.is_bot
    ORDER BY said.sent_at, said.id"""  # noqa: S608  every value is a parameter
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


def note_rows(notes: Sequence[InteractionNote], *, without: Collection[int] = ()) -> list[keywords.TextRow]:
    """Return the notes as rows of the keyword index, each with what was said in its conversation.

    A note is short: asked about something that it leaves out, it is found by the words that it was written from. Those
    of `without` (row ids of messages) are left out; a note is about no single member.
    """
    said = _said_in(notes, without=without)
    return [_row(note, None, note.audience_id, note_text(note), "\n".join(said[note.pk])) for note in notes]


def _said_in(notes: Iterable[InteractionNote], *, without: Collection[int]) -> dict[int, list[str]]:
    """Return by note what people said in its conversation that is still here, oldest first."""
    ids, texts = defaultdict[int, list[int]](list), defaultdict[int, list[str]](list)
    for note in notes:
        ids[note.guild_id].append(note.pk)
    for guild, its_notes in ids.items():
        for note, message, text in db.select(SAID_IN, [db.id_list(its_notes), guild]):
            if message not in without:
                texts[note].append(text)
    return texts


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
