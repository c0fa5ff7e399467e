"""Writes the keyword index, and takes out of the vector index what changed; `embeddings` fills that one later."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from memory.index import embedded_to
from memory.index.documents import KINDS, message_rows, note_rows
from memory.models import Fact
from memoryhub.search import keywords, vectors
from notes.models import InteractionNote, Message


def index_facts(facts: Iterable[Fact]) -> None:
    """Put active facts into the keyword index and forget the embeddings of all; those not active leave the index.

    Call it in the transaction that changes the facts' text, status, subject or audience.
    """
    _index("fact", list(facts))


def index_new_facts(facts: Iterable[Fact]) -> None:
    """Put facts that were just added into the keyword index: none of them can be in any index yet."""
    if belonging := [fact for fact in facts if _belongs(fact)]:
        keywords.add(kind="fact", rows=KINDS["fact"].words(belonging))


def index_notes(notes: Iterable[InteractionNote]) -> None:
    """Put notes into the keyword index and forget their embeddings; call it in the transaction that changes them.

    Each is found by what was said in its conversation, too: what of that changes is followed by `index_messages`.
    """
    rows = list(notes)
    _index("note", rows, changed=[note for note in rows if not note.just_written])
    for note in rows:
        note.just_written = False


def index_messages(messages: Iterable[Message], *, reworded: bool = True) -> None:
    """Put messages into the keyword index and forget their embeddings; bots' and deleted ones leave both.

    Call it after an edit or a deletion: the message after each and the notes on it are put again, without what is gone.
    Not `reworded`: only who said them has another name, by which no note is found.
    """
    rows = list(messages)
    _index("message", rows)
    for guild, ids in _by_guild(rows).items() if reworded else ():
        _index_notes_on(ids, guild=guild)


def index_new_messages(messages: Sequence[Message]) -> None:
    """Put messages that were just stored into the keyword index, each with the one before it."""
    rows, new = message_rows(messages), {message.pk for message in messages}
    keywords.add(kind="message", rows=[row for row in rows if row.id in new])
    if after := [row for row in rows if row.id not in new]:
        keywords.put(kind="message", rows=after)


def move_messages(messages: Sequence[Message]) -> None:
    """Have the indexes find messages for who may hear them now; their words and embeddings are the same."""
    moved, ids = message_rows(messages), {message.pk for message in messages}
    keywords.delete(kind="message", ids=ids - {row.id for row in moved}, guild=messages[0].guild_id)
    keywords.put(kind="message", rows=moved)
    for audience in {row.audience for row in moved}:
        heard = [row.id for row in moved if row.audience == audience]
        vectors.move(kind="message", ids=heard, audience=audience, guild=messages[0].guild_id)


def move(kind: str, rows: Sequence[Any], *, audience: int) -> None:
    """Have the indexes find these facts or notes for another audience; their words and embeddings are the same."""
    keywords.put(kind=kind, rows=KINDS[kind].words([row for row in rows if _belongs(row)]))
    for guild, ids in _by_guild(rows).items():
        vectors.move(kind=kind, ids=ids, audience=audience, guild=guild)


def drop(kind: str, ids: Iterable[int], *, guild: int) -> None:
    """Take rows of a guild out of every index; of messages, while their rows still exist.

    The text of a dropped message also leaves the row of the message after it, where it stood before, and those of the
    notes on it.
    """
    dropped = list(ids)
    keywords.delete(kind=kind, ids=dropped, guild=guild)
    vectors.delete(kind=kind, ids=dropped, guild=guild)
    if kind == "message":
        messages = Message.objects.filter(guild=guild, pk__in=dropped).select_related("author", "channel", "guild")
        keywords.put(kind=kind, rows=message_rows(list(messages), without=dropped))
        _index_notes_on(dropped, guild=guild, without=dropped)


def _index_notes_on(messages: Collection[int], *, guild: int, without: Collection[int] = ()) -> None:
    """Put the notes on these messages into the word index once more, without the words of some."""
    notes = InteractionNote.objects.filter(guild=guild, messages__in=messages).distinct()
    keywords.put(kind="note", rows=note_rows(list(notes), without=frozenset(without)))


def _index(kind: str, rows: list[Any], *, changed: Sequence[Any] | None = None) -> None:
    """Put rows into the word index; those that changed, if not all did, may stand in an index as they were."""
    documents = KINDS[kind].words([row for row in rows if _belongs(row)] if kind != "message" else rows)
    for guild, ids in _by_guild(rows if changed is None else changed).items():
        staying = ids & {document.id for document in documents}
        vectors.delete(kind=kind, ids=ids, guild=guild)
        keywords.delete(kind=kind, ids=ids - staying, guild=guild)
        embedded_to.begin_anew(kind, staying, guild=guild)
    keywords.put(kind=kind, rows=documents)


def _by_guild(rows: Iterable[Any]) -> dict[int, set[int]]:
    ids = defaultdict[int, set[int]](set)
    for row in rows:
        ids[row.guild_id].add(row.pk)
    return ids


def _belongs(row: Any) -> bool:
    return not isinstance(row, Fact) or row.status == Fact.Status.ACTIVE
