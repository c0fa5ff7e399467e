"""The only way a fact changes: the row, what it was before, the indexes and the snapshot's mark, together."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.dateparse import parse_datetime

from memory.facts import at_odds, confidence
from memory.index import writing
from memory.models import Contradiction, Evidence, Fact, FactChange, Snapshot
from memoryhub import db
from memoryhub.community import outbox
from memoryhub.community.models import Event
from memoryhub.errors import Conflict
from profiles.models import Profile

STATE = (
    "text", "normalized", "kind", "confidence", "source_type", "status", "pinned", "possible_conflict",
    "replaced_by_id", "valid_from", "valid_until", "last_reinforced_at", "reinforcements",
    "junk", "junk_signs",
)  # fmt: skip
INDEXED = ("text", "status")
TOLD = ("text", "kind", "pinned", "possible_conflict", "valid_from", "valid_until")  # not: said once more
TIMES = ("valid_from", "valid_until", "last_reinforced_at")
Action = FactChange.Action
RESERVED = 20  # ids of new facts at once; those that are left over are never used
ERASED = "[erased]"  # a former wording that an erasure, or the loss of its source, took out of the history
SAID_ALREADY = "Another current memory says the same already."
CHANGED_SINCE = "Somebody changed this memory meanwhile, and it is left so."

# Written out, since every change of a fact runs them: Django makes such an update anew at ten times its cost.
# ruff: noqa: S608  (the tables' names are those of models; every value is a parameter)
MARK_SNAPSHOT = f"UPDATE {Snapshot._meta.db_table} SET stale = TRUE WHERE NOT stale AND guild_id = %s"
MARK_PROFILES = f"""UPDATE {Profile._meta.db_table} SET outdated = TRUE, revision = revision + 1
    WHERE {db.among("member_id")} AND guild_id = %s"""


class FactConflict(Conflict):
    """Another active fact says the same already."""


class FactGone(FactConflict):
    """The fact was erased since somebody read it."""

    def __init__(self) -> None:
        super().__init__("This memory is gone: somebody deleted it meanwhile.")


class NothingToUndo(Conflict):
    """The fact has no change left that could be undone."""


@dataclass
class Unwritten:
    """What is still to be written, so that one transaction writes each kind of row once, however many facts change.

    What it holds of a fact is not in the database: who is about to read facts there writes it first. `ids` are those
    that are reserved for new facts; with None each new fact is stored at once, which costs least where one comes alone.
    """

    added: list[Fact] = field(default_factory=list)  # new, under ids that are reserved for them
    changed: dict[int, tuple[Fact, set[str]]] = field(default_factory=dict)  # stored, with the fields that changed
    ids: list[int] | None = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    changes: list[FactChange] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    touched: dict[int, Fact] = field(default_factory=dict)
    new: dict[int, Fact] = field(default_factory=dict)
    reworded: dict[int, Fact] = field(default_factory=dict)  # in the indexes with other words, or no longer there
    pairs: list[Contradiction] = field(default_factory=list)

    def add(self, fact: Fact) -> None:
        """Take a new fact, which has its id from here on; raises FactConflict, and the open transaction goes on."""
        if self.ids is None:
            if not db.insert_if_new(fact):
                raise FactConflict(SAID_ALREADY)
            return
        if not self.ids:
            with _said_once():
                self._write_changed()
                self._write_added()
            self.ids = db.reserve_ids(Fact, RESERVED)
        fact.pk = self.ids.pop(0)
        self.added.append(fact)

    def change(self, fact: Fact, fields: Iterable[str]) -> None:
        """Take the fields of a fact that have changed; a new one is stored as it is by then."""
        if fact not in self.added:
            self.changed.setdefault(fact.pk, (fact, set()))[1].update(fields)

    def cited(self, fact: Fact) -> set[int | None]:
        """Return the messages that the fact rests on, stored or not; None for what no message told."""
        fresh = {row.message_id for row in self.evidence if row.fact_id == fact.pk}
        return fresh if fact in self.added else fresh.union(fact.evidence.values_list("message_id", flat=True))

    def write(self, *, also: Callable[[], None] = lambda: None) -> None:
        """Write it with what `also` writes, and begin anew; raises FactConflict, which ends the transaction."""
        with _said_once():
            self._write_changed()
            with db.in_one_go():
                self._write_added()
                db.append(self.evidence)
                db.append(self.changes)
                outbox.write(self.events)
                mark_outdated(list(self.touched.values()))
                writing.index_new_facts(self.new.values())
                also()
        if reworded := [fact for pk, fact in self.reworded.items() if pk not in self.new]:
            writing.index_facts(reworded)
            at_odds.follow(at_odds.marked_by(reworded))
        if self.pairs:
            Contradiction.objects.bulk_create(self.pairs, ignore_conflicts=True)
            at_odds.follow({pair.newer_id for pair in self.pairs})
        for kept in (self.evidence, self.changes, self.events, self.touched, self.new, self.reworded, self.pairs):
            kept.clear()

    def _write_changed(self) -> None:
        """Write the changed ones, before new ones: words that one of them no longer states are free for a new one."""
        alike: dict[tuple[str, ...], list[Fact]] = defaultdict(list)
        for fact, names in self.changed.values():
            alike[tuple(sorted(names))].append(fact)
        for fields, facts in alike.items():
            db.update(facts, *fields, "updated_at")
        self.changed.clear()

    def _write_added(self) -> None:
        db.insert_numbered(self.added)
        self.added.clear()


@contextmanager
def _said_once() -> Iterator[None]:
    """Raise FactConflict where a fact is to be written that another one states already."""
    try:
        yield
    except IntegrityError as error:
        raise FactConflict(SAID_ALREADY) from error


@dataclass(frozen=True, kw_only=True)
class Batch:
    """The changes of one decision: who made them, when, and the mark by which they are undone together.

    `unwritten` collects what is to be written: whoever gives it writes it in the same transaction, which a FactConflict
    ends. Without it everything is written at once.
    """

    actor: str
    now: datetime
    id: uuid.UUID = field(default_factory=uuid.uuid4)
    unwritten: Unwritten | None = None

    def add(self, fact: Fact, evidence: Iterable[Evidence], *, action: Action = Action.ADD) -> Fact:
        """Store a new fact with its evidence; raises FactConflict."""
        unwritten, rows = self.unwritten or Unwritten(ids=None), list(evidence)
        unwritten.add(fact)
        self._attach(fact, rows, unwritten)
        fact.added_with = rows
        unwritten.new[fact.pk] = fact
        self._record(fact, action, before={}, unwritten=unwritten)
        return fact

    def cite(self, fact: Fact, evidence: Iterable[Evidence]) -> int:
        """Attach evidence that the fact does not have yet; return how much was new."""
        unwritten = self.unwritten or Unwritten()
        known = unwritten.cited(fact)
        fresh = [row for row in evidence if row.message_id is None or row.message_id not in known]
        self._attach(fact, fresh, unwritten)
        if not self.unwritten:
            unwritten.write()
        return len(fresh)

    def doubt(self, fact: Fact, others: Iterable[Fact]) -> None:
        """Note that the fact perhaps contradicts these others, which were there before: it is marked as long."""
        unwritten = self.unwritten or Unwritten()
        unwritten.pairs += [
            Contradiction(guild_id=fact.guild_id, newer_id=fact.pk, older_id=other.pk) for other in others
        ]
        if not self.unwritten:
            unwritten.write()

    def catch_up(self) -> None:
        """Write what is collected: facts or their evidence are about to be read."""
        if self.unwritten is not None:
            self.unwritten.write()

    def _attach(self, fact: Fact, evidence: Iterable[Evidence], unwritten: Unwritten) -> None:
        for row in evidence:
            row.fact, row.guild_id, row.batch = fact, fact.guild_id, self.id
            unwritten.evidence.append(row)

    def change(self, fact: Fact, action: Action, **fields: Any) -> Fact:
        """Set the fields and record what they were; raises FactConflict."""
        before = {name: getattr(fact, name) for name in STATE}
        for name, value in fields.items():
            setattr(fact, name, value)
        unwritten = self.unwritten or Unwritten()
        if self.unwritten is not None:
            unwritten.change(fact, fields)
        else:
            _update(fact, *fields)
        if any(before[name] != getattr(fact, name) for name in INDEXED):
            unwritten.reworded[fact.pk] = fact
        self._record(fact, action, before=before, unwritten=unwritten)
        return fact

    def _record(self, fact: Fact, action: Action, *, before: dict[str, Any], unwritten: Unwritten) -> None:
        # To the microsecond: an undo brings back the very moment.
        kept = {name: v.isoformat() if name in TIMES and v else v for name, v in before.items()}
        unwritten.changes.append(
            FactChange(
                guild_id=fact.guild_id, fact_id=fact.pk, action=action, before=kept, batch=self.id, actor=self.actor,
                at=self.now,
            )
        )  # fmt: skip
        if kind := _event(fact, before):
            about = {"guild_id": fact.guild_id, "row": fact.pk, "member_number": fact.subject_id}
            unwritten.events.append(Event(kind=kind, at=self.now, **about))
        unwritten.touched[fact.pk] = fact
        if not self.unwritten:
            unwritten.write()


def _update(fact: Fact, *fields: str) -> None:
    """Write fields of a fact; raises FactConflict, and the open transaction goes on."""
    with _said_once(), db.trying():
        db.update([fact], *fields, "updated_at")


def _event(fact: Fact, before: dict[str, Any]) -> Event.Kind | None:
    """Return what those who listen are told of a change; None where it says nothing else than before."""
    was, status = before.get("status"), fact.status
    if status == Fact.Status.ACTIVE:
        if was != Fact.Status.ACTIVE:
            return Event.Kind.LEARNED
        return Event.Kind.CHANGED if any(before[name] != getattr(fact, name) for name in TOLD) else None
    if was == Fact.Status.ACTIVE:
        return Event.Kind.FORGOTTEN
    return Event.Kind.REVIEW if status == Fact.Status.PENDING and was != status else None


def mark_outdated(facts: Sequence[Fact]) -> None:
    """Have the worker render what shows these facts again: the snapshot and the profiles."""
    for guild in {fact.guild_id for fact in facts}:
        db.write(MARK_SNAPSHOT, [guild])
        if members := {fact.subject_id for fact in facts if fact.subject_id and fact.guild_id == guild}:
            db.write(MARK_PROFILES, [db.id_list(members), guild])


def lock(fact: Fact) -> None:
    """Lock the fact's guild and read the fact anew, as others may have changed it since it was read; raises FactGone.

    Call it in a transaction, before anything is decided on what the fact says or how it stands.
    """
    db.lock_guild(fact.guild_id)
    try:
        fact.refresh_from_db(from_queryset=Fact.objects.select_related("guild", "subject", "channel"))
    except Fact.DoesNotExist:
        raise FactGone from None


def _lost_since(change: FactChange, fact: Fact) -> dict[str, Any]:
    """Return how sure the fact is, and how often it was said again, without its change and what it lost since."""
    history = list(fact.changes.filter(pk__gt=change.pk).order_by("pk"))
    states = pairwise([*(each.before for each in history), vars(fact)])
    losses = [pair for each, pair in zip(history, states, strict=True) if each.lost_source]
    if not losses:
        return {}
    sure, again = (
        change.before[name] - sum(before[name] - after[name] for before, after in losses)
        for name in ("confidence", "reinforcements")
    )
    return {"confidence": confidence.clamp(round(sure, 3)), "reinforcements": max(0, again)}


def undo(fact: Fact, *, actor: str, now: datetime, made: datetime | None = None) -> Fact:
    """Take back the fact's newest change with all others of the same decision, and before them what came after.

    What was done since to a fact of that decision stands on it, and goes first. With `made` it is only taken back if it
    was made in that moment. Raises NothingToUndo, FactConflict.
    """
    newest = fact.changes.standing().first()
    if newest is None:
        raise NothingToUndo("This memory has no change that could be undone.")
    if made and newest.at != made:
        raise FactConflict(CHANGED_SINCE)
    with transaction.atomic():
        db.lock_guild(fact.guild_id)
        back = Batch(actor=actor, now=now)
        # The rows of its decision, and of all later ones about the same facts.
        standing = FactChange.objects.standing()
        batches = {newest.batch}
        while True:
            rows = list(standing.filter(batch__in=batches).order_by("-pk"))
            first = {row.fact_id: row.pk for row in rows}
            later = standing.filter(fact__in=first).exclude(batch__in=batches)
            added = {row.batch for row in later if row.pk > first[row.fact_id]}
            if not added:
                break
            batches |= added
        facts = Fact.objects.in_bulk({row.fact_id for row in rows})
        heirs = Fact.objects.in_bulk({row.before.get("replaced_by_id") for row in rows} - {None}).keys() | {None}
        lost = {row.pk: _lost_since(row, facts[row.fact_id]) for row in rows if row.before}
        for row in rows:
            # What was added is archived, since only erasure deletes.
            former = {name: parse_datetime(v) if name in TIMES and v else v for name, v in row.before.items()}
            if former.get("replaced_by_id") not in heirs:
                former["replaced_by_id"] = None  # what stood for it was erased since, or lost its source
            if former.get("text") == ERASED:
                del former["text"], former["normalized"]
            former |= lost.get(row.pk, {})
            back.change(facts[row.fact_id], Action.UNDO, **(former or {"status": Fact.Status.ARCHIVED}))
            if row.before:
                Evidence.objects.filter(batch=row.batch, fact=row.fact_id).delete()
        FactChange.objects.filter(batch__in=[back.id, *(row.batch for row in rows)]).update(undone=True)
        at_odds.reopen(list(facts.values()), settled_by=batches)
    fact.refresh_from_db()
    return fact
