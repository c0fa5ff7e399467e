"""What waits for a person: memories to approve, work that failed for good, memories that contradict each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory.curation import parked
from memory.models import Fact
from memoryhub.community.models import Guild


@dataclass(frozen=True, kw_only=True)
class Needs:
    """How much of each waits."""

    waiting: int
    failed: int
    conflicts: int = 0

    def __bool__(self) -> bool:
        return bool(self.waiting or self.failed or self.conflicts)


def needs(guilds: Sequence[Guild], *, conflicts: bool = False) -> Needs:
    """Count what waits in these guilds; the conflicts only where they are asked for, since no index leads to them."""
    facts = Fact.objects.filter(guild__in=guilds)
    apart = facts.filter(status=Fact.Status.ACTIVE, possible_conflict=True)
    return Needs(
        waiting=facts.filter(status=Fact.Status.PENDING).count(),
        failed=parked.MESSAGES.filter(guild__in=guilds).count() + parked.BUFFERS.filter(guild__in=guilds).count(),
        conflicts=apart.count() if conflicts else 0,
    )
