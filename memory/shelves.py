"""Where recalled rows come from: what may be told in a channel, as candidates for ranking and as memories."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from memory.indexed import note_text
from memory.lanes import Signal
from memory.memories import Memory, Source
from memory.models import Evidence, Fact
from memory.ranking import Candidate, Ranked
from memoryhub.scope import NOBODY, WHOLE_GUILD, Scope
from notes.models import InteractionNote, Message
from profiles.models import Channel, Guild, Member

NOTHING = Signal(None, 0.0)
PAST = (Fact.Status.SUPERSEDED, Fact.Status.ARCHIVED)

# The columns that ranking and showing need: a row read whole takes twice as long.
WHO = ("display_name", "name", "platform_id")
SAID = ("text", "confidence", "said_at", "last_reinforced_at")
FACT = ("guild_id", "channel_id", *SAID, *(f"subject__{column}" for column in WHO))
NOTE = ("guild_id", "channel_id", "title", "summary", "ended_at")
MESSAGE = ("guild_id", "channel_id", "platform_id", "text", "sent_at", *(f"author__{column}" for column in WHO))


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """From where one looks at a guild's memory: in a channel (None: only what is open to all), at a moment."""

    guild: Guild
    channel: Channel | None = None
    members: Sequence[Member] | None = None
    as_of: datetime | None = None

    @property
    def audiences(self) -> list[int]:
        """Return the audiences whose memories may be told here: the rule of `heard_in`, in scope numbers."""
        near = (self.channel.pk, self.channel.parent_id) if self.channel else ()
        return [WHOLE_GUILD, *(pk for pk in near if pk)]

    def scope(self, *, by_member: bool) -> Scope:
        """Return the scope of an index search; `by_member` where the index knows whom its rows are about."""
        subjects = None if self.members is None or not by_member else [member.pk for member in self.members]
        return Scope(guild=self.guild.pk, audiences=self.audiences, subjects=subjects)


@dataclass(frozen=True)
class Shelf:
    """How one kind of memory is read (`order`: by time), weighed and shown.

    `told` pairs its rows with the notes that tell of them.
    """

    rows: Callable[[View], QuerySet[Any]]
    order: str
    candidate: Callable[[Any, Signal, float], Candidate]
    memories: Callable[[Sequence[tuple[Any, Ranked]]], list[Memory]]
    newest: int
    told: Callable[[Collection[int], Collection[int]], Iterable[tuple[int, int]]] | None = None
    by_member: bool = True

    def known(self, view: View, ids: Collection[int]) -> list[Any]:
        """Return those of the rows that may be told, in no order: asking for one makes SQLite read them in it."""
        return list(self.rows(view).filter(pk__in=ids).order_by()) if ids else []

    def lately(self, view: View, count: int, **fields: object) -> list[Any]:
        """Return the newest rows."""
        return list(self.rows(view).filter(**fields).order_by(self.order, "-pk")[:count])


def _facts(view: View) -> QuerySet[Fact]:
    rows = Fact.objects.of(view.guild).heard_in(view.channel).select_related("subject")
    # Not `active`: SQLite would then walk the guild's index by status even for forty known rows.
    rows = rows.exclude(status__in=PAST) if view.as_of is None else rows.believed_at(view.as_of)
    if view.members is not None:
        rows = rows.filter(subject__in=view.members)
    return rows.exclude(subject__remember=False).only(*FACT)


def _notes(view: View) -> QuerySet[InteractionNote]:
    rows = InteractionNote.objects.of(view.guild).heard_in(view.channel)
    if view.as_of is not None:
        rows = rows.filter(ended_at__lte=view.as_of)
    if view.members is not None:
        took_part = InteractionNote.participants.through.objects.filter(member__in=view.members)
        rows = rows.filter(pk__in=took_part.values("interactionnote"))
    return rows.only(*NOTE)


def _messages(view: View) -> QuerySet[Message]:
    rows = Message.objects.of(view.guild).heard_in(view.channel).said().select_related("author")
    if view.as_of is not None:
        rows = rows.filter(sent_at__lte=view.as_of)
    if view.members is not None:
        rows = rows.filter(author__in=view.members)
    return rows.exclude(author__remember=False).only(*MESSAGE)


def _fact_candidate(fact: Fact, signal: Signal, support: float) -> Candidate:
    return Candidate(
        kind="fact", id=fact.pk, text=fact.text, said_at=fact.said_at, last_reinforced_at=fact.last_reinforced_at,
        name=str(fact.subject or ""), subject=fact.subject_id or NOBODY, confidence=fact.confidence,
        channel=fact.channel_id, semantic=signal.semantic, words=signal.words, support=support,
    )  # fmt: skip


def _note_candidate(note: InteractionNote, signal: Signal, _support: float) -> Candidate:
    return Candidate(
        kind="note", id=note.pk, text=note_text(note), said_at=note.ended_at, channel=note.channel_id,
        semantic=signal.semantic, words=signal.words,
    )  # fmt: skip


def _message_candidate(message: Message, signal: Signal, support: float) -> Candidate:
    return Candidate(
        kind="message", id=message.pk, text=message.text, said_at=message.sent_at, name=str(message.author),
        subject=message.author_id, channel=message.channel_id, semantic=signal.semantic, words=signal.words,
        support=support,
    )  # fmt: skip


TOLD = InteractionNote.messages.through


def _told_facts(facts: Collection[int], notes: Collection[int]) -> Iterable[tuple[int, int]]:
    cited = defaultdict(list)
    for fact, message in Evidence.objects.filter(fact__in=facts, message__isnull=False).values_list("fact", "message"):
        cited[message].append(fact)
    return ((fact, note) for message, note in _told_messages(cited, notes) for fact in cited[message])


def _told_messages(messages: Collection[int], notes: Collection[int]) -> Iterable[tuple[int, int]]:
    pairs = TOLD.objects.filter(interactionnote__in=notes, message__in=messages)
    return pairs.values_list("message", "interactionnote")


def _fact_memories(found: Sequence[tuple[Fact, Ranked]]) -> list[Memory]:
    sources = defaultdict(list)
    rows = Evidence.objects.filter(fact__in=[fact.pk for fact, _ in found]).select_related("message", "speaker")
    for each in rows.defer("message__text"):
        message_id = each.message.platform_id if each.message else None
        source = Source(message_id=message_id, quote=each.quote, author=str(each.speaker or ""), at=each.said_at)
        sources[each.fact_id].append(source)
    return [_memory(ranked, fact.pk, fact.text, fact.subject, fact.said_at, sources[fact.pk]) for fact, ranked in found]


def _note_memories(found: Sequence[tuple[InteractionNote, Ranked]]) -> list[Memory]:
    told_by = defaultdict(set, {note.pk: {note.pk} for note, _ in found})
    links = InteractionNote.notes.through.objects.filter(from_interactionnote__in=told_by.keys())
    for cluster, note in links.values_list("from_interactionnote", "to_interactionnote"):
        told_by[cluster].add(note)
    messages = _messages_of({each for notes in told_by.values() for each in notes})
    sources = {note: [each for part in sorted(parts) for each in messages[part]] for note, parts in told_by.items()}
    return [_memory(ranked, note.pk, note_text(note), None, note.ended_at, sources[note.pk]) for note, ranked in found]


def _messages_of(notes: set[int]) -> dict[int, list[Source]]:
    messages = defaultdict(list)
    links = TOLD.objects.filter(interactionnote__in=notes)
    columns = ("interactionnote", "message__platform_id", "message__sent_at")
    for note, message_id, at in links.order_by("message__sent_at", "message").values_list(*columns):
        messages[note].append(Source(message_id=message_id, note_id=note, at=at))
    return messages


def _message_memories(found: Sequence[tuple[Message, Ranked]]) -> list[Memory]:
    return [
        _memory(ranked, message.platform_id, message.text, message.author, message.sent_at, [_itself(message)])
        for message, ranked in found
    ]


def _itself(message: Message) -> Source:
    return Source(message_id=message.platform_id, author=str(message.author), at=message.sent_at)


def _memory(
    ranked: Ranked, number: int | str, text: str, member: Member | None, at: datetime, sources: list[Source]
) -> Memory:
    return Memory(
        kind=ranked.candidate.kind, id=number, text=text, score=ranked.score, created_at=at, sources=sources,
        member=str(member) if member else None, member_id=member.platform_id if member else None,
        gate=ranked.gate or "", scores=ranked.parts,
    )  # fmt: skip


SHELVES = {
    "fact": Shelf(_facts, "-said_at", _fact_candidate, _fact_memories, newest=24, told=_told_facts),
    "note": Shelf(_notes, "-ended_at", _note_candidate, _note_memories, newest=3, by_member=False),
    "message": Shelf(_messages, "-sent_at", _message_candidate, _message_memories, newest=3, told=_told_messages),
}
