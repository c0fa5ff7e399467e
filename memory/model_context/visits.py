"""Who asks through the model's door, in which guild, and whom they mean: members and channels by id or by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from django.db.models import Q, QuerySet

from memoryhub.common.api_scope import Call
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import bears
from memoryhub.errors import NotFound, Refused

Named = TypeVar("Named", Member, Channel)
T = TypeVar("T")
NAMED = 5  # ids told of those who bear one name
WHERE_IDS_ARE = "search_memory and list_memories answer with the ids and names that are known."


class NotDone(Exception):
    """What was asked can't be done; the words tell a model why, and what to do."""


class WriteDown(Protocol):
    """How the audit log is told: the tool's name, whether it changes something, which kind of row it names, its id."""

    def __call__(self, what: str, *, changes: bool, kind: str = "", row: str = "") -> None:
        """Note it; whether it is written down is decided by what comes of it."""


@dataclass(frozen=True, kw_only=True)
class Visit:
    """A key's call in one guild; `writes` says whether it may change anything.

    `write_down` hands the audit log what is about to be done.
    """

    request: Call
    guild: Guild
    writes: bool
    write_down: WriteDown

    def member(self, given: str) -> Member:
        """Return the member of this id or, where only one bears it, this name; raises NotFound, Refused."""
        return _meant(Member.objects.of(self.guild), given, bears(given), "member")

    def channel(self, given: str) -> Channel:
        """Return the channel of this id or, where only one bears it, this name; raises NotFound, Refused."""
        rows = Channel.objects.of(self.guild).select_related("parent")
        return _meant(rows, given, Q(name__iexact=given.removeprefix("#")), "channel")


def _meant(rows: QuerySet[Named], given: str, called: Q, what: str) -> Named:
    found = list(rows.filter(platform_id=given)) or list(rows.filter(called).order_by("pk")[: NAMED + 1])
    if not found:
        raise NotFound(f"There is no such {what} in this guild. {WHERE_IDS_ARE}")
    if len(found) > 1:
        ids = ", ".join(row.platform_id for row in found[:NAMED])
        raise Refused(f"Several {what}s bear this name. Say which by its id: {ids}.")
    return found[0]


class Door(Protocol):
    """How the way in does a piece of work: with access checked, counted and written down, off the event loop."""

    async def __call__(self, work: Callable[[Visit], T]) -> T:
        """Return what the work returns; raises NotDone."""
