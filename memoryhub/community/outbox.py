"""What changed in a guild, for those who listen: written with the change itself, read by streams and webhooks.

Who writes an event holds the guild's lock, so in one guild events become visible in the order of their ids, and
whoever has read up to an id has missed none below it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from memoryhub import db
from memoryhub.community.models import Event, Guild, Member

Kind = Event.Kind
KEPT_DAYS = 30
ROW_NAMES = {Kind.NOTE: "note", Kind.FAILED: "id"}  # a fact's events call it `fact`
TABLE, MEMBERS = Event._meta.db_table, Member._meta.db_table
GUILDS_AT_ONCE = 400  # of a statement: SQLite takes 1,000 conditions in a row

# ruff: noqa: S608  (the tables' names are those of models; every value is a parameter)
FOLLOWED = f"""SELECT e.id, e.guild_id, e.kind, e.row, e.member_number, e.detail, e.at, m.platform_id FROM {TABLE} e
    LEFT JOIN {MEMBERS} m ON m.id = e.member_number AND m.guild_id = e.guild_id
    WHERE {{conditions}} ORDER BY e.id LIMIT {{limit}}"""


@dataclass(frozen=True)
class OutgoingEvent:
    """An event as it is told: its id, its guild's row id, what stands in it, and when that was read."""

    id: int
    guild: int
    payload: dict[str, Any]
    read_at: float = field(default_factory=time.monotonic, compare=False)  # seconds


def write(events: Sequence[Event]) -> None:
    """Store events of guilds that this transaction has locked."""
    db.append(events)


def announce(
    guild: int, kind: Event.Kind, *, now: datetime, row: int | None = None, member: int | None = None, detail: str = ""
) -> None:
    """Write one event, in the transaction of what it tells of."""
    db.lock_guild(guild)
    write([Event(guild_id=guild, kind=kind, row=row, member_number=member, detail=detail, at=now)])


def newest(guild: Guild) -> int:
    """Return the id of the guild's newest event, 0 where there is none."""
    return Event.objects.of(guild).order_by("-pk").values_list("pk", flat=True).first() or 0


def is_kept(guild: Guild, number: int) -> bool:
    """Say whether all events after this one are still there: it is there itself, or there never was one before it."""
    return number == 0 or Event.objects.of(guild).filter(pk=number).exists()


def after(reached: Mapping[int, int], *, keys: Mapping[int, str], limit: int) -> list[OutgoingEvent]:
    """Return the events of some guilds, in order: of each those after the id reached, `limit` at most in all.

    `keys` are the guilds' keys by row id. One statement for up to 400 guilds.
    """
    rows: list[tuple[Any, ...]] = []
    places = list(reached.items())
    for start in range(0, len(places), GUILDS_AT_ONCE):
        part = places[start : start + GUILDS_AT_ONCE]
        conditions = " OR ".join(["(e.guild_id = %s AND e.id > %s)"] * len(part))
        statement = FOLLOWED.format(conditions=conditions, limit=int(limit))
        rows += db.select(statement, [value for place in part for value in place])
    rows.sort()
    return [_told(row, keys[row[1]]) for row in rows[:limit]]


def again(told: OutgoingEvent) -> OutgoingEvent | None:
    """Return an event as it is told now: whom it names may be erased since it was read. None where it is gone."""
    rows = db.select(FOLLOWED.format(conditions="(e.guild_id = %s AND e.id = %s)", limit=1), [told.guild, told.id])
    return _told(rows[0], told.payload["data"]["guild"]) if rows else None


def _told(row: tuple[Any, ...], key: str) -> OutgoingEvent:
    number, guild, kind, about, member, detail, at, platform_id = row
    data: dict[str, Any] = {"guild": key}
    if about is not None:
        data[ROW_NAMES.get(kind, "fact")] = str(about)
    if kind == Kind.ERASED:
        data |= {"member_number": str(member), "erasure": detail}
    elif kind == Kind.FAILED:
        data["job"] = detail
    elif kind != Kind.NOTE:
        data |= {"member": platform_id, "member_number": None if member is None else str(member)}
    moment = at.astimezone(UTC).isoformat()
    return OutgoingEvent(number, guild, {"type": str(kind), "timestamp": moment, "data": data})
