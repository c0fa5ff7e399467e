"""Chainable filters that keep every query inside one guild."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Self, TypeVar

from django.db import models

from memoryhub import db
from memoryhub.db.guild_conditions import InGuild

if TYPE_CHECKING:
    from memoryhub.community.models import Channel, Guild

Row = TypeVar("Row", bound=models.Model)
A_DAY = models.Value(timedelta(days=1), output_field=models.DurationField())


class GuildScoped(models.QuerySet[Row]):
    """A queryset of rows that belong to one guild each."""

    def of(self, guild: Guild) -> Self:
        """Return the guild's rows only."""
        return self.filter(guild=guild)


class AudienceScoped(GuildScoped[Row]):
    """Rows that carry the audience of their source: null is the whole guild, else the readers of one channel."""

    def heard_in(self, channel: Channel | None) -> Self:
        """Return the rows that every reader of the channel could have read; without a channel, the guild-wide ones.

        The source is open to the whole guild, is this channel, or is this channel's parent.
        """
        open_to_all = models.Q(audience__isnull=True)
        if channel is None:
            return self.filter(open_to_all)
        return self.filter(open_to_all | models.Q(audience__in=own_and_parent(channel)))


class ChannelScoped(GuildScoped[Row]):
    """Rows whose audience is their channel's: as narrow as it ever was since they were said."""

    def heard_in(self, channel: Channel | None) -> Self:
        """Return the rows that every reader of the channel could have read; without a channel, the guild-wide ones."""
        always = models.Q(channel__open_since=None) | self.since_opened()
        open_to_all = models.Q(always, channel__audience="guild")
        if channel is None:
            return self.filter(open_to_all)
        return self.filter(open_to_all | models.Q(channel__in=own_and_parent(channel)))

    def since_opened(self) -> models.Q:
        """Return the condition that a row is of the time since its channel was opened."""
        return models.Q(sent_at__gte=models.F("channel__open_since"))


def own_and_parent(channel: Channel | None) -> list[int]:
    """Return the row ids of the channel and its parent: what is kept among the readers of these may be told in it."""
    return [pk for pk in (channel.pk, channel.parent_id) if pk] if channel else []


def same_guild() -> InGuild:
    """Return the condition that a row of a subquery is of the same guild as the row that it is asked for."""
    return InGuild(models.F("guild"), models.OuterRef("guild"))


def remembered(guild: Guild, who: str = "") -> models.Q:
    """Return the condition that a member may be remembered, as `consent.remembers` tells of one.

    `who` leads to the member: "" for members themselves, "author__" for messages.
    """
    field = f"{who}remember"
    agreed = models.Q(**{field: True}) if guild.consent_mode == "opt_in" else ~models.Q(**{field: False})
    return agreed & ~models.Q(**{f"{who}platform_id__in": guild.blocked}) if guild.blocked else agreed


def remembered_in_sql(guild: Guild, values: dict[str, Any]) -> str:
    """Return the same for a statement that is written out, where the member is `who`; `values` get what it needs."""
    agreed = "who.remember IS TRUE" if guild.consent_mode == "opt_in" else "who.remember IS NOT FALSE"
    if not guild.blocked:
        return agreed
    values["blocked"] = db.text_list(guild.blocked)
    return f"{agreed} AND NOT ({db.among('who.platform_id', '%(blocked)s', kind='text')})"


def heard(guild: Guild, who: str) -> models.Q:
    """Return the condition that words may be used: those of nobody, of a bot, of a member who may be remembered.

    `who` leads to the member: "author" for messages, "speaker" for evidence.
    """
    spoken = models.Q(**{f"{who}__is_bot": True}) & ~models.Q(**{f"{who}__remember": False})
    return models.Q(**{who: None}) | spoken | remembered(guild, f"{who}__")


def heard_in_sql(guild: Guild, values: dict[str, Any]) -> str:
    """Return the same for a statement that is written out, as `remembered_in_sql` does."""
    spoken = "who.is_bot AND who.remember IS NOT FALSE"
    return f"(who.id IS NULL OR ({spoken}) OR ({remembered_in_sql(guild, values)}))"


def bears(name: str) -> models.Q:
    """Return the condition that a member bears this name, as their label, the name that is shown or their handle."""
    return models.Q(label__iexact=name) | models.Q(display_name__iexact=name) | models.Q(name__iexact=name)


def name_holds(text: str) -> models.Q:
    """Return the condition that one of a member's names holds the text."""
    return models.Q(label__icontains=text) | models.Q(display_name__icontains=text) | models.Q(name__icontains=text)
