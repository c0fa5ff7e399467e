"""Who catches up, and which rows they may be shown: what is open to the whole guild, and some channels besides."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import F, Q

from memoryhub.community.labels import plain_name
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import own_and_parent


@dataclass(frozen=True, kw_only=True)
class Reader:
    """Somebody who was away; `channels` are those they can read beside the open ones, by row id.

    `member` is None for who said nothing yet; `account` and `name` say who that is ("": nobody, whom nothing concerns).
    `only` leaves one channel and its threads.
    """

    guild: Guild
    member: Member | None = None
    account: str = ""
    name: str = ""
    channels: Collection[int] = frozenset()
    only: Channel | None = None

    @classmethod
    def of_channel(cls, guild: Guild, member: Member | None, channel: Channel | None) -> Reader:
        """Return who is told in a channel: what everybody there could read, and only what was said there."""
        return cls(guild=guild, member=member, channels=frozenset(own_and_parent(channel)), only=channel)

    @property
    def account_id(self) -> str:
        """Return the platform's id of who was away."""
        return self.member.platform_id if self.member else self.account

    @property
    def called(self) -> str:
        """Return the name that others call them by."""
        return plain_name(str(self.member)) if self.member else self.name

    def carried(self) -> Q:
        """Return the condition on rows that carry the audience of their source."""
        return Q(audience=None) | Q(audience__in=self.channels)

    def said(self, at: str) -> Q:
        """Return the condition on rows that have the audience of their channel; `at` names when they were said."""
        always = Q(channel__open_since=None) | Q(**{f"{at}__gte": F("channel__open_since")})
        return Q(always, channel__audience=Channel.Audience.GUILD) | Q(channel__in=self.channels)

    def here(self) -> Q:
        """Return the condition that a row is of the one channel, or a thread of it."""
        return Q(channel=self.only) | Q(channel__parent=self.only) if self.only else Q()
