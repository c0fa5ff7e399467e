"""The kinds of memory that recall searches: how a row of each is weighed, and what it rests on."""

from __future__ import annotations

# ruff: noqa: S608  (every piece of a statement is written in this file; every value is a parameter)
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.index.documents import note_text
from memory.recall.ranking import Candidate
from memory.recall.results import Source
from memory.recall.retrieval import Hit
from memory.recall.sql import FactRow, MessageRow, NoteRow
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
    def candidate(self, row: Any, hit: Hit, support: float | None, before: str = "") -> Candidate:
        """Return a row as something that may answer; `before` is what was said right before a message."""

    @abstractmethod
    def sources(self, rows: Sequence[Any]) -> Mapping[int, list[Source]]:
        """Return what each row rests on, by its id, in a query or two."""


class FactKind(MemoryKind):
    """Facts: they rest on the messages of their evidence, with the words of each."""

    def candidate(self, row: FactRow, hit: Hit, support: float | None, _before: str = "") -> Candidate:
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
            sources[fact].append(Source(message_id=message_id, quote=quote, author=author or "", at=at))
        return sources


class NoteKind(MemoryKind):
    """Notes: they rest on their messages, a topic's note on those of the notes that it joins."""

    def candidate(self, row: NoteRow, hit: Hit, support: float | None, _before: str = "") -> Candidate:
        """Return a note as something that may answer."""
        return Candidate(
            kind="note", id=row.pk, text=note_text(row), said_at=row.ended_at, channel=row.channel_id,
            semantic=hit.cosine, words=hit.words, support=support,
        )  # fmt: skip

    def sources(self, rows: Sequence[NoteRow]) -> Mapping[int, list[Source]]:
        """Return the messages of each note and of its parts, note by note."""
        # Of each note itself, and of the notes that a topic joins.
        parts = f"""SELECT value AS note, value AS part FROM {db.listed("%(notes)s", alias="one")}
            UNION SELECT from_interactionnote_id, to_interactionnote_id FROM notes_interactionnote_notes
            WHERE {db.among("from_interactionnote_id", "%(notes)s")} AND guild_id = %(guild)s"""
        messages = db.select(
            f"""SELECT parts.note, parts.part, message.platform_id, message.sent_at FROM ({parts}) AS parts
            {db.in_order()} notes_interactionnote_messages AS told ON told.interactionnote_id = parts.part
            {db.in_order()} notes_message AS message
                ON message.id = told.message_id AND message.guild_id = told.guild_id
            WHERE {db.unindexed("told.guild_id")} = %(guild)s ORDER BY parts.part, message.sent_at, message.id""",
            {"notes": db.id_list(note.pk for note in rows), "guild": current()},
        )
        sources = defaultdict(list)
        for note, part, message_id, at in messages:
            sources[note].append(Source(message_id=message_id, note_id=str(part), at=at))
        return sources


class MessageKind(MemoryKind):
    """Messages: they rest on themselves."""

    def candidate(self, row: MessageRow, hit: Hit, support: float | None, before: str = "") -> Candidate:
        """Return a message as something that may answer."""
        return Candidate(
            kind="message", id=row.pk, text=row.text, said_at=row.sent_at, name=row.name, subject=row.author_id,
            channel=row.channel_id, semantic=hit.cosine, words=hit.words, support=support, before=before,
        )  # fmt: skip

    def sources(self, rows: Sequence[MessageRow]) -> Mapping[int, list[Source]]:
        """Return each message as its own source."""
        return {row.pk: [Source(message_id=row.platform_id, author=row.name, at=row.sent_at)] for row in rows}


MEMORY_KINDS = {
    "fact": FactKind(newest=24),
    "note": NoteKind(newest=3, by_member=False),
    "message": MessageKind(newest=3),
}
