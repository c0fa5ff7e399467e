"""The table of what the bot may have missed."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from profiles.models import PLATFORM_ID, Guild


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
