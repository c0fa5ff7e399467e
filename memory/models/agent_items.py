"""The table of what agents keep for themselves, which nobody is told of but who holds a key."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models
from django.utils import timezone

from memoryhub.community.models import PLATFORM_ID, Guild
from memoryhub.community.querysets import GuildScoped


class AgentItem(models.Model):
    """What an agent keeps for itself under a namespace and a key; nobody is told of it but who holds a key."""

    guild = models.ForeignKey(Guild, models.CASCADE, related_name="agent_items")
    namespace = models.CharField(max_length=500, help_text="Labels, with full stops between them.")
    key = models.CharField(max_length=PLATFORM_ID)
    value: models.JSONField[dict[str, Any]] = models.JSONField()
    text = models.TextField(  # noqa: DJ001  none is another thing than an empty one
        null=True,
        blank=True,
        help_text="What it is found by, if not by all words of the value; empty: by nothing.",
    )
    vector = models.BinaryField(blank=True, default=b"", help_text="What it means, by the embedder named beside it.")
    embedder = models.CharField(max_length=120, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    objects = GuildScoped["AgentItem"].as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["guild", "embedder"], name="agent_item_embedder")]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["guild", "namespace", "key"], name="one_agent_item_per_key"),
        ]

    def __str__(self) -> str:
        return f"agent's item {self.pk}"
