"""From where somebody looks at a guild's memory: the one place that turns guild, channel and members into a scope."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import own_and_parent
from memoryhub.search.scope import WHOLE_GUILD, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """From where one looks at a guild's memory: in a channel (None: only what is open to all), at a moment.

    `only` leaves no other rows than these.
    """

    guild: Guild
    channel: Channel | None = None
    members: Sequence[Member] | None = None
    as_of: datetime | None = None
    only: Collection[int] | None = None

    @property
    def audiences(self) -> list[int]:
        """Return the audiences whose memories may be told here: the rule of `heard_in`, in scope numbers."""
        return [WHOLE_GUILD, *own_and_parent(self.channel)]

    def scope(self, *, by_member: bool) -> Scope:
        """Return the scope of an index search; `by_member` where the index knows whom its rows are about."""
        subjects = None if self.members is None or not by_member else [member.pk for member in self.members]
        return Scope(guild=self.guild.pk, audiences=self.audiences, subjects=subjects)
