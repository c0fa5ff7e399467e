"""Puts unread messages together for extraction: what one call of a model can read, fair over members."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Literal

from django.db.models import F, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from memoryhub.ai import ModelFailed
from memoryhub.ai.model_choice import chosen
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.db import leases
from notes.messages import conversations
from notes.models import ChannelBuffer, Message

MOST_A_RUN = 100  # messages a run
MOST_A_MEMBER = 25  # nobody's flood holds the others up
MOST_A_CALL = 50  # messages a call: what more of them hold does not fit into an answer
ENOUGH = 20  # messages that are read at once, whether or not their talk goes on
PAUSE = timedelta(minutes=5)  # a talk that goes on is left for the next run, since one call reads it all
LONGEST = timedelta(minutes=15)  # but not for ever
MOST_CHARS = 40_000  # of a call's messages, about 10,000 tokens; one longer message is a call of its own

TierName = Literal["fast", "careful"]


@dataclass(frozen=True)
class Batch:
    """What was said in one channel and nobody has read for facts yet, oldest first: one call of a model."""

    messages: list[Message]

    @property
    def guild(self) -> Guild:
        """Return where it was said."""
        return self.messages[0].guild

    @property
    def channel(self) -> Channel:
        """Return where in the guild it was said."""
        return self.messages[0].channel

    @property
    def authors(self) -> dict[int, Member]:
        """Return who spoke, by row id."""
        return {message.author_id: message.author for message in self.messages}

    @property
    def ids(self) -> list[int]:
        """Return the messages' row ids."""
        return [message.pk for message in self.messages]

    @property
    def audience_id(self) -> int | None:
        """Return the audience of what is read; what is shown with it is no narrower."""
        return self.channel.heard_by_at(self.messages[0].sent_at)

    @property
    def readers(self) -> Channel | None:
        """Return the channel whose readers alone are told what is read; None where all of the guild are."""
        return None if self.audience_id is None else self.channel

    def halves(self) -> list[Batch]:
        """Return what one half of the members said and what the other did, or both halves of what one member said."""
        one = len(self.authors) == 1
        each = [message.pk if one else message.author_id for message in self.messages]
        names = list(dict.fromkeys(each))
        first = set(names[: (len(names) + 1) // 2])
        sides = [(message, name in first) for message, name in zip(self.messages, each, strict=True)]
        return [Batch([message for message, side in sides if side is wanted]) for wanted in (True, False)]


class ReadElsewhere(Exception):
    """Another worker asks about a part of the conversation at this moment."""


def waiting(mode: Guild.ExtractionMode, *, now: datetime) -> list[Batch]:
    """Return the next batches of the guilds that learn in this way; where calls cost, once a talk pauses."""
    whose = Q(guild__extraction_mode=mode)
    if mode == Guild.ExtractionMode.BATCH:
        # A tool's summary is part of no conversation whose end could be waited for; one that ended waits for nobody.
        late = Q(tool_summary=True) | Q(buffer__status=ChannelBuffer.Status.DONE)
        whose |= Q(late, guild__extraction_mode=Guild.ExtractionMode.FLUSH)
    leases.recover(Message.objects.filter(processed_at=None), now=now)
    # What failed before comes after all that is new, so that it never fills the run.
    rows = Message.objects.unprocessed(now).filter(whose).order_by("attempts", "sent_at", "pk")
    # An expression, no column: of that SQLite would go through every message there is, in the order of its index.
    turn = Window(RowNumber(), partition_by=F("author_id") + 0, order_by=["sent_at", "pk"])
    ids = [message.pk for message in rows.annotate(turn=turn).filter(turn__lte=MOST_A_MEMBER)[:MOST_A_RUN]]
    found = _batches(_with_names(Message.objects.filter(pk__in=ids)))
    ripe = []
    for batch in found:
        first, last = batch.messages[0], batch.messages[-1]
        paused = now - last.sent_at >= PAUSE or now - first.sent_at >= LONGEST or len(batch.messages) >= ENOUGH
        at_once = mode != Guild.ExtractionMode.BATCH or first.attempts or not asks_model(batch.guild, "fast")
        if paused or at_once:
            ripe.append(batch)
    return ripe


def of_tools(guild: Guild | None, *, now: datetime) -> list[Batch]:
    """Return what tools found and nobody has read yet: no conversation's digest reads it."""
    rows = Message.objects.unprocessed(now).filter(tool_summary=True)
    return _batches(_with_names(rows.filter(guild=guild) if guild else rows))


def asks_model(guild: Guild, *tiers: TierName) -> bool:
    """Say if this guild's messages are read by a model; the rules cost nothing. A model that is set wrong is one."""
    own: dict[TierName, str] = {"fast": guild.model_fast, "careful": guild.model_careful}
    try:
        return any(chosen(tier, own=own[tier]) is not None for tier in tiers)
    except ModelFailed:
        return True


def of_buffer(
    buffer: ChannelBuffer, *, now: datetime, fresh: bool = False, said: Sequence[Message] | None = None
) -> list[Batch]:  # fmt: skip
    """Return what is left unread of one conversation, also what waits for another try unless only `fresh` is wanted.

    `said` are its messages if they were just read. Raises ReadElsewhere: nobody asks twice about the same at once.
    """
    rows = _unread(conversations.said_in(buffer) if said is None else said)
    if any(row.claimed_until for row in rows):
        unread = Message.objects.said().filter(buffer=buffer, processed_at=None, parked_at=None)
        leases.recover(unread, now=now)
        rows = _unread(conversations.said_in(buffer))
    if any(row.claimed_until and row.claimed_until > now for row in rows):
        raise ReadElsewhere
    return _batches(row for row in rows if not (fresh and row.attempts))


def _unread(rows: Sequence[Message]) -> list[Message]:
    return [row for row in rows if row.processed_at is None and row.parked_at is None]


def _with_names(rows: QuerySet[Message]) -> QuerySet[Message]:
    return rows.select_related("guild", "channel", "author")


def _batches(rows: Iterable[Message]) -> list[Batch]:
    """Return the messages in batches, oldest first, and those last that failed before."""
    parts: list[list[Message]] = []
    for _, group in groupby(sorted(rows, key=lambda m: (*_group_key(m), m.sent_at, m.pk)), key=_group_key):
        room = -1
        for message in group:
            if len(message.text) > room or len(parts[-1]) == MOST_A_CALL:
                parts.append([])
                room = MOST_CHARS
            parts[-1].append(message)
            room -= len(message.text)
    return sorted(map(Batch, parts), key=lambda batch: (batch.messages[0].attempts > 0, batch.messages[0].sent_at))


def _group_key(message: Message) -> tuple[int, int, int, int]:
    """Keep a channel together, apart from what was said before it was opened; what failed, a member at a time.

    One's words must not hold up another's.
    """
    author = message.author_id if message.attempts else 0
    return message.channel_id, message.heard_by or 0, message.attempts, author
