"""Chainable filters that keep every query inside one guild."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self, TypeVar

from django.db import models

if TYPE_CHECKING:
    from profiles.models import Channel, Guild

Row = TypeVar("Row", bound=models.Model)


class GuildScoped(models.QuerySet[Row]):
    """A queryset of rows that belong to one guild each."""

    def of(self, guild: Guild) -> Self:
        """Return the guild's rows only."""
        return self.filter(guild=guild)


class AudienceScoped(GuildScoped[Row]):
    """Rows that carry the audience of their source: null is the whole guild, else the readers of one channel."""

    def heard_in(self, channel: Channel | None) -> Self:
        """Return the rows that every reader of the channel could have read; without a channel, the guild-wide ones.

        The rule of promise 3: the source is open to the whole guild, is this channel, or is this channel's parent.
        """
        open_to_all = models.Q(audience__isnull=True)
        if channel is None:
            return self.filter(open_to_all)
        return self.filter(open_to_all | models.Q(audience__in=[pk for pk in (channel.pk, channel.parent_id) if pk]))
