"""Work that rows wait for: one worker claims a row, renews its claim, and ends it by success, by failure or not at all.

A table whose rows wait for work takes its columns from `Lease` and its numbers from a `Policy`. A claim is one short
transaction, which skips what another worker is just claiming. It counts the attempt before the work begins, so that a
row that kills its worker each time is parked in the end. What a worker writes at the end of its work it writes only
while it holds the claim.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, ClassVar, TypeVar

from django.db import connection, models, transaction
from django.db.models import F, Q, QuerySet, Value

from memoryhub.db.guild_conditions import InGuild
from memoryhub.db.guild_scope import COLUMN, inside, is_of_a_guild
from memoryhub.db.transactions import lock_guild, retrying

MOST_DOUBLINGS = 6  # of the pause: 64 times the first one
LOOKED_AT = 20  # rows; other workers may take the first ones meanwhile
FREE: dict[str, Any] = {"claimed_until": None, "claimed_by": ""}
"""The columns of a row that nobody works on."""
FRESH: dict[str, Any] = {"attempts": 0, "next_attempt_at": None, "parked_at": None}
"""The columns of a row that waits as if it had never been tried."""


@dataclass(frozen=True, kw_only=True)
class Policy:
    """How long a claim lasts without being renewed, how long a failed row waits, and when it is parked.

    `pause` follows the first failure and doubles with each further one. After `most_attempts` failures the row is
    parked, unless it `parks` never: then it goes on waiting. `claimed`, `failed`, `parked` and `unparked` are columns
    of the table's own, such as a status, that change along. `job` is what those who listen are told was given up, with
    columns of the row: "digest:{0.step}".
    """

    length: timedelta
    pause: timedelta
    most_attempts: int = 5
    parks: bool = True
    job: str = ""
    claimed: dict[str, Any] = field(default_factory=dict)
    failed: dict[str, Any] = field(default_factory=dict)
    parked: dict[str, Any] = field(default_factory=dict)
    unparked: dict[str, Any] = field(default_factory=dict)


class Lease(models.Model):
    """The columns of a row that waits for work."""

    claimed_until = models.DateTimeField(
        null=True, blank=True, help_text="A worker holds it until then; after that another may take over."
    )
    claimed_by = models.CharField(max_length=120, blank=True, help_text="The machine and process that works on it.")
    attempts = models.PositiveSmallIntegerField(default=0, help_text="Tries since the last success.")
    next_attempt_at = models.DateTimeField(null=True, blank=True)
    last_error = models.CharField(max_length=300, blank=True)
    parked_at = models.DateTimeField(
        null=True, blank=True, help_text="When it was given up after too many failures; a person can have it retried."
    )

    policy: ClassVar[Policy]

    class Meta:
        abstract = True

    @classmethod
    def on_parked(cls, rows: Sequence[Any], *, now: datetime) -> None:
        """Tell of rows, worked on together, that were just given up; in the transaction that parks them.

        It holds the lock of their guild, if the table is one of guilds. Does nothing where a table has nothing to tell.
        """


Row = TypeVar("Row", bound=Lease)
Rows = TypeVar("Rows", bound=QuerySet[Any])
Clock = Callable[[], datetime]


def ticking(now: datetime) -> Clock:
    """Return a clock for long work, which starts at `now`; changes to the system's clock do not touch it."""
    started = time.monotonic()
    return lambda: now + timedelta(seconds=time.monotonic() - started)


# --- Who works on what -------------------------------------------------------------------------------------------


def process_id() -> str:
    """Return this machine and process, as it stands in a claim."""
    return f"{socket.gethostname()}:{os.getpid()}"


def is_dead(holder: str) -> bool:
    """Tell whether the holder of a claim was a process of this machine that has ended; other machines are unknown.

    A new process may have been given the number of a dead one: then the claim ends with its time.
    """
    host, _, pid = holder.rpartition(":")
    if host != socket.gethostname() or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except OSError:
        pass
    return False


def is_free(row: Lease, *, now: datetime) -> bool:
    """Tell whether nobody works on the row."""
    return row.claimed_until is None or row.claimed_until <= now or is_dead(row.claimed_by)


def is_ready(row: Lease, *, now: datetime) -> bool:
    """Tell whether a worker may claim the row by itself: it is free, not parked, and its pause is over."""
    waits = row.next_attempt_at is not None and row.next_attempt_at > now
    return is_free(row, now=now) and row.parked_at is None and not waits


def ready(rows: Rows, *, now: datetime) -> Rows:
    """Return the rows that nobody holds, that are not parked, and whose pause is over."""
    rested = Q(next_attempt_at=None) | Q(next_attempt_at__lte=now)
    return _unclaimed(rows, now).filter(rested, parked_at=None)


def _unclaimed(rows: Rows, now: datetime) -> Rows:
    return rows.filter(Q(claimed_until=None) | Q(claimed_until__lte=now))


# --- A claim begins ----------------------------------------------------------------------------------------------


def claim(
    rows: QuerySet[Row], *, now: datetime, by_hand: bool = False, joined: Sequence[str] = (),
    recovered: bool = False, **fields: Any,
) -> Row | None:  # fmt: skip
    """Claim the first of these rows that is ready and return it, read anew; None if there is none.

    `by_hand` also takes what is parked or waits for its next try. `joined` names foreign keys whose rows come with it.
    `recovered` says that rows of dead workers were looked for a moment ago. `fields` are written along.
    """
    if not recovered:
        recover(rows, now=now)
    candidates = _unclaimed(rows, now) if by_hand else ready(rows, now=now)
    policy = rows.model.policy
    mine = {"claimed_until": now + policy.length, "claimed_by": process_id(), "attempts": F("attempts") + 1}
    fields = {**mine, "parked_at": None, **policy.unparked, **policy.claimed, **fields}
    for pk, guild in candidates.values_list("pk", _guild_of(rows))[:LOOKED_AT]:
        with inside(guild):
            if _take(candidates, [pk], fields):
                return rows.model._default_manager.select_related(*joined).get(pk=pk)
    return None


@retrying
def _take(candidates: QuerySet[Row], pks: Sequence[int], fields: dict[str, Any]) -> Sequence[int]:
    """Write the fields into those of these candidates that nobody else is writing into; return which.

    Where several write at once they are locked before they are looked at: an update that reads other tables beside its
    own would go by what these rows were before another worker's update.
    """
    rows, every = candidates.filter(pk__in=pks).select_related(None).order_by(), candidates.model._default_manager
    if not connection.features.has_select_for_update:
        if (taken := rows.update(**fields)) in (0, len(pks)):
            return pks[:taken]
        mine = {name: fields[name] for name in ("claimed_until", "claimed_by")}
        return list(every.filter(pk__in=pks, **mine).values_list("pk", flat=True))
    with transaction.atomic():
        locked = [row.pk for row in rows.only("pk").select_for_update(skip_locked=True, of=("self",))]
        every.filter(pk__in=locked).update(**fields)
    return locked


def claim_all(found: Sequence[Row], rows: QuerySet[Row], *, now: datetime) -> list[Row]:
    """Claim together those of the rows found, all tried as often before, that are still in `rows`, and free.

    Returns the claimed ones.
    """
    if not found:
        return []
    same = _unclaimed(rows, now).filter(attempts=found[0].attempts)
    mine = {"claimed_until": now + rows.model.policy.length, "claimed_by": process_id()}
    with inside(found[0]):
        pks = set(_take(same, [row.pk for row in found], {**mine, "attempts": F("attempts") + 1}))
    claimed = [row for row in found if row.pk in pks]
    _set(claimed, mine | {"attempts": found[0].attempts + 1})
    return claimed


def recover(rows: QuerySet[Row], *, now: datetime) -> None:
    """Free those of the rows whose worker is dead or whose claim ran out; fail what ended its worker too often."""
    most = rows.model.policy.most_attempts
    columns = ("claimed_by", "claimed_until", _guild_of(rows))
    claims = rows.exclude(claimed_until=None).order_by().values_list(*columns).distinct()
    for holder, until, guild in list(claims):
        if until <= now or is_dead(holder):
            with inside(guild):
                lost = rows.order_by().filter(claimed_by=holder, claimed_until=until)
                error = f"The worker ended {most} times while it worked on this."
                for _, rows_together in groupby(lost.filter(attempts__gte=most).order_by("attempts", "pk"), _tries):
                    fail(*rows_together, error=error, now=now)
                lost.update(**FREE)


def _tries(row: Lease) -> int:
    return row.attempts


def _guild_of(rows: QuerySet[Any]) -> str | Value:
    """Return what leads to the guild of a row; no guild for a table of the hub."""
    return "guild_id" if is_of_a_guild(rows.model) else Value(None, output_field=models.BigIntegerField())


# --- A claim goes on ---------------------------------------------------------------------------------------------


def held(*rows: Row) -> QuerySet[Row]:
    """Return those of the rows, claimed together, on which the claim still holds."""
    first = rows[0]
    theirs = type(first)._default_manager.filter(
        pk__in=[row.pk for row in rows], claimed_by=first.claimed_by, claimed_until=first.claimed_until
    )
    # What was claimed together is of one guild.
    of_guild = is_of_a_guild(type(first))
    return theirs.filter(InGuild(F("guild"), getattr(first, COLUMN))) if of_guild else theirs


def renew(rows: Sequence[Lease], *, now: datetime) -> None:
    """Renew the claim on rows that were claimed together, as far as it holds."""
    if rows:
        fields = {"claimed_until": now + rows[0].policy.length}
        held(*rows).update(**fields)
        _set(rows, fields)


def hold(row: Lease, *, now: datetime, **fields: Any) -> bool:
    """Renew the claim and write the fields along.

    False, with nothing written, if another worker took the row over, or somebody reset its attempts meanwhile.
    """
    fields["claimed_until"] = now + row.policy.length
    if not held(row).filter(attempts=row.attempts).update(**fields):
        return False
    _set([row], fields)
    return True


def checkpoint(row: Lease, *, now: datetime, **fields: Any) -> bool:
    """Record that a piece of the work is done, as `hold` does: failures are counted from here on."""
    return hold(row, now=now, attempts=1, **fields)


# --- A claim ends ------------------------------------------------------------------------------------------------


def finish(row: Lease, **fields: Any) -> bool:
    """End the work with success; False, with nothing but the claim given up, if it was reset or taken over."""
    return _end([row], **FRESH, last_error="", **fields) == 1


def fail(*rows: Lease, error: str, now: datetime, wait: timedelta = timedelta(), **fields: Any) -> int:
    """End the work on rows that were claimed together with a failure; return how many are parked by it.

    They are tried again later, not before `wait` where a provider asks for one, or parked after too many attempts.
    """
    policy, attempts = rows[0].policy, rows[0].attempts
    parked = policy.parks and attempts >= policy.most_attempts
    pause = max(wait, policy.pause * 2 ** min(max(attempts - 1, 0), MOST_DOUBLINGS))
    status = policy.parked if parked else policy.failed
    failure = {"next_attempt_at": now + pause, "last_error": error[:300], "parked_at": now if parked else None}
    if parked:
        return _park(rows, now=now, **failure, **status, **fields)
    _end(rows, **failure, **status, **fields)
    return 0


@transaction.atomic
def _park(rows: Sequence[Lease], *, now: datetime, **fields: Any) -> int:
    """Give the rows up and have that told; what was reset meanwhile is only freed. Returns how many were parked."""
    if is_of_a_guild(type(rows[0])):
        lock_guild(getattr(rows[0], COLUMN))
    parked = list(held(*rows).filter(attempts=rows[0].attempts).order_by("pk"))
    _end(rows, **fields)
    if parked:
        type(rows[0]).on_parked(parked, now=now)
    return len(parked)


def release(row: Lease, **fields: Any) -> None:
    """Give back a row in the middle of the work, as if nobody had begun: another worker goes on with it."""
    _end([row], attempts=row.attempts - 1, **fields)


def unpark(rows: QuerySet[Row], **fields: Any) -> int:
    """Have parked rows tried again, with no attempt counted; return how many."""
    return rows.update(**FRESH, **rows.model.policy.unparked, **fields)


def _end(rows: Sequence[Lease], **fields: Any) -> int:
    """Write the end of the work and free the rows; what was reset meanwhile is only freed. Returns how many ended."""
    fields |= FREE
    ended = held(*rows).filter(attempts=rows[0].attempts).update(**fields)
    if ended < len(rows):
        held(*rows).update(**FREE)
    _set(rows, {name: value for name, value in fields.items() if name not in FREE})
    return ended


def _set(rows: Sequence[Lease], fields: dict[str, Any]) -> None:
    for row in rows:
        for name, value in fields.items():
            setattr(row, name, value)
