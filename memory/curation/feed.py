"""What was learned, changed and forgotten lately, newest first: each change with its fact and what that rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Prefetch

from memory.models import Action, Evidence, Fact, FactChange
from memoryhub.community.models import Guild

Kind = FactChange.Action
TITLES: Mapping[str, str] = {
    Kind.ADD: "Learned", Kind.REINFORCE: "Heard again", Kind.INVALIDATE: "Outdated", Kind.MERGE: "Merged",
    Kind.EDIT: "Edited", Kind.ARCHIVE: "Archived", Kind.RESTORE: "Restored", Kind.APPROVE: "Approved",
    Kind.REFUSE: "Refused", Kind.SETTLE: "Found true", Kind.UNDO: "Undone",
}  # fmt: skip
LATELY = timedelta(days=7)
GONE = ("memory_forget", "note_forget", "erasure")  # of which nothing is left but the line that says so


@dataclass(frozen=True, kw_only=True)
class Event:
    """One thing that happened to memory; without a fact it is gone, and `action` is the log's line."""

    at: datetime
    title: str
    actor: str
    guild: Guild
    fact: Fact | None = None
    source: Evidence | None = None
    before: str = ""  # the words that an edit replaced
    undoable: bool = False
    action: Action | None = None


def recent(guilds: Sequence[Guild], *, now: datetime, limit: int) -> list[Event]:
    """Return what happened last in these guilds; in several of them at most a week ago, so that few rows are sorted."""
    where: dict[str, Any] = {"guild__in": guilds}
    if len(guilds) != 1:
        where["at__gte"] = now - LATELY
    by_pk = {guild.pk: guild for guild in guilds}
    events = [*_changes(where, by_pk, limit), *_gone(where, by_pk, limit)]
    return sorted(events, key=lambda event: event.at, reverse=True)[:limit]


def _changes(where: dict[str, Any], guilds: Mapping[int, Guild], limit: int) -> list[Event]:
    evidence = Evidence.objects.select_related("message", "speaker").order_by("-said_at", "-pk")
    changes = FactChange.objects.filter(**where).select_related("fact__subject", "fact__audience")
    rows = changes.prefetch_related(Prefetch("fact__evidence", evidence)).order_by("-at", "-pk")[:limit]
    seen: set[int] = set()
    events = []
    for row in rows:
        row.fact.guild = guilds[row.guild_id]
        sources = [source for source in row.fact.evidence.all() if source.told_quote]
        newest = row.fact_id not in seen  # only a fact's newest change can be undone
        if not row.lost_source:
            seen.add(row.fact_id)
        before = str(row.before.get("text", ""))
        events.append(
            Event(
                at=row.at, title=TITLES[row.action], actor=row.actor, guild=guilds[row.guild_id], fact=row.fact,
                source=sources[0] if sources else None, before=before if before != row.fact.text else "",
                undoable=newest and row.stands and row.action != Kind.ADD,
            )
        )  # fmt: skip
    return events


def _gone(where: dict[str, Any], guilds: Mapping[int, Guild], limit: int) -> list[Event]:
    rows = Action.objects.filter(kind__in=GONE, **where).order_by("-at", "-pk")[:limit]
    return [
        Event(at=row.at, title="Forgotten", actor=row.actor, guild=guilds[row.guild_id], action=row)
        for row in rows
        if row.guild_id
    ]
