"""The table of addresses that a guild's events are sent to."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import ClassVar

from django.db import models
from django.utils import timezone

from memoryhub.community.models import Guild
from memoryhub.community.querysets import GuildScoped
from memoryhub.db.leases import Lease, Policy


class Webhook(Lease):
    """An address that a guild's events are sent to, one after the other; the work it waits for is the next event."""

    policy = Policy(length=timedelta(minutes=5), pause=timedelta(minutes=1), most_attempts=20)

    guild = models.ForeignKey(Guild, models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=500)
    kinds: models.JSONField[list[str]] = models.JSONField(help_text="The events that are sent.")
    salt = models.UUIDField(default=uuid.uuid4, editable=False, help_text="The secret is derived from it.")
    reached = models.BigIntegerField(help_text="The last event that was taken, or that was there before it.")
    delivered_at = models.DateTimeField(null=True, blank=True, help_text="When the receiver last took an event.")
    created_at = models.DateTimeField(default=timezone.now)

    objects = GuildScoped["Webhook"].as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["pk"]

    def __str__(self) -> str:
        return f"webhook {self.pk}"
