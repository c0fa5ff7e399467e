"""The table of what was decided and planned: one row for each sentence that says so."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Self

from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from memoryhub.community.days import begin_of, day_of
from memoryhub.community.models import Channel, Guild
from memoryhub.community.querysets import AudienceScoped, same_guild

TEXT_CHARS = 300
MOST_BEFORE = 5  # earlier wordings of a decision that are shown


class ArrangementQuerySet(AudienceScoped["Arrangement"]):
    """Decisions and plans of one guild, within an audience."""

    def shown(self) -> Self:
        """Return those that nobody put aside."""
        return self.filter(put_aside_at=None)

    def standing(self) -> Self:
        """Return those that nothing said later stands for."""
        return self.filter(replaced_by=None)

    def decisions(self) -> Self:
        """Return what was decided."""
        return self.filter(decided=True)

    def plans(self) -> Self:
        """Return the plans as they stand, with the moment `due` when each is, or was to be, called off or not.

        What calls off a plan that nobody told of is none.
        """
        earlier = self.model.objects.filter(same_guild(), replaced_by=OuterRef("pk")).exclude(due_at=None)
        last = earlier.order_by("-said_at", "-pk")
        rows = self.standing().alias(had=Exists(earlier))
        rows = rows.annotate(
            due=Coalesce("due_at", models.Subquery(last.values("due_at")[:1])),
            whole_day=models.Case(
                models.When(due_at=None, then=models.Subquery(last.values("all_day")[:1])),
                default=F("all_day"), output_field=models.BooleanField(),
            ),
        )  # fmt: skip
        return rows.filter(~Q(due_at=None) | Q(had=True))

    def upcoming(self, guild: Guild, *, now: datetime) -> Self:
        """Return of a guild's `plans` those whose moment, or day in the guild, is not over."""
        return self.filter(self._to_come(guild, now))

    def past(self, guild: Guild, *, now: datetime) -> Self:
        """Return the others: their day has passed, so they are history."""
        return self.exclude(self._to_come(guild, now))

    def _to_come(self, guild: Guild, now: datetime) -> Q:
        return Q(due__gte=now) | Q(whole_day=True, due__gte=begin_of(guild, day_of(guild, now)))


class Arrangement(models.Model):
    """What somebody said that was decided, or is planned, or becomes of a plan.

    A plan that was moved is two rows: the later one stands for the earlier. So whatever takes a message away takes its
    row, and what was said before stands again.
    """

    class Change(models.TextChoices):
        NONE = "", "New"
        MOVED = "moved", "Moved"
        CALLED_OFF = "called_off", "Called off"

    guild = models.ForeignKey(Guild, models.CASCADE, related_name="arrangements", db_index=False)
    channel = models.ForeignKey(Channel, models.CASCADE, related_name="arrangements")
    audience = models.ForeignKey(Channel, models.CASCADE, null=True, blank=True, related_name="+")
    message = models.ForeignKey("notes.Message", models.CASCADE, related_name="arrangements")
    text = models.CharField(max_length=TEXT_CHARS, help_text="In the words of who said it.")
    said_at = models.DateTimeField()
    decided = models.BooleanField(default=False)
    change = models.CharField(max_length=10, choices=Change.choices, default=Change.NONE, blank=True)
    due_at = models.DateTimeField(null=True, blank=True, help_text="When it is to be, where it says so.")
    all_day = models.BooleanField(default=False, help_text="It names a day, and no time.")
    replaced_by = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="replaces",
        help_text="What stands for it: what was said later of the same, or what it only repeats.",
    )  # fmt: skip
    put_aside_at = models.DateTimeField(null=True, blank=True, help_text="When somebody found it to be none.")
    created_at = models.DateTimeField(default=timezone.now)

    objects = ArrangementQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-said_at", "-pk"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["guild", "said_at"], name="arrangement_guild_time"),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["message", "text", "guild"], name="one_arrangement_per_message_and_text"),
        ]

    @property
    def words_before(self) -> list[str]:
        """Return what it supersedes, the newest first, each wording once: what was only said again is no change."""
        wordings = {old.text.casefold(): old.text for old in self.replaces.all()}
        wordings.pop(self.text.casefold(), None)
        return list(wordings.values())[:MOST_BEFORE]

    def __str__(self) -> str:
        return f"{self.channel}: arrangement {self.pk}"
