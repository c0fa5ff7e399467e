"""Tables of what channels are about, and of the questions that they left open."""

from __future__ import annotations

from typing import ClassVar, Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import GuildScoped
from notes.models.links import QuestionAnswer, QuestionMessage, SummaryMessage
from notes.models.messages import Message


class QuestionQuerySet(GuildScoped["Question"]):
    """Questions of one guild."""

    def unanswered(self) -> Self:
        """Return those that no summary has found answered."""
        return self.filter(answered_at=None)


class Summary(models.Model):
    """What a channel is about: lately (rolling), over time (profile), and what was said of earlier talks (past)."""

    class Kind(models.TextChoices):
        ROLLING = "rolling", "Recent summary"
        PROFILE = "profile", "About this channel"
        PAST = "past", "Earlier summary"

    guild = models.ForeignKey(Guild, models.CASCADE, related_name="summaries")
    channel = models.ForeignKey(Channel, models.CASCADE, related_name="summaries")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    text = models.CharField(max_length=1800)
    topics: models.JSONField[list[str]] = models.JSONField(default=list)
    threads: models.JSONField[list[str]] = models.JSONField(default=list)
    unresolved: models.JSONField[list[str]] = models.JSONField(default=list)
    decisions: models.JSONField[list[str]] = models.JSONField(default=list)
    glossary: models.JSONField[list[str]] = models.JSONField(default=list)
    from_at = models.DateTimeField()
    to_at = models.DateTimeField()
    messages = models.ManyToManyField(Message, through=SummaryMessage, related_name="summaries", blank=True)
    generated_at = models.DateTimeField(default=timezone.now)

    objects = GuildScoped["Summary"].as_manager()

    class Meta:
        verbose_name_plural = "summaries"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["channel", "kind", "guild"], condition=~Q(kind="past"), name="one_summary_per_channel_and_kind"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.channel}, {self.kind}"


class Question(models.Model):
    """A question that a channel left open; it stays until a later summary answers it."""

    guild = models.ForeignKey(Guild, models.CASCADE, related_name="questions")
    channel = models.ForeignKey(Channel, models.CASCADE, related_name="questions")
    text = models.CharField(max_length=200)
    asked_by = models.ForeignKey(Member, models.CASCADE, null=True, blank=True, related_name="questions")
    asked_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True, blank=True, help_text="When a summary found it answered.")
    messages = models.ManyToManyField(Message, through=QuestionMessage, related_name="questions", blank=True)
    answers = models.ManyToManyField(
        Message, through=QuestionAnswer, related_name="answers", blank=True,
        help_text="What that summary was written from.",
    )  # fmt: skip
    found_at = models.DateTimeField(default=timezone.now)

    objects = QuestionQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["asked_at", "pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["channel", "text", "guild"], condition=Q(answered_at=None), name="one_open_question_per_text"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.channel}: question {self.pk}"
