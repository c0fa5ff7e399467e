"""Tables of what the hub did and showed: model calls, what was left out, nightly runs, actions, snapshots."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, ClassVar

from django.db import models
from django.utils import timezone

from memoryhub.community.models import Guild
from memoryhub.community.querysets import GuildScoped
from memoryhub.community.told_work import ToldWork
from memoryhub.db.leases import Policy


class ModelCall(models.Model):
    """One call to a language model: purpose, tokens, cost and outcome, never the text."""

    guild = models.ForeignKey(Guild, models.CASCADE, null=True, blank=True, related_name="model_calls", db_index=False)
    purpose = models.CharField(max_length=40)
    model = models.CharField(max_length=120)
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    cost_usd = models.DecimalField(max_digits=12, decimal_places=6, default=0)
    seconds = models.FloatField(default=0)
    outcome = models.CharField(max_length=20)
    error_class = models.CharField(max_length=80, blank=True)
    at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["guild", "at"], name="model_call_guild_time")]

    def __str__(self) -> str:
        return f"{self.purpose} by {self.model}: {self.outcome}"


class LeftOut(models.Model):
    """A day's count of messages not read for facts, or of candidate facts refused, for one reason."""

    class Kind(models.TextChoices):
        MESSAGE = "message", "Message not sent to a model"
        CANDIDATE = "candidate", "Refused candidate"

    guild = models.ForeignKey(Guild, models.CASCADE, related_name="left_out")
    day = models.DateField(help_text="UTC")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    reason = models.CharField(max_length=30)
    count = models.PositiveIntegerField(default=0)

    objects = GuildScoped["LeftOut"].as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-day", "kind", "reason"]
        verbose_name_plural = "left out"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["guild", "day", "kind", "reason"], name="one_count_a_day_and_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.kind} {self.reason}: {self.count}"


class JobRun(ToldWork):
    """One phase of a guild's nightly job; running it twice changes nothing, and an interrupted run resumes."""

    policy = Policy(
        length=timedelta(minutes=15),  # renewed after each piece of work
        pause=timedelta(minutes=15),
        job="night:{0.phase}",
        claimed={"status": "running", "last_error": ""},
        failed={"status": "failed"},
        parked={"status": "parked"},
    )

    class Phase(models.TextChoices):
        CLUSTER = "cluster", "Topics of the day"
        PROFILES = "profiles", "Profiles"
        DECAY = "decay", "Archive old memories"
        PAPERS = "papers", "Journal and snapshot"

    class Status(models.TextChoices):
        RUNNING = "running", "Running"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"
        PARKED = "parked", "Failed, needs attention"

    guild = models.ForeignKey(Guild, models.CASCADE, related_name="job_runs")
    day = models.DateField()
    phase = models.CharField(max_length=10, choices=Phase.choices)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.RUNNING)
    counts: models.JSONField[dict[str, int]] = models.JSONField(default=dict)
    started_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)
    reached = models.CharField(max_length=50, blank=True, help_text="How far it got; the next run continues there.")
    progress = models.JSONField(default=dict, blank=True, help_text="Pieces of work, how many are done, seconds left.")

    objects = GuildScoped["JobRun"].as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-day", "pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["guild", "day", "phase"], name="one_job_run_per_phase"),
        ]

    def __str__(self) -> str:
        return f"{self.guild} {self.day} {self.phase}: {self.status}"


class Action(models.Model):
    """One line of the action log: what the hub or a person did, as ids and counts, never as text."""

    guild = models.ForeignKey(Guild, models.CASCADE, null=True, blank=True, related_name="actions")
    kind = models.CharField(max_length=40, db_index=True)
    actor = models.CharField(max_length=100, blank=True)
    detail: models.JSONField[dict[str, Any]] = models.JSONField(default=dict)
    at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]

    def __str__(self) -> str:
        return self.kind


class Snapshot(models.Model):
    """All guild-wide memory as one readable page, as last rendered."""

    guild = models.OneToOneField(Guild, models.CASCADE, related_name="snapshot")
    text = models.TextField()
    generated_at = models.DateTimeField(default=timezone.now)
    stale = models.BooleanField(default=False, help_text="Memory changed since it was rendered.")

    def __str__(self) -> str:
        return f"Snapshot of {self.guild}"
