"""The kinds of memory that recall searches: how a row of each is weighed, and what it rests on."""

from __future__ import annotations

# ruff: noqa: S608  (every piece of a statement is written in this file; every value is a parameter)
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.index.documents import note_text
from memory.index.view import View
from memory.recall.ranking import Candidate
from memory.recall.results import Source
from memory.recall.retrieval import Hit
from memory.recall.sql import FactRow, MessageRow, NoteRow, messages_before
from memoryhub import db
from memoryhub.db.guild_scope import current
from memoryhub.search.scope import NOBODY

NO_HIT = Hit(None, 0.0)


@dataclass(frozen=True)
class MemoryKind(ABC):
    """How rows of one kind are weighed and explained; the `newest` are weighed too where little else is found.

    `by_member` says that the indexes know whom the rows are about.
    """

    newest: int
    by_member: bool = True

    @abstractmethod
    def candidate(self, row: Any, hit: Hit, support: float) -> Candidate:
        """Return a row as something that may answer."""

    def before(self, _view: View, _ids: Collection[int]) -> Mapping[int, str]:
        """Return, row by row, what was said right before it."""
        return {}

    @abstractmethod
    def sources(self, rows: Sequence[Any]) -> Mapping[int, list[Source]]:
        """Return what each row rests on, by its id, in a query or two."""

    def notes_about(self, ids: Collection[int]) -> Iterable[tuple[int, int]]:
        """Return pairs of a row and a note that tells of the conversation which the row comes from."""
        return ()


class FactKind(MemoryKind):
    """Facts: they rest on the messages of their evidence, with the words of each."""

    def candidate(self, row: FactRow, hit: Hit, support: float) -> Candidate:
        """Return a fact as something that may answer."""
        return Candidate(
            kind="fact", id=row.pk, text=row.text, said_at=row.said_at, last_reinforced_at=row.last_reinforced_at,
            name=row.name or "", subject=row.subject_id or NOBODY, confidence=row.confidence, channel=row.channel_id,
            semantic=hit.cosine, words=hit.words, support=support,
        )  # fmt: skip

    def sources(self, rows: Sequence[FactRow]) -> Mapping[int, list[Source]]:
        """Return the evidence of each fact, without that of speakers who are not to be remembered."""
        sources = defaultdict(list)
        # One by one: joined, PostgreSQL would read all members of the guild for ten facts.
        who = "FROM community_member AS who WHERE who.id = row.speaker_id AND who.guild_id = %(guild)s"
        unasked = "SELECT consent_mode = 'opt_out' FROM community_guild WHERE id = %(guild)s"
        evidence = db.select(
            f"""SELECT row.fact_id, message.platform_id, row.quote, (SELECT who.label {who}), row.said_at
            FROM memory_evidence AS row
            LEFT JOIN notes_message AS message ON message.id = row.message_id AND message.guild_id = row.guild_id
            WHERE {db.among("row.fact_id", "%(facts)s")} AND row.guild_id = %(guild)s
                AND coalesce((SELECT who.is_bot OR coalesce(who.remember, ({unasked}), FALSE) {who}), TRUE)
            ORDER BY row.said_at, row.id""",
            {"facts": db.id_list(fact.pk for fact in rows), "guild": current()},
        )
        for fact, message_id, quote, author, at in evidence:
            sources[fact].append(Source(message_id=message_id, quote=quote, author=author or "", at=db.from_column(at)))
        return sources

    def notes_about(self, ids: Collection[int]) -> Iterable[tuple[int, int]]:
        """Return the notes that tell of a fact's evidence."""
        return db.select(
            f"""SELECT evidence.fact_id, told.interactionnote_id FROM {db.listed(alias="known")}
            {db.in_order()} memory_evidence AS evidence ON evidence.fact_id = known.value
            {db.in_order()} notes_interactionnote_messages AS told ON told.message_id = evidence.message_id
                AND told.guild_id = evidence.guild_id
            WHERE evidence.guild_id = %s""",
            [db.id_list(ids), current()],
        )


class NoteKind(MemoryKind):
    """Notes: they rest on their messages, a topic's note on those of the notes that it joins."""

    def candidate(self, row: NoteRow, hit: Hit, support: float) -> Candidate:
        """Return a note as something that may answer."""
        return Candidate(
            kind="note", id=row.pk, text=note_text(row), said_at=row.ended_at, channel=row.channel_id,
            semantic=hit.cosine, words=hit.words,
        )  # fmt: skip

    def sources(self, rows: Sequence[NoteRow]) -> Mapping[int, list[Source]]:
        """Return the messages of each note and of its parts, note by note."""
        parts = {note.pk: {note.pk} for note in rows}
        joined = db.select(
            f"""SELECT from_interactionnote_id, to_interactionnote_id FROM notes_interactionnote_notes
            WHERE {db.among("from_interactionnote_id")} AND guild_id = %s""",
            [db.id_list(parts), current()],
        )
        for topic, note in joined:
            parts[topic].add(note)
        messages = db.select(
            f"""SELECT told.interactionnote_id, message.platform_id, message.sent_at
            FROM notes_interactionnote_messages AS told
            {db.in_order()} notes_message AS message
                ON message.id = told.message_id AND message.guild_id = told.guild_id
            WHERE {db.among("told.interactionnote_id")} AND told.guild_id = %s
            ORDER BY message.sent_at, message.id""",
            [db.id_list({part for notes in parts.values() for part in notes}), current()],
        )
        by_note = defaultdict(list)
        for note, message_id, at in messages:
            by_note[note].append(Source(message_id=message_id, note_id=note, at=db.from_column(at)))
        return {note: [source for part in sorted(notes) for source in by_note[part]] for note, notes in parts.items()}


class MessageKind(MemoryKind):
    """Messages: they rest on themselves."""

    def candidate(self, row: MessageRow, hit: Hit, support: float) -> Candidate:
        """Return a message as something that may answer."""
        return Candidate(
            kind="message", id=row.pk, text=row.text, said_at=row.sent_at, name=row.name, subject=row.author_id,
            channel=row.channel_id, semantic=hit.cosine, words=hit.words, support=support,
        )  # fmt: skip

    def sources(self, rows: Sequence[MessageRow]) -> Mapping[int, list[Source]]:
        """Return each message as its own source."""
        return {row.pk: [Source(message_id=row.platform_id, author=row.name, at=row.sent_at)] for row in rows}

    def before(self, view: View, ids: Collection[int]) -> Mapping[int, str]:
        """Return the message before each: it often holds the question that this one answers."""
        return {pk: f"{row.name}: {row.text}" for pk, row in messages_before(view, ids).items()}

    def notes_about(self, ids: Collection[int]) -> Iterable[tuple[int, int]]:
        """Return the notes that tell of a message."""
        return db.select(
            f"""SELECT told.message_id, told.interactionnote_id FROM {db.listed(alias="known")}
            {db.in_order()} notes_interactionnote_messages AS told ON told.message_id = known.value
            WHERE told.guild_id = %s""",
            [db.id_list(ids), current()],
        )


MEMORY_KINDS = {
    "fact": FactKind(newest=24),
    "note": NoteKind(newest=3, by_member=False),
    "message": MessageKind(newest=3),
}
