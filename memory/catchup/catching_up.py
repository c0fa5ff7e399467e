"""Tells somebody what they missed since they last spoke: first what concerns them, then what was decided and talked of.

It asks no model: notes, which a model may have written, and decisions are there; what is not digested yet is told by
its most telling sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import groupby
from typing import Literal

from django.db.models import Min

from memory.catchup.readers import Reader
from memory.recall.results import Source
from memory.recall.word_overlap import shared_words
from memoryhub import db
from memoryhub.community.models import Channel, Member
from memoryhub.community.querysets import heard
from memoryhub.db.guild_scope import inside
from memoryhub.language.clip import clip, listing, one_line
from notes.arrangements.telling import decisions
from notes.messages.prompt_lines import lines_to_tell
from notes.models import ChannelBuffer, InteractionNote, Message, NoteMessage, NotePart, Question
from notes.writing.header import parted
from notes.writing.key_sentences import central, spoken_sentences

Kind = Literal["mention", "answered", "decision", "talk", "topic"]
HERE = timedelta(minutes=30)
"""What somebody said in this time is their coming back, not the time they were last here."""
UNKNOWN = timedelta(days=7)  # looked back for somebody who said nothing yet
READ = 1_500  # newest messages that are looked through
MOST = {"mention": 10, "answered": 5, "decision": 10, "talk": 10, "topic": 20}
WORDS = 200  # characters of a text
TELLING = 2  # sentences of a talk that is not digested yet
_WITH = re.compile(r"\AWith [^\n]{1,300}\.\n(?=- )")  # how a topic of a day begins
SHORTEST_NAME = 3  # letters of a name that is looked for in texts


@dataclass(frozen=True, kw_only=True)
class Missed:
    """One thing missed; `channel` is where (None: in several), `members` who said it or took part."""

    kind: Kind
    text: str
    at: datetime
    channel: Channel | None = None
    members: Sequence[str] = ()
    sources: Sequence[Source] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class CaughtUp:
    """What was missed since a moment, what concerns the reader first; each kind the newest first."""

    since: datetime
    items: Sequence[Missed]


@db.on_replica
def catch_up(reader: Reader, *, since: datetime | None, now: datetime) -> CaughtUp:
    """Return what the reader missed since then, or since they last spoke; nothing where memory is off. Reads only."""
    with inside(reader.guild):
        since = since or last_spoke(reader.member, now=now)
        if not reader.guild.memory_on or since >= now:
            return CaughtUp(since=since, items=[])
        said = _said(reader, since)
        found = [
            *_concerning(reader, said),
            *_answered(reader, since),
            *_decided(reader, since),
            *_talk(reader, said),
            *_topics(reader, since),
        ]
    return CaughtUp(since=since, items=found)


def last_spoke(member: Member | None, *, now: datetime) -> datetime:
    """Return when somebody spoke last, before they came back just now; a week ago for who said nothing."""
    rows = Message.objects.of(member.guild).filter(author=member, sent_at__lt=now - HERE) if member else None
    newest = rows.order_by("-sent_at").values_list("sent_at", flat=True).first() if rows is not None else None
    return newest or now - UNKNOWN


def _said(reader: Reader, since: datetime) -> list[Message]:
    """Return what others said since that may be shown, the newest first."""
    rows = Message.objects.of(reader.guild).said().filter(reader.said("sent_at"), reader.here(), sent_at__gt=since)
    rows = rows.filter(heard(reader.guild, "author"), carries_instruction=False)
    rows = rows.select_related("author", "channel", "buffer")
    if reader.member:
        rows = rows.exclude(author=reader.member)
    return list(rows.order_by("-sent_at", "-pk")[:READ])


# --- What concerns them ----------------------------------------------------------------------------------------------


def _concerning(reader: Reader, said: Sequence[Message]) -> list[Missed]:
    """Return the messages that mention the reader, answer them or call them by name."""
    account, name = reader.account_id, reader.called
    if not account:
        return []
    answers = {message.reply_to for message in said if message.reply_to}
    own = Message.objects.of(reader.guild).filter(author__platform_id=account, platform_id__in=answers)
    answered = set(own.values_list("platform_id", flat=True))
    called = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE) if len(name) >= SHORTEST_NAME else None
    return [
        _as_said("mention", message)
        for message in said
        if account in message.mentions or message.reply_to in answered or (called and called.search(message.text))
    ][: MOST["mention"]]


def _answered(reader: Reader, since: datetime) -> list[Missed]:
    """Return the reader's own questions that were found answered since, each with the message that fits best."""
    if reader.member is None:
        return []
    rows = Question.objects.of(reader.guild).filter(reader.said("asked_at"), reader.here(), asked_by=reader.member)
    found = []
    for question in rows.filter(answered_at__gt=since).select_related("channel").order_by("-answered_at"):
        said = question.answers.readable().filter(heard(reader.guild, "author"), carries_instruction=False)
        messages = said.exclude(author=reader.member).select_related("author", "channel")
        best = max(messages, key=lambda message: shared_words(question.text, message.text), default=None)
        asked = question.text.partition(": ")[2] or question.text
        if best:
            found.append(_as_said("answered", best, text=clip(f"{asked} {one_line(best.text)}", WORDS)))
    return found[: MOST["answered"]]


# --- What happened ---------------------------------------------------------------------------------------------------


def _decided(reader: Reader, since: datetime) -> list[Missed]:
    """Return what others decided since and no later decision superseded, each with the message that says it."""
    rows = decisions(reader.guild).standing().filter(reader.carried(), reader.here(), said_at__gt=since)
    if reader.member:
        rows = rows.exclude(message__author=reader.member)
    newest = rows.order_by("-said_at", "-pk")[: MOST["decision"]]
    return [_as_said("decision", row.message, text=clip(row.text, WORDS)) for row in newest]


def _talk(reader: Reader, said: Sequence[Message]) -> list[Missed]:
    """Return what is talked about and not digested yet, channel by channel, by its most telling sentences."""
    waiting = [m for m in said if m.buffer is not None and m.buffer.status != ChannelBuffer.Status.DONE]
    found = []
    for _, rows in groupby(sorted(waiting, key=lambda m: (m.channel_id, m.sent_at, m.pk)), lambda m: m.channel_id):
        messages = list(rows)
        told = central(spoken_sentences(lines_to_tell(reader.guild, messages)), TELLING)
        if told:
            names = list(dict.fromkeys(str(message.author) for message in messages))
            quotes = " ".join(f"“{sentence.text}”" for sentence in told)
            text = f"{listing(names)}, {len(messages)} messages: {quotes}"
            cited = {sentence.line.message for sentence in told}
            found.append(
                Missed(
                    kind="talk", text=clip(text, 2 * WORDS), at=messages[-1].sent_at, channel=messages[-1].channel,
                    members=names, sources=[_source(message) for message in messages if message.pk in cited],
                )
            )  # fmt: skip
    return sorted(found, key=lambda each: each.at, reverse=True)[: MOST["talk"]]


def _topics(reader: Reader, since: datetime) -> list[Missed]:
    """Return what the notes since tell; what a topic of the day joins is told by that topic alone."""
    rows = InteractionNote.objects.told(reader.guild).filter(reader.carried(), reader.here(), ended_at__gt=since)
    notes = list(rows.select_related("channel").prefetch_related("participants").order_by("-ended_at", "-pk")[:READ])
    ids = [note.pk for note in notes]
    links = NotePart.objects.filter(guild=reader.guild, from_interactionnote__in=ids)
    parts = dict(links.order_by("pk").values_list("to_interactionnote", "from_interactionnote"))
    shown = [note for note in notes if note.pk not in parts][: MOST["topic"]]
    first = _first_messages(reader, shown, parts)
    return [
        Missed(
            kind="topic", text=clip(_in_one_line(note), WORDS), at=note.ended_at,
            channel=note.channel, members=[str(member) for member in note.participants.all()],
            sources=[Source(note_id=str(note.pk), message_id=first.get(note.pk), quote=note.title, at=note.started_at)],
        )
        for note in shown
    ]  # fmt: skip


def _in_one_line(note: InteractionNote) -> str:
    """Return the title, then the summary without what is told beside them, who was there and when, nor a list's dashes.

    Where the summary says the title, too, that sentence stands for it.
    """
    _, rest = parted(_WITH.sub("", note.summary))
    rows = [line.removeprefix("- ") for line in rest.splitlines()]
    title = note.title.rstrip(".")
    first = next((row for row in rows if title.casefold() in row.casefold()), f"{title}.")
    return " ".join([first, *(row for row in rows if row != first)])


def _first_messages(reader: Reader, notes: Iterable[InteractionNote], parts: dict[int, int]) -> dict[int, str]:
    """Return the platform's id of the first message that each note tells of, a topic's of its first conversation."""
    told_by = {note.pk: note.pk for note in notes}
    told_by |= {part: topic for part, topic in parts.items() if topic in told_by}
    links = NoteMessage.objects.filter(guild=reader.guild, interactionnote__in=told_by, message__deleted_at=None)
    firsts = dict(links.order_by().values_list("interactionnote").annotate(first=Min("message")))
    ids = dict(Message.objects.of(reader.guild).filter(pk__in=firsts.values()).values_list("pk", "platform_id"))
    found: dict[int, str] = {}
    for note, message in sorted(firsts.items(), key=lambda pair: pair[1]):
        if message in ids:
            found.setdefault(told_by[note], ids[message])
    return found


def _as_said(kind: Kind, message: Message, *, text: str = "") -> Missed:
    """Return what a message says, or other words for it."""
    return Missed(
        kind=kind, text=text or clip(one_line(message.text), WORDS), at=message.sent_at, channel=message.channel,
        members=[str(message.author)], sources=[_source(message)],
    )  # fmt: skip


def _source(message: Message) -> Source:
    return Source(message_id=message.platform_id, author=str(message.author), at=message.sent_at)
