"""Up to where a guild's rows have embeddings, so that nobody compares all of them to find the few that are new."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from memoryhub.community.models import Guild
from memoryhub.community.querysets import GuildScoped


class EmbeddedTo(models.Model):
    """All rows of a kind up to this id have an embedding in a set, but those that were changed since are begun anew.

    It is derived: whoever doubts it empties `compared_at`.
    """

    guild = models.ForeignKey(Guild, models.CASCADE, related_name="+", db_index=False)
    kind = models.CharField(max_length=10, help_text="fact, note or message.")
    set_name = models.CharField(max_length=60, help_text="The table with the embeddings of one kind and embedder.")
    reached = models.BigIntegerField(default=0)
    compared_at = models.DateTimeField(
        null=True, blank=True, help_text="When all rows were compared; empty: they are to be."
    )
    changes = models.BigIntegerField(default=0, help_text="Counted, so that who looks sees what changed meanwhile.")

    objects = GuildScoped["EmbeddedTo"].as_manager()

    class Meta:
        verbose_name = verbose_name_plural = "embedded so far"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["guild", "kind", "set_name"], name="one_embedded_to_a_set_and_guild"),
        ]

    def __str__(self) -> str:
        return f"{self.kind}s of {self.guild_id} to {self.reached}"
