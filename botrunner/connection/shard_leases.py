"""Who runs which shard: each is one process's, by a lease, and another's once that process ends or gives it back."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import ceil

from django.db import transaction
from django.db.models import Q

from botrunner.bot import Shards
from botrunner.models import BotProcess, Shard
from memoryhub.db import leases

IDENTIFY_EVERY = timedelta(seconds=5)
"""Discord takes one sign-in of a bot in 5 seconds, or as many as it says of which no two have the same remainder."""


class OtherShards(Exception):
    """Other processes run with another number of shards; they have to end first."""

    def __init__(self, of: int) -> None:
        super().__init__(f"the bot runs with {of} shards elsewhere; stop those processes first")


@dataclass(frozen=True)
class Change:
    """What a turn changes: shards to run from now on, and those to end: lost to another, or given to another."""

    gained: list[Shard] = field(default_factory=list)
    lost: list[int] = field(default_factory=list)
    surplus: list[int] = field(default_factory=list)


def count_in_use(*, now: datetime) -> int:
    """Return how many shards the bot has where some are run now, 0 where none is."""
    leases.recover(Shard.objects.all(), now=now)
    return Shard.objects.exclude(claimed_until=None).values_list("of", flat=True).first() or 0


@transaction.atomic
def prepare(shards: Shards, *, now: datetime) -> None:
    """Have a row for each shard; raises OtherShards where others run with another number."""
    other = count_in_use(now=now)
    if other not in (0, shards.shard_count):
        raise OtherShards(other)
    Shard.objects.exclude(of=shards.shard_count).delete()
    rows = [Shard(number=number, of=shards.shard_count) for number in range(shards.shard_count)]
    Shard.objects.bulk_create(rows, ignore_conflicts=True)


def take_turn(held: Collection[Shard], shards: Shards, *, now: datetime) -> Change:
    """Renew what this process holds, and take or give shards until each live process has its share.

    A process that was told its shards takes all of those and gives none.
    """
    BotProcess.objects.update_or_create(name=leases.process_id(), defaults={"seen_at": now})
    BotProcess.objects.filter(seen_at__lte=now - Shard.policy.length).delete()
    lost = [row.number for row in held if not leases.checkpoint(row, now=now)]
    kept = sorted(row.number for row in held if row.number not in lost)
    everything = len(shards.shard_ids) == shards.shard_count
    share = ceil(shards.shard_count / BotProcess.objects.count()) if everything else len(shards.shard_ids)
    rows = Shard.objects.filter(of=shards.shard_count, number__in=set(shards.shard_ids) - set(kept))
    gained: list[Shard] = []
    while len(kept) + len(gained) < share and (row := leases.claim(rows.order_by("number"), now=now)):
        gained.append(row)
    return Change(gained, lost, kept[share:])


def give_back(row: Shard) -> None:
    """Let another process run the shard."""
    leases.release(row)


def sign_off() -> None:
    """Tell the others that this process takes no shards any more."""
    BotProcess.objects.filter(name=leases.process_id()).delete()


def may_identify(number: int, of: int, *, at_once: int, now: datetime) -> bool:
    """Say whether the shard may sign in to Discord now; over all hosts one of each remainder does in 5 seconds."""
    rows = Shard.objects.filter(number=number % min(at_once, of), of=of)
    rested = Q(identified_at=None) | Q(identified_at__lte=now - IDENTIFY_EVERY)
    return bool(rows.filter(rested).update(identified_at=now))
