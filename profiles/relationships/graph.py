"""Reads the graph: who has to do with whom, how strongly now, and what that rests on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from django.db.models import Q

from memoryhub import db
from memoryhub.community.consent import remembers
from memoryhub.community.days import day_of
from memoryhub.community.models import Guild, Member
from profiles.models import Relationship, RelationshipDayQuerySet
from profiles.relationships import strength
from profiles.relationships.strength import Counts
from profiles.relationships.tie_lines import Pair, TieLine

SAID_SO = 0.9  # how sure a stated tie is, whatever is counted
NEWEST = 3  # channel days an edge remembers, for its sources
# Written out, since every context asks it.
MEMBERS = f"WHERE {db.among('id')} AND {db.unindexed('guild_id')} = %s"
COLUMNS = ("source", "target", "channel", "day", "replies", "mentions", "together", "voice_minutes")
Counted = Sequence[tuple[int, int, int, date, int, int, int, int]]
"""Counted days as rows of these columns, the newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """What two members have to do with each other.

    `level` is an operator's word, which wins over what one of them said of the two (`stated`), and that over what was
    counted.
    """

    first: Member
    second: Member
    forth: Counts
    back: Counts
    counted: float
    confidence: float
    days: int = 0
    last_day: date | None = None
    newest: list[tuple[int, date]] = field(default_factory=list)  # (channel's row id, day)
    level: float | None = None
    stated: TieLine | None = None

    @property
    def strength(self) -> float:
        """Return 0 to 1, as of the moment of reading."""
        if self.level is not None:
            return self.level
        return self.counted if self.stated is None else self.stated.level

    @property
    def label(self) -> str:
        """Return the word for the strength, from "weak" to "likely close"."""
        return strength.label(self.strength)

    @property
    def reciprocity(self) -> float:
        """Return 0 (all came from one) to 1 (as much from either)."""
        return strength.reciprocity(self.forth, self.back)

    def joins(self, one: Member, other: Member) -> bool:
        """Tell whether the edge is between these two."""
        return {self.first.pk, self.second.pk} == {one.pk, other.pk}

    def seen_from(self, member: Member) -> tuple[Member, Counts, Counts]:
        """Return the other one, what the member did towards them, and what they did."""
        if member.pk == self.first.pk:
            return self.second, self.forth, self.back
        return self.first, self.back, self.forth


@dataclass(slots=True)
class Sums:
    """What is counted of a pair while its rows are read, newest first."""

    forth: Counts = field(default_factory=Counts)
    back: Counts = field(default_factory=Counts)
    done: list[tuple[int, float, float]] = field(default_factory=list)
    days: dict[date, None] = field(default_factory=dict)
    newest: dict[tuple[int, date], None] = field(default_factory=dict)

    @property
    def confidence(self) -> float:
        """Return how much all of it says."""
        return strength.confidence(self.forth.acts + self.back.acts, self.forth.hours)


def edges(
    rows: RelationshipDayQuerySet, *, guild: Guild, now: datetime, touching: Iterable[Member] | None = None,
    most: int | None = None, least: float = 0.0, stated: Mapping[Pair, TieLine] | None = None,
) -> list[Edge]:  # fmt: skip
    """Return the edges that these counted days make, those that were stated and those an operator set, strongest first.

    `rows` are the guild's, within an audience. `touching` narrows to edges with at least one of these members, and
    those between two of them come first; `most` and `least` (strength) cut. Nobody who is not remembered is in them.
    Empty while the guild's graph is off.
    """
    if not guild.relationships_on:
        return []
    ids = None if touching is None else {member.pk for member in touching}
    counted = rows.filter(_touching(ids, "source", "target")).order_by("-day").values_list(*COLUMNS)
    set_by_hand = Relationship.objects.filter(_touching(ids, "first", "second"), guild=guild)
    levels = {(first, second): level for first, second, level in set_by_hand.values_list("first", "second", "level")}
    return strongest(list(counted), levels, guild=guild, now=now, touching=ids, most=most, least=least, stated=stated)


def strongest(
    counted: Counted, levels: Mapping[Pair, float], *, guild: Guild, now: datetime, touching: Collection[int] | None,
    most: int | None, least: float, stated: Mapping[Pair, TieLine] | None,
) -> list[Edge]:  # fmt: skip
    """Return what `edges` does, for who has read the counted days and the operator's levels."""
    sums = _sums(counted, today=day_of(guild, now))
    said = {pair: tie for pair, tie in (stated or {}).items() if touching is None or not set(pair).isdisjoint(touching)}
    pairs = _ranked(sums, said, levels, present=touching or (), least=least)
    most, found = len(pairs) if most is None else most, list[Edge]()
    at_once = max(2 * most, 1)  # no more members are asked for than the first edges take whose both may be shown
    for start in range(0, len(pairs) if most else 0, at_once):
        some = pairs[start : start + at_once]
        members = _shown(guild, {pk for pair in some for pk in pair})
        found += [
            _edge(members[pair[0]], members[pair[1]], sums.get(pair) or Sums(), levels.get(pair), said.get(pair))
            for pair in some
            if members.keys() >= set(pair)
        ]
        if len(found) >= most:
            break
    return found[:most]


def _ranked(
    sums: Mapping[Pair, Sums], said: Mapping[Pair, TieLine], levels: Mapping[Pair, float], *,
    present: Collection[int], least: float,
) -> list[Pair]:  # fmt: skip
    """Return the pairs that are strong enough: those of who is present first, then the stronger and surer ones."""
    ranked, everybody = list[tuple[tuple[bool, float, float], Pair]](), set(present)
    for pair in {**sums, **said, **levels}:
        of_pair = sums.get(pair) or Sums()
        level = said[pair].level if pair in said else strength.strength(of_pair.done)
        strong = levels.get(pair, level)
        if strong >= least:
            ranked.append(((not everybody.issuperset(pair), -strong, -of_pair.confidence), pair))
    return [pair for _, pair in sorted(ranked)]


def _edge(first: Member, second: Member, sums: Sums, level: float | None, stated: TieLine | None) -> Edge:
    return Edge(
        first=first, second=second, forth=sums.forth, back=sums.back, level=level,
        counted=strength.strength(sums.done), days=len(sums.days), stated=stated,
        confidence=max(sums.confidence, SAID_SO if stated else 0.0),
        last_day=next(iter(sums.days), None), newest=list(sums.newest),
    )  # fmt: skip


def _shown(guild: Guild, ids: Iterable[int]) -> dict[int, Member]:
    """Return those of the members who may be told of."""
    rows = db.read(Member, MEMBERS, [db.id_list(ids), guild.pk])
    return {member.pk: member for member in rows if not member.is_bot and remembers(guild, member)}


def _touching(ids: Collection[int] | None, one: str, other: str) -> Q:
    return Q() if ids is None else Q(**{f"{one}__in": ids}) | Q(**{f"{other}__in": ids})


def _sums(rows: Counted, *, today: date) -> dict[Pair, Sums]:
    """Add up the rows by pair, the lower id first; hours stand in the rows of both directions and count once."""
    found: dict[Pair, Sums] = {}
    for source, target, channel, day, *numbers in rows:
        forward = source < target
        sums = found.setdefault((source, target) if forward else (target, source), Sums())
        counts = Counts(*numbers)
        (sums.forth if forward else sums.back).add(counts)
        sums.done.append(((today - day).days, counts.acts, counts.hours if forward else 0.0))
        sums.days[day] = None
        if len(sums.newest) < NEWEST:
            sums.newest[channel, day] = None
    return found
