"""Tables of the front door: API keys and the answers kept for repeated requests."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils import timezone

from profiles.models import Guild


class ApiKey(models.Model):
    """A key for the JSON API, stored hashed; without a guild it opens all guilds."""

    class Scope(models.TextChoices):
        READ = "read", "Read"
        WRITE = "write", "Read and write"
        ADMIN = "admin", "Everything"

    name = models.CharField(max_length=100)
    guild = models.ForeignKey(Guild, models.CASCADE, null=True, blank=True, related_name="api_keys")
    scope = models.CharField(max_length=5, choices=Scope.choices, default=Scope.WRITE)
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the key, in hexadecimal.")
    created_at = models.DateTimeField(default=timezone.now)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.name


class KeptAnswer(models.Model):
    """The answer to a POST that named an Idempotency-Key: the same request again gets it back."""

    api_key = models.ForeignKey(ApiKey, models.CASCADE, related_name="kept_answers")
    idempotency_key = models.CharField(max_length=200)
    request_digest = models.CharField(max_length=64, help_text="SHA-256 of method, path and body.")
    status = models.PositiveSmallIntegerField()
    body = models.TextField()
    at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["api_key", "idempotency_key"], name="one_answer_per_idempotency_key"),
        ]

    def __str__(self) -> str:
        return f"{self.api_key}: {self.status}"
