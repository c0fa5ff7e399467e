"""Tables of erasures: each from start to receipt, and what an open one looks for."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone

from memoryhub.db.leases import Lease, Policy


class Erasure(Lease):
    """One erasure, from start to receipt: counts only, nothing that identifies who was erased."""

    policy = Policy(length=timedelta(hours=1), pause=timedelta(minutes=1), parks=False)

    class Kind(models.TextChoices):
        MEMBER = "member", "Member"
        CHANNEL = "channel", "Channel"
        GUILD = "guild", "Guild"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    digest = models.CharField(
        max_length=64, help_text="HMAC of what is erased, by which an interrupted erasure is found."
    )
    actor = models.CharField(max_length=100, help_text="Where it was requested; never an erased member's name.")
    guild_id = models.BigIntegerField(null=True, blank=True, help_text="A plain number: a purged guild is gone.")
    step = models.CharField(max_length=40, blank=True, help_text="What is being erased right now.")
    started_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)
    counts: models.JSONField[dict[str, int]] = models.JSONField(
        default=dict, help_text="Erased rows and files, by holder."
    )
    receipt = models.TextField(blank=True, help_text="Signed; holds no personal data.")

    class Meta:
        ordering: ClassVar[list[str]] = ["-started_at"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["digest"], condition=Q(finished_at=None), name="one_open_erasure_each"),
        ]

    def __str__(self) -> str:
        return f"erasure {self.pk} of a {self.kind}"


class ErasureNeedles(models.Model):
    """A piece of what an open erasure looks for, where each host's worker finds it; it goes with the receipt."""

    digest = models.CharField(max_length=64, help_text="That of the erasure.")
    part = models.PositiveIntegerField()
    kept = models.BinaryField(help_text="Names, ids and hashes of texts, compressed.")
    kept_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "erasure needles"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["digest", "part"], name="one_piece_of_needles_each"),
        ]

    def __str__(self) -> str:
        return f"needles {self.pk}"
