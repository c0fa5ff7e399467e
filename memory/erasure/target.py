"""What an erasure is about: a member, a channel with its threads, or a guild; and which rows may hold its words."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import islice
from typing import Any, Self, TypeVar

from django.db import transaction
from django.db.models import ForeignKey, JSONField, Model, Q, QuerySet, TextField, Value
from django.db.models.functions import Cast, StrIndex
from django.db.models.lookups import GreaterThan

from memory.erasure.fingerprints import Kind, Needles, distinctive_ids, distinctive_names
from memory.models import ErasureNeedles, Fact
from memoryhub import db
from memoryhub.community import tombstones
from memoryhub.community.models import Channel, Guild, Member
from notes.models import Message

CHUNK = 200  # rows in a transaction: other writers wait no longer than a moment
PIECE = 4_000_000  # bytes in a row: a big guild has tens of millions
READ_AT_ONCE = 2000  # rows whose texts are looked through together
BETWEEN = "\0"
Row = TypeVar("Row", bound=Model)
TextBlock = list[tuple[Any, list[str]]]
"""Rows: the id of each, and the texts of some of its columns."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """One member, one channel or one whole guild."""

    guild: Guild
    member: Member | None = None
    channel: Channel | None = None
    names: list[str] = field(default_factory=list)
    """How others name the member, as far as that can mean nobody else."""
    ids: list[str] = field(default_factory=list)
    """The member's account, where it is long enough to be nothing else, and is no name."""
    checkpoint: Callable[[], None] = lambda: None
    """Called between pieces of the work; it may raise to end it there, as everything can be gone on with."""

    @classmethod
    def of(cls, row: Member | Channel | Guild) -> Self:
        """Return the erasure of this row; a name that another member of the guild bears does not name the member.

        Some bots' accounts are names ("alice"): in others' words such a one is a name, no platform put it there.
        """
        if isinstance(row, Guild):
            return cls(guild=row)
        if isinstance(row, Channel):
            return cls(guild=row.guild, channel=row)
        others = Member.objects.of(row.guild).exclude(pk=row.pk).values_list("name", "display_name")
        taken = {name for pair in others.iterator(2000) for name in pair if name}
        account = row.platform_id
        called = [row.display_name, row.name, *([account] if account.isalpha() else [])]
        ids = [] if account.casefold() in map(str.casefold, called) else distinctive_ids([account])
        return cls(guild=row.guild, member=row, names=distinctive_names(called, others=taken), ids=ids)

    @property
    def kind(self) -> Kind:
        """Return which of the three it is."""
        return "member" if self.member else "channel" if self.channel else "guild"

    @property
    def digest(self) -> str:
        """Return the keyed hash under which the erasure is found again."""
        row = self.member or self.channel
        return tombstones.digest(self.guild, self.kind, row.platform_id if row else "")

    @property
    def pattern(self) -> str:
        """Return a regular expression for texts that name the member."""
        longest = "|".join(sorted(map(re.escape, [*self.names, *self.ids]), key=len, reverse=True))
        return rf"(?i)(?<!\w)(?:{longest})(?!\w)" if longest else r"(?!)"

    def naming(self, rows: QuerySet[Any], *columns: str) -> list[int]:
        """Return the ids of the rows that name the member in one of these columns: each row is read once."""
        if not (self.names or self.ids):
            return []
        named = re.compile(self.pattern)
        return [
            pk
            for block in text_blocks(rows, *columns)
            if named.search(BETWEEN.join(BETWEEN.join(texts) for _, texts in block))  # hardly any has one
            for pk, texts in block
            if any(map(named.search, texts))
        ]

    @property
    def channels(self) -> list[int]:
        """Return the channel and its threads."""
        if self.channel is None:
            return []
        rows = Channel.objects.of(self.guild).filter(Q(pk=self.channel.pk) | Q(parent=self.channel.pk))
        return list(rows.values_list("pk", flat=True))

    def select(self, rows: QuerySet[Row], *, member: Q | None, channel: Q | None) -> QuerySet[Row]:
        """Return those of the guild's rows that are the member's or the channel's (None: none); a guild's are all."""
        condition = member if self.member else channel if self.channel else Q()
        return rows.none() if condition is None else rows.filter(condition)

    def messages(self) -> QuerySet[Message]:
        """Return the messages that go."""
        rows = Message.objects.of(self.guild).select_related("author", "guild", "channel")
        return self.select(rows, member=Q(author=self.member), channel=Q(channel__in=self.channels))

    def answers(self) -> QuerySet[Message]:
        """Return what bots said to the member or of them: it repeats what is to be forgotten."""
        if self.member is None:
            return Message.objects.none()
        bots = Member.objects.of(self.guild).filter(is_bot=True).exclude(pk=self.member.pk)
        rows = Message.objects.filter(author__in=list(bots)).select_related("author", "guild", "channel")
        prompts = Message.objects.filter(author=self.member).values("platform_id")
        return rows.filter(Q(reply_to__in=prompts) | self.mentioning() | Q(text__regex=self.pattern))

    def mentioning(self) -> Q:
        """Return the condition for messages that hold the member's account id."""
        account = self.member.platform_id if self.member else ""
        held = {"text": (f"<@{account}>", f"<@!{account}>"), "mentions": (json.dumps(account),)}
        places = [StrIndex(Cast(name, TextField()), Value(mark)) for name, marks in held.items() for mark in marks]
        return Q(*(GreaterThan(place, 0) for place in places), _connector=Q.OR)

    def facts(self) -> QuerySet[Fact]:
        """Return the facts that go: about the member or naming them, told in the channel, or all of the guild."""
        rows = Fact.objects.of(self.guild)
        if self.channel:
            channels = self.channels
            elsewhere = Fact.objects.filter(evidence__message__isnull=False).exclude(
                evidence__message__channel__in=channels
            )
            told_here = Q(audience__in=channels) | Q(channel__in=channels)
            return rows.filter(told_here).exclude(pk__in=elsewhere.values("pk"))
        return rows.filter(Q(subject=self.member) | Q(pk__in=self.naming(rows, "text"))) if self.member else rows

    def chunks(self, rows: QuerySet[Row], *related: str) -> Iterator[Sequence[Row]]:
        """Yield these rows in chunks, those that are there still, with a moment between in which the work may end."""
        ids = list(rows.order_by().values_list("pk", flat=True))
        for start in range(0, len(ids), CHUNK):
            self.checkpoint()
            left = rows.model._default_manager.filter(pk__in=ids[start : start + CHUNK])
            if chunk := list(left.select_related(*related) if related else left):
                yield chunk

    @cached_property
    def needles(self) -> Needles:
        """Return what must be gone afterwards; what a killed run had noted is kept."""
        needles = kept_needles(self.digest) or Needles(kind=self.kind)
        needles.guild, needles.member = self.guild.pk, self.member.pk if self.member else 0
        needles.channel = self.channel.pk if self.channel else 0
        needles.names = list(dict.fromkeys([*needles.names, *self.names]))
        needles.ids = list(dict.fromkeys([*needles.ids, *self.ids]))
        needles.add(
            messages=self.messages().exclude(text="").values_list("text", flat=True).iterator(2000),
            facts=self.facts().values_list("text", flat=True).iterator(2000),
        )
        return needles


@transaction.atomic
def keep_needles(target: Target, needles: Needles) -> None:
    """Keep what an open erasure looks for, with what was kept before: whichever host goes on with it must know."""
    db.lock_guild(target.guild.pk)
    if kept := kept_needles(target.digest):
        needles = kept.joined(needles)
    packed = needles.packed()
    ErasureNeedles.objects.filter(digest=target.digest).delete()
    for part, start in enumerate(range(0, len(packed), PIECE)):
        ErasureNeedles.objects.create(digest=target.digest, part=part, kept=packed[start : start + PIECE])


def kept_needles(digest: str) -> Needles | None:
    """Return what is kept for an erasure; None where there is none."""
    pieces = ErasureNeedles.objects.filter(digest=digest).order_by("part").values_list("kept", flat=True)
    packed = b"".join(bytes(piece) for piece in pieces)
    return Needles.unpacked(packed) if packed else None


@cache
def path_to_guild(model: type[Model]) -> str | None:
    """Return the shortest way from a table over foreign keys to a guild, as a lookup; None where there is none."""
    if model is Guild:
        return "pk"
    if any(field.name == "guild_id" for field in model._meta.concrete_fields):
        return "guild_id"  # a plain number: the row outlives its guild
    waiting: deque[tuple[type[Model], str]] = deque([(model, "")])
    seen = {model}
    while waiting:
        here, path = waiting.popleft()
        for column in here._meta.concrete_fields:
            if not isinstance(column, ForeignKey):
                continue
            related = column.related_model
            if related is Guild:
                return f"{path}{column.name}"
            if isinstance(related, type) and related not in seen:
                seen.add(related)
                waiting.append((related, f"{path}{column.name}__"))
    return None


def text_blocks(rows: QuerySet[Any], *columns: str) -> Iterator[TextBlock]:
    """Yield rows in blocks, their columns as somebody reads them; JSON as one text."""
    as_text = {
        f"text_of_{name}": Cast(name, TextField())
        for name in columns
        if isinstance(rows.model._meta.get_field(name), JSONField)
    }
    names = [f"text_of_{name}" if f"text_of_{name}" in as_text else name for name in columns]
    found = rows.order_by().annotate(**as_text).values_list("pk", *names).iterator(READ_AT_ONCE)
    while block := [(pk, [_read(value) for value in values]) for pk, *values in islice(found, READ_AT_ONCE)]:
        yield block


def _read(value: str | None) -> str:
    r"""Return a text; of JSON with its letters in place of `\u00e9`, which SQLite keeps."""
    if not value:
        return ""
    if "\\" in value:
        with suppress(ValueError):  # no JSON
            return json.dumps(json.loads(value), ensure_ascii=False)
    return value


def rows_of_guild(model: type[Model], guild: int) -> QuerySet[Any]:
    """Return the rows of a guild; all rows of a table that knows no guild."""
    path = path_to_guild(model)
    rows = model._default_manager.all()
    return rows.filter(**{path: guild}) if path else rows
