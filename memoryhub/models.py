"""Tables of access to the hub: API keys, answers kept for repeated requests, roles, saved filters, who did what."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone

from memoryhub.community.models import Guild


class ApiKey(models.Model):
    """A key for the JSON API, stored hashed; without a guild it opens all guilds."""

    class Scope(models.TextChoices):
        READ = "read", "Read"
        WRITE = "write", "Read and write"
        ADMIN = "admin", "Admin: everything"

    name = models.CharField(max_length=100)
    guild = models.ForeignKey(Guild, models.CASCADE, null=True, blank=True, related_name="api_keys")
    scope = models.CharField(max_length=5, choices=Scope.choices, default=Scope.WRITE)
    per_minute = models.PositiveIntegerField(
        "requests a minute",
        null=True,
        blank=True,
        default=6000,
        help_text="More are refused with 429; empty: no limit.",
    )
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the key, in hexadecimal.")
    created_at = models.DateTimeField(default=timezone.now)
    last_used_at = models.DateTimeField(null=True, blank=True)
    uses = models.JSONField(default=dict, blank=True, help_text="Requests by UTC day, of the last 30 days.")
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "API key"

    def __str__(self) -> str:
        return self.name


class RequestCount(models.Model):
    """How many requests of a key's newest minute the processes have drawn; `memoryhub.site.rate_limit` writes it."""

    api_key = models.OneToOneField(ApiKey, models.CASCADE, primary_key=True, related_name="+")
    minute = models.BigIntegerField(help_text="Minutes since 1970.")
    drawn = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.api_key}: {self.drawn}"


class SharedNote(models.Model):
    """What all processes are to see where there is no Redis: a table of Django's database cache, in its own form."""

    cache_key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.cache_key


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


class Role(models.Model):
    """What a person may see and do; an operator (a superuser) needs no role, somebody without one sees nothing."""

    class Kind(models.TextChoices):
        MODERATOR = "moderator", "Moderator: sees and changes"
        AUDITOR = "auditor", "Auditor: only reads"

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="role")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    everywhere = models.BooleanField(default=False, help_text="In all guilds, also those that come later.")
    guilds = models.ManyToManyField(Guild, blank=True, related_name="roles")

    def __str__(self) -> str:
        return f"{self.user}: {self.kind}"


class SavedFilter(models.Model):
    """What somebody narrows the memories to again and again, under a name of their own; nobody else sees it."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="saved_filters")
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=900, help_text="As it stands in the address of the memories.")

    class Meta:
        ordering: ClassVar[list[str]] = ["name"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["user", "name"], name="one_saved_filter_of_a_name"),
        ]

    def __str__(self) -> str:
        return self.name


class AuditEntry(models.Model):
    """Who looked at whose memory, or changed what: ids only, written once and never changed by any door.

    The ids are no foreign keys: the entry outlives what it tells of. Erasing a member empties `member_id`.
    """

    class Verb(models.TextChoices):
        LOOKED = "looked", "Looked at"
        CHANGED = "changed", "Changed"

    at = models.DateTimeField(default=timezone.now)
    actor = models.CharField(max_length=100, help_text="operator:name, moderator:name, auditor:name or api:key.")
    verb = models.CharField(max_length=10, choices=Verb.choices)
    what = models.CharField(max_length=60, help_text="The page or route.")
    row = models.CharField(max_length=200, blank=True, help_text="The id in its address.")
    guild_id = models.BigIntegerField(null=True, blank=True)
    member_id = models.BigIntegerField(null=True, blank=True, db_index=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        verbose_name_plural = "audit entries"
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["guild_id", "id"], name="audit_guild")]

    def __str__(self) -> str:
        return f"{self.actor} {self.verb} {self.what} {self.row}"
