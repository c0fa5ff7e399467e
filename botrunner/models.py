"""Tables of the bot: what it has still to read, and which process runs which of its shards."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar

from django.db import models
from django.utils import timezone

from memoryhub.community.models import PLATFORM_ID, Guild
from memoryhub.db.leases import Lease, Policy


class Gap(models.Model):
    """After which message a channel is to be read when the bot is back; it outlives the process until that is done."""

    guild = models.ForeignKey(Guild, models.CASCADE, related_name="+")
    channel_id = models.CharField(
        max_length=PLATFORM_ID, blank=True, help_text="Discord's id; empty: the channels in which nothing is stored."
    )
    after = models.BigIntegerField(help_text="Discord's id of the last message that was heard.")

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["guild", "channel_id"], name="one_gap_per_channel"),
        ]

    def __str__(self) -> str:
        return f"gap after {self.after}"


class SeenChannels(models.Model):
    """Which channels a guild had when the bot saw it last: what became of them unseen shows when it is back."""

    guild = models.OneToOneField(Guild, models.CASCADE, related_name="+")
    categories: models.JSONField[dict[str, str]] = models.JSONField(
        default=dict, help_text="Discord's id of each channel's category, by the channel's own; empty: in none."
    )

    class Meta:
        verbose_name_plural = "seen channels"

    def __str__(self) -> str:
        return f"{len(self.categories)} channels"


class Heard(models.Model):
    """Up to which message a shard has heard everything, whether it was kept or not: it is not to be read as missed."""

    shard = models.PositiveIntegerField()
    of = models.PositiveIntegerField(help_text="How many shards there were.")
    until = models.BigIntegerField(help_text="Discord's id of that message, less a minute.")

    class Meta:
        verbose_name_plural = "heard"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["shard", "of"], name="one_mark_per_shard"),
        ]

    def __str__(self) -> str:
        return f"shard {self.shard} of {self.of} heard all until {self.until}"


class Shard(Lease):
    """A share of the bot's servers, as Discord splits them; the work it waits for is to be run, by one process."""

    policy = Policy(length=timedelta(seconds=30), pause=timedelta(seconds=5), parks=False)

    number = models.PositiveIntegerField()
    of = models.PositiveIntegerField(help_text="How many shards there are.")
    identified_at = models.DateTimeField(
        null=True, blank=True, help_text="When a shard of this remainder signed in to Discord last."
    )

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["number", "of"], name="one_lease_per_shard"),
        ]

    def __str__(self) -> str:
        return f"shard {self.number} of {self.of}"


class BotProcess(models.Model):
    """A process that runs shards, or would: the shards are shared out among those that were seen lately."""

    name = models.CharField(max_length=120, unique=True, help_text="The machine and process.")
    seen_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "bot processes"

    def __str__(self) -> str:
        return self.name


class Backfill(models.Model):
    """How far a channel's older history has been read; it outlives the process, and goes on where it was."""

    class Status(models.TextChoices):
        READING = "reading", "Being read"
        DONE = "done", "Read to its end"
        REFUSED = "refused", "Given up: the bot may not read it"
        CANCELLED = "cancelled", "Cancelled"

    guild = models.ForeignKey(Guild, models.CASCADE, related_name="+")
    channel_id = models.CharField(max_length=PLATFORM_ID, help_text="Discord's id.")
    under = models.CharField(max_length=PLATFORM_ID, blank=True, help_text="The channel whose thread it is.")
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.READING)
    after = models.BigIntegerField(default=0, help_text="Discord's id of the last message that was read.")
    until = models.BigIntegerField(help_text="Discord's id of the newest message when it was asked for.")
    expected = models.PositiveIntegerField(default=0, help_text="Messages, as estimated.")
    read = models.PositiveIntegerField(default=0, help_text="Messages that were read so far.")
    failed = models.PositiveIntegerField(default=0, help_text="How often it failed since it came on last.")
    asked_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["asked_at", "pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["guild", "channel_id"], name="one_backfill_per_channel"),
        ]
        # The home page counts what fails in all guilds.
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["failed"], name="backfill_failed")]

    def __str__(self) -> str:
        return f"backfill: {self.status}, {self.read} of about {self.expected}"
