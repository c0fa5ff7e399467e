"""Chainable filters that keep every query inside one guild."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Self, TypeVar

from django.db import models

if TYPE_CHECKING:
    from profiles.models import Channel, Guild, Profile, RelationshipDay  # noqa: F401  the last in a base class, as text

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

        The rule of promise 3: the source is open to the whole guild, is this channel, or is this channel's parent.
        """
        open_to_all = models.Q(audience__isnull=True)
        if channel is None:
            return self.filter(open_to_all)
        return self.filter(open_to_all | models.Q(audience__in=[pk for pk in (channel.pk, channel.parent_id) if pk]))


class ChannelScoped(GuildScoped[Row]):
    """Rows whose audience is their channel's: as narrow as it ever was since they were said."""

    def heard_in(self, channel: Channel | None) -> Self:
        """Return the rows that every reader of the channel could have read; without a channel, the guild-wide ones."""
        always = models.Q(channel__open_since=None) | self.since_opened()
        open_to_all = models.Q(always, channel__audience="guild")
        if channel is None:
            return self.filter(open_to_all)
        return self.filter(open_to_all | models.Q(channel__in=[pk for pk in (channel.pk, channel.parent_id) if pk]))

    def since_opened(self) -> models.Q:
        """Return the condition that a row is of the time since its channel was opened."""
        return models.Q(sent_at__gte=models.F("channel__open_since"))


class RelationshipDayQuerySet(ChannelScoped["RelationshipDay"]):
    """Counted days of one guild, within an audience."""

    # Channels stand in subqueries, so that the rows of a few members are found by the members and not by the channels.

    def of(self, guild: Guild) -> Self:
        """Return the days that were counted in the guild's channels."""
        return self.filter(channel__in=guild.channels.values("pk"))

    def told_in(self, guild: Guild, channel: Channel | None) -> Self:
        """Return the guild's days that may be told in the channel: `of` and `heard_in` at once."""
        own = [pk for pk in (channel.pk, channel.parent_id) if pk] if channel else []
        always = guild.channels.filter(models.Q(audience="guild", open_since=None) | models.Q(pk__in=own))
        reopened = guild.channels.filter(
            pk=models.OuterRef("channel"), audience="guild", open_since__lt=models.OuterRef("day") - A_DAY
        )
        return self.filter(models.Q(channel__in=always.values("pk")) | models.Exists(reopened))

    def since_opened(self) -> models.Q:
        """Return the condition that the whole day, wherever midnight is, came after the channel was opened."""
        return models.Q(channel__open_since__lt=models.F("day") - A_DAY)


def remembered(guild: Guild, who: str = "") -> models.Q:
    """Return the condition that a member may be remembered, as `consent.remembers` tells of one.

    `who` leads to the member: "" for members themselves, "author__" for messages.
    """
    field = f"{who}remember"
    said = models.Q(**{field: True}) if guild.consent_mode == "opt_in" else ~models.Q(**{field: False})
    return said & ~models.Q(**{f"{who}platform_id__in": guild.blocked}) if guild.blocked else said


def heard(guild: Guild, who: str) -> models.Q:
    """Return the condition that words may be used: those of nobody, of a bot, of a member who may be remembered.

    `who` leads to the member: "author" for messages, "speaker" for evidence.
    """
    spoken = models.Q(**{f"{who}__is_bot": True}) & ~models.Q(**{f"{who}__remember": False})
    return models.Q(**{who: None}) | spoken | remembered(guild, f"{who}__")


class ProfileQuerySet(models.QuerySet["Profile"]):
    """Profiles, and the marks that what they rest on has changed."""

    def outdate(self) -> int:
        """Have the lines that lost their ground taken out; an answer still being thought is not written then."""
        return self.update(outdated=True, revision=models.F("revision") + 1)

    def mark_dirty(self) -> int:
        """Have them rebuilt by the careful tier, however often that failed before."""
        return self.update(dirty=True, attempts=0, next_attempt_at=None, revision=models.F("revision") + 1)
