"""Tables of what is known: facts, the words they rest on, each change of them, what clients handed over with them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar, Self

from django.db import models
from django.db.models import F, OuterRef, Q, Subquery
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce
from django.utils import timezone

from memoryhub.community.consent import is_heard
from memoryhub.community.guild_from import GuildFrom
from memoryhub.community.models import PLATFORM_ID, Channel, Guild, Member
from memoryhub.community.querysets import AudienceScoped, GuildScoped, same_guild
from notes.models import Message

ASIDE = ("archived", "pending", "refused")
LOSING = ("forgetting", "narrowing")  # the actors that take a fact's evidence away
RESCAN = "rescan"  # the actor that archives newly sensitive facts: a look back in time does not show them either


class FactQuerySet(AudienceScoped["Fact"]):
    """Facts of one guild, within an audience."""

    def active(self) -> Self:
        """Return what is believed now."""
        return self.filter(status="active")

    def about(self, member: Member | None) -> Self:
        """Return a member's facts, or the guild's lore for None."""
        return self.filter(subject=member)

    def believed_at(self, moment: datetime) -> Self:
        """Return the facts that were believed at a moment: said and begun by then, not yet ended or archived.

        A replaced fact counts as ended from when its replacement was said: nobody could know it earlier.
        """
        started = Q(valid_from=None) | Q(valid_from__lte=moment)
        goes_on = Q(status="active") & (Q(valid_until=None) | Q(valid_until__gt=moment))
        ended_later = Q(status="superseded") & (Q(valid_until__gt=moment) | Q(replaced_by__said_at__gt=moment))
        put_aside = FactChange.objects.filter(
            action="archive", undone=False, at__gt=moment, before__status="active"
        ).exclude(actor=RESCAN)
        put_aside_later = Q(status="archived", pk__in=put_aside.values("fact"))
        stood = Q(status_then=None) | ~Q(status_then__in=ASIDE)
        rows = self.annotate(status_then=_before("status", moment))
        return rows.filter(stood, started, goes_on | ended_later | put_aside_later, said_at__lte=moment)

    def worded_at(self, moment: datetime) -> Self:
        """Annotate `text_then`, the wording at a moment; None where it has not changed since."""
        return self.annotate(text_then=_before("text", moment))


def _before(name: str, moment: datetime) -> Subquery:
    """Return a field as it was at a moment, from the first change after it; NULL if the fact has not changed since."""
    first = FactChange.objects.filter(same_guild(), fact=OuterRef("pk"), at__gt=moment, before__has_key="status")
    return Subquery(first.order_by("at", "pk").values(**{f"{name}_then": KeyTextTransform(name, "before")})[:1])


class Fact(models.Model):
    """One lasting statement about a member, or about the guild (lore, without a subject)."""

    class Kind(models.TextChoices):
        PREFERENCE = "preference", "Preference"
        PROFILE = "profile", "Profile"
        RELATIONSHIP = "relationship", "Relationship"
        PROJECT = "project", "Project"
        OTHER = "other", "Other"
        LORE = "lore", "Lore"

    class Status(models.TextChoices):
        ACTIVE = "active", "Current"
        SUPERSEDED = "superseded", "Outdated"
        ARCHIVED = "archived", "Archived"
        PENDING = "pending", "Waiting for review"
        REFUSED = "refused", "Refused by a person"

    class SourceType(models.TextChoices):
        EXPLICIT = "explicit", "Stated directly"
        INFERRED = "inferred", "Inferred"

    guild = models.ForeignKey(Guild, models.CASCADE, related_name="facts", db_index=False)
    subject = models.ForeignKey(Member, models.CASCADE, null=True, blank=True, related_name="facts")
    channel = models.ForeignKey(Channel, models.SET_NULL, null=True, blank=True, related_name="facts")
    audience = models.ForeignKey(Channel, models.CASCADE, null=True, blank=True, related_name="+", db_index=False)
    kind = models.CharField(max_length=15, choices=Kind.choices, default=Kind.OTHER)
    text = models.CharField(max_length=400)
    normalized = models.CharField(
        max_length=400, help_text="Lower case, without punctuation; facts with the same value are duplicates."
    )
    confidence = models.FloatField(default=0.5)
    source_type = models.CharField(max_length=10, choices=SourceType.choices, default=SourceType.INFERRED)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.ACTIVE)
    pinned = models.BooleanField(default=False)
    possible_conflict = models.BooleanField(default=False, help_text="Similar to another fact: compare them.")
    junk = models.FloatField(
        null=True, blank=True, help_text="Probability of junk, 0 to 1; empty: entered by a person."
    )
    junk_signs: models.JSONField[list[str]] = models.JSONField(
        default=list, blank=True, help_text="Reasons to suspect junk, the strongest first."
    )
    replaced_by = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="replaces", db_index=False
    )
    said_at = models.DateTimeField(help_text="When it was first said.")
    valid_from = models.DateTimeField(null=True, blank=True)
    valid_until = models.DateTimeField(null=True, blank=True)
    last_reinforced_at = models.DateTimeField(null=True, blank=True)
    reinforcements = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(auto_now=True)
    match: float | None = None  # of a row that answers a question: how well, 0 to 1
    added_with: list[Evidence] | None = None  # of a row that was just stored: who shows it need not read them again

    objects = FactQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-said_at", "-pk"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["guild", "subject", "status", "said_at"], name="fact_subject"),
            models.Index(fields=["guild", "status", "said_at"], name="fact_recent"),
            # Most facts have neither, and cost these indexes nothing. (Of ~Q(audience=None) SQLite would make no use.)
            models.Index(fields=["audience"], condition=Q(audience__isnull=False), name="fact_audience"),
            models.Index(fields=["replaced_by"], condition=Q(replaced_by__isnull=False), name="fact_replaced_by"),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                "guild", Coalesce("subject_id", 0), Coalesce("audience_id", 0), "normalized",
                condition=Q(status="active"), name="one_active_fact_per_statement",
            ),
            models.UniqueConstraint(
                "guild", Coalesce("subject_id", 0), Coalesce("audience_id", 0), "normalized",
                condition=Q(status="pending"), name="one_pending_fact_per_statement",
            ),
            models.CheckConstraint(condition=Q(confidence__range=(0.3, 1.0)), name="fact_confidence_03_to_1"),
            models.CheckConstraint(
                condition=Q(valid_from=None) | Q(valid_until=None) | Q(valid_until__gte=F("valid_from")),
                name="fact_valid_in_order",
            ),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"fact {self.pk}"


class Evidence(models.Model):
    """The message and the words that a fact rests on."""

    guild = GuildFrom("fact")
    fact = models.ForeignKey(Fact, models.CASCADE, related_name="evidence", db_index=False)
    message = models.ForeignKey(Message, models.CASCADE, null=True, blank=True, related_name="evidence")
    speaker = models.ForeignKey(Member, models.CASCADE, null=True, blank=True, related_name="+")
    quote = models.CharField(max_length=240, blank=True)
    said_at = models.DateTimeField()
    batch = models.UUIDField(
        null=True, blank=True, help_text="The change that added it; undoing the change removes it."
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar[list[str]] = ["said_at", "pk"]
        verbose_name_plural = "evidence"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["fact", "message", "guild"], name="one_evidence_row_per_message"),
        ]

    def __str__(self) -> str:
        return f"evidence {self.pk} of fact {self.fact_id}"

    @property
    def told_speaker(self) -> Member | None:
        """Return who said it; nobody if it was somebody who is not to be remembered."""
        return self.speaker if is_heard(self.fact.guild, self.speaker) else None

    @property
    def told_quote(self) -> str:
        """Return the words; of who is not to be remembered none, though what they said of others stays known."""
        return self.quote if is_heard(self.fact.guild, self.speaker) else ""


class FactChangeQuerySet(models.QuerySet["FactChange"]):
    """What happened to facts."""

    def standing(self) -> Self:
        """Return the changes that can still be undone, as `FactChange.stands` tells of one."""
        return self.filter(undone=False).exclude(action="undo").exclude(actor__in=LOSING, action="edit")


class FactChange(models.Model):
    """One recorded change of a fact, with what it was before; the rows of one decision share a `batch`."""

    class Action(models.TextChoices):
        ADD = "add", "Added"
        REINFORCE = "reinforce", "Reinforced"
        INVALIDATE = "invalidate", "Invalidated"
        MERGE = "merge", "Merged"
        EDIT = "edit", "Edited"
        ARCHIVE = "archive", "Archived"
        RESTORE = "restore", "Restored"
        APPROVE = "approve", "Approved"
        REFUSE = "refuse", "Refused"
        SETTLE = "settle", "Found to be no contradiction"
        UNDO = "undo", "Undone"

    guild = GuildFrom("fact")
    fact = models.ForeignKey(Fact, models.CASCADE, related_name="changes")
    action = models.CharField(max_length=12, choices=Action.choices)
    before: models.JSONField[dict[str, Any]] = models.JSONField(default=dict, help_text="The fields before the change.")
    batch = models.UUIDField(db_index=True)
    actor = models.CharField(max_length=100)
    at = models.DateTimeField(default=timezone.now)
    undone = models.BooleanField(default=False)

    objects = FactChangeQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["guild", "at"], name="fact_change_guild_time")]

    def __str__(self) -> str:
        return f"{self.action} fact {self.fact_id}"

    @property
    def lost_source(self) -> bool:
        """Whether the fact only grew less sure as evidence of it went, which no undo brings back."""
        return self.actor in LOSING and self.action == self.Action.EDIT

    @property
    def stands(self) -> bool:
        """Whether it can still be undone."""
        return not self.undone and self.action != self.Action.UNDO and not self.lost_source


class Contradiction(models.Model):
    """Two facts of which perhaps one only is true: the newer is marked while both stand and nobody settled it."""

    guild = GuildFrom("newer")
    newer = models.ForeignKey(Fact, models.CASCADE, related_name="contradicts", db_index=False)
    older = models.ForeignKey(Fact, models.CASCADE, related_name="contradicted_by")
    settled = models.UUIDField(
        null=True, blank=True, help_text="The change that found both true; undoing the change opens it again."
    )

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["newer", "older", "guild"], name="one_contradiction_a_pair"),
        ]

    def __str__(self) -> str:
        return f"facts {self.newer_id} and {self.older_id}"


class ClientData(models.Model):
    """What a client of mem0 handed over with words, and gets back with the memory: its own ids, metadata, an end.

    It hangs on the fact that was told, or on the message that facts were learned from.
    """

    guild = models.ForeignKey(Guild, models.CASCADE, related_name="client_data")
    fact = models.ForeignKey(Fact, models.CASCADE, null=True, blank=True, related_name="client_data")
    message = models.ForeignKey(Message, models.CASCADE, null=True, blank=True, related_name="client_data")
    event = models.UUIDField(db_index=True, help_text="The call that brought it.")
    agent_id = models.CharField(max_length=PLATFORM_ID, blank=True, help_text="The bot that was spoken with.")
    app_id = models.CharField(max_length=PLATFORM_ID, blank=True)
    metadata: models.JSONField[dict[str, Any]] = models.JSONField(default=dict, blank=True)
    categories: models.JSONField[list[str]] = models.JSONField(default=list, blank=True)
    expires_on = models.DateField(null=True, blank=True, help_text="The last day (UTC) on which clients are told it.")
    at = models.DateTimeField(default=timezone.now)

    objects = GuildScoped["ClientData"].as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        verbose_name_plural = "client data"
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["guild", "expires_on"], condition=Q(expires_on__isnull=False), name="client_data_end"),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["fact", "guild"], name="one_client_data_per_fact"),
            models.UniqueConstraint(fields=["message", "guild"], name="one_client_data_per_message"),
            models.CheckConstraint(
                condition=Q(fact=None, message__isnull=False) | Q(fact__isnull=False, message=None),
                name="client_data_hangs_on_one",
            ),
        ]

    def __str__(self) -> str:
        return f"client data of {f'fact {self.fact_id}' if self.fact_id else f'message row {self.message_id}'}"
