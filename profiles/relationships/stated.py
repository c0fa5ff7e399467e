"""What members told of each other in so many words ("Bob is my brother"); who keeps such facts registers as reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memoryhub.community.models import Channel, Guild, Member
from memoryhub.db.guild_scope import in_its_guild


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedTie:
    """A fact about one member that names another; `word` ("brother") may be empty, `said_by` too."""

    subject: Member
    other: Member
    word: str
    text: str
    fact: int  # its row id
    said_by: Member | None = None
    said_at: datetime
    audience: Channel | None = None

    @property
    def pair(self) -> frozenset[int]:
        """Return the row ids of the two."""
        return frozenset((self.subject.pk, self.other.pk))

    def seen_from(self, member: Member) -> Member:
        """Return the other one."""
        return self.other if member.pk == self.subject.pk else self.subject


Reader = Callable[[Guild, datetime | None, Sequence[Member] | None], Sequence[StatedTie]]
_readers: list[Reader] = []


def register(reader: Reader) -> None:
    """Ask this one, too: it returns the guild's stated ties, the newest first."""
    if reader not in _readers:
        _readers.append(reader)


@in_its_guild
def stated_ties(
    guild: Guild, *, as_of: datetime | None = None, touching: Sequence[Member] | None = None
) -> list[StatedTie]:
    """Return what is believed now, or was at a moment; `touching` narrows to ties in which all of these members are."""
    return [tie for reader in _readers for tie in reader(guild, as_of, touching)]
