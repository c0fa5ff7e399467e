"""The kinds of memory that recall asks: how a row is weighed, and how it is shown with what it rests on."""

from __future__ import annotations

# ruff: noqa: S608  (every piece of a statement is written in the house; every value is a parameter)
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.index.documents import note_text
from memory.index.view import View
from memory.recall.ranking import Candidate, Ranked
from memory.recall.results import Memory, Source
from memory.recall.retrieval import Signal
from memory.recall.sql import NAME, FactRow, MessageRow, NoteRow
from memoryhub import db
from memoryhub.search.scope import NOBODY

__all__ = ["NOTHING", "SHELVES", "Shelf", "View"]

NOTHING = Signal(None, 0.0)


@dataclass(frozen=True)
class Shelf:
    """How rows of one kind are weighed and shown; the `newest` are weighed too where little else is found.

    `told` pairs rows with the notes that tell of them; `by_member` says that the indexes know whom they are about.
    """

    candidate: Callable[[Any, Signal, float], Candidate]
    memories: Callable[[Sequence[tuple[Any, Ranked]]], list[Memory]]
    newest: int
    told: Callable[[Collection[int]], Iterable[tuple[int, int]]] | None = None
    by_member: bool = True


def _fact_candidate(fact: FactRow, signal: Signal, support: float) -> Candidate:
    return Candidate(
        kind="fact", id=fact.pk, text=fact.text, said_at=fact.said_at, last_reinforced_at=fact.last_reinforced_at,
        name=fact.name or "", subject=fact.subject_id or NOBODY, confidence=fact.confidence, channel=fact.channel_id,
        semantic=signal.semantic, words=signal.words, support=support,
    )  # fmt: skip


def _note_candidate(note: NoteRow, signal: Signal, _support: float) -> Candidate:
    return Candidate(
        kind="note", id=note.pk, text=note_text(note), said_at=note.ended_at, channel=note.channel_id,
        semantic=signal.semantic, words=signal.words,
    )  # fmt: skip


def _message_candidate(message: MessageRow, signal: Signal, support: float) -> Candidate:
    return Candidate(
        kind="message", id=message.pk, text=message.text, said_at=message.sent_at, name=message.name,
        subject=message.author_id, channel=message.channel_id, semantic=signal.semantic, words=signal.words,
        support=support,
    )  # fmt: skip


def _told_facts(facts: Collection[int]) -> Iterable[tuple[int, int]]:
    return db.select(
        """SELECT evidence.fact_id, told.interactionnote_id FROM json_each(%s) AS known
        CROSS JOIN memory_evidence AS evidence ON evidence.fact_id = known.value
        CROSS JOIN notes_interactionnote_messages AS told ON told.message_id = evidence.message_id""",
        [db.id_list(facts)],
    )


def _told_messages(messages: Collection[int]) -> Iterable[tuple[int, int]]:
    return db.select(
        """SELECT told.message_id, told.interactionnote_id FROM json_each(%s) AS known
        CROSS JOIN notes_interactionnote_messages AS told ON told.message_id = known.value""",
        [db.id_list(messages)],
    )


def _fact_memories(found: Sequence[tuple[FactRow, Ranked]]) -> list[Memory]:
    sources = defaultdict(list)
    evidence = db.select(
        f"""SELECT row.fact_id, message.platform_id, row.quote, {NAME}, row.said_at FROM memory_evidence AS row
        LEFT JOIN notes_message AS message ON message.id = row.message_id
        LEFT JOIN community_member AS who ON who.id = row.speaker_id
        LEFT JOIN community_guild AS place ON place.id = who.guild_id
        WHERE row.fact_id IN (SELECT value FROM json_each(%s)) AND (who.id IS NULL OR who.is_bot
            OR ifnull(who.remember, place.consent_mode = 'opt_out')) ORDER BY row.said_at, row.id""",
        [db.id_list(fact.pk for fact, _ in found)],
    )
    for fact, message_id, quote, author, at in evidence:
        sources[fact].append(Source(message_id=message_id, quote=quote, author=author or "", at=db.moment(at)))
    return [_memory(ranked, fact.pk, fact.text, fact, fact.said_at, sources[fact.pk]) for fact, ranked in found]


def _note_memories(found: Sequence[tuple[NoteRow, Ranked]]) -> list[Memory]:
    told_by = defaultdict(set, {note.pk: {note.pk} for note, _ in found})
    parts = db.select(
        """SELECT from_interactionnote_id, to_interactionnote_id FROM notes_interactionnote_notes
        WHERE from_interactionnote_id IN (SELECT value FROM json_each(%s))""",
        [db.id_list(told_by)],
    )
    for cluster, note in parts:
        told_by[cluster].add(note)
    messages = _messages_of({each for notes in told_by.values() for each in notes})
    sources = {note: [each for part in sorted(parts) for each in messages[part]] for note, parts in told_by.items()}
    return [_memory(ranked, note.pk, note_text(note), None, note.ended_at, sources[note.pk]) for note, ranked in found]


def _messages_of(notes: set[int]) -> dict[int, list[Source]]:
    messages = defaultdict(list)
    told = db.select(
        """SELECT told.interactionnote_id, message.platform_id, message.sent_at
        FROM notes_interactionnote_messages AS told CROSS JOIN notes_message AS message ON message.id = told.message_id
        WHERE told.interactionnote_id IN (SELECT value FROM json_each(%s)) ORDER BY message.sent_at, message.id""",
        [db.id_list(notes)],
    )
    for note, message_id, at in told:
        messages[note].append(Source(message_id=message_id, note_id=note, at=db.moment(at)))
    return messages


def _message_memories(found: Sequence[tuple[MessageRow, Ranked]]) -> list[Memory]:
    return [
        _memory(ranked, message.platform_id, message.text, message, message.sent_at, [_itself(message)])
        for message, ranked in found
    ]


def _itself(message: MessageRow) -> Source:
    return Source(message_id=message.platform_id, author=message.name, at=message.sent_at)


def _memory(
    ranked: Ranked, number: int | str, text: str, who: FactRow | MessageRow | None, at: datetime, sources: list[Source]
) -> Memory:
    return Memory(
        kind=ranked.candidate.kind, id=number, text=text, score=ranked.score, created_at=at, sources=sources,
        member=who.name if who else None, member_id=who.member_id if who else None,
        gate=ranked.gate or "", scores=ranked.parts,
    )  # fmt: skip


SHELVES = {
    "fact": Shelf(_fact_candidate, _fact_memories, newest=24, told=_told_facts),
    "note": Shelf(_note_candidate, _note_memories, newest=3, by_member=False),
    "message": Shelf(_message_candidate, _message_memories, newest=3, told=_told_messages),
}
