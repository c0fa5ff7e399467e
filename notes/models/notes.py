"""Tables of what happened: notes of conversations and topics, and the journal of a day."""

from __future__ import annotations

from typing import ClassVar, Self

from django.db import models
from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.utils import timezone

from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import AudienceScoped, GuildScoped, remembered, same_guild
from notes.models.links import NoteMessage, NotePart, NoteParticipant
from notes.models.messages import ChannelBuffer, Message


class NoteQuerySet(AudienceScoped["InteractionNote"]):
    """Notes of one guild, within an audience."""

    def told(self, guild: Guild, *, to: Member | None = None) -> Self:
        """Return the guild's notes without those that tell of somebody who is not to be remembered.

        `to` is who reads what is theirs: they may be in them, whatever they chose.
        """
        left_out = self._links().exclude(remembered(guild, "member__"))
        return self.filter(~Exists(left_out.exclude(member=to) if to else left_out), guild=guild)

    def told_in_each_guild(self) -> Self:
        """Return the same of the notes of any guilds, each by its own mode and blocks."""
        said_no = Q(member__remember=False) | Q(member__remember=None, guild__consent_mode=Guild.ConsentMode.OPT_IN)
        for guild, blocked in Guild.objects.exclude(blocked=[]).values_list("pk", "blocked"):
            said_no |= Q(guild=guild, member__platform_id__in=blocked)
        return self.filter(~Exists(self._links().filter(said_no)))

    def once(self) -> Self:
        """Return them without the topics whose talks are there, since a topic repeats its talks."""
        return self.exclude(Exists(NotePart.objects.filter(same_guild(), from_interactionnote=OuterRef("pk"))))

    def _links(self) -> QuerySet[Model]:
        return self.model.participants.through.objects.filter(same_guild(), interactionnote=OuterRef("pk"))


class InteractionNote(models.Model):
    """What happened: one conversation, or a topic that several conversations of a day share."""

    class Kind(models.TextChoices):
        CONVERSATION = "conversation", "Conversation"
        TOPIC_CLUSTER = "topic_cluster", "Topic of the day"

    guild = models.ForeignKey(Guild, models.CASCADE, related_name="notes")
    channel = models.ForeignKey(Channel, models.CASCADE, null=True, blank=True, related_name="notes")
    audience = models.ForeignKey(Channel, models.CASCADE, null=True, blank=True, related_name="+")
    buffer = models.OneToOneField(ChannelBuffer, models.SET_NULL, null=True, blank=True, related_name="note")
    kind = models.CharField(max_length=15, choices=Kind.choices, default=Kind.CONVERSATION)
    title = models.CharField(max_length=80)
    summary = models.CharField(max_length=1200)
    note_date = models.DateField(help_text="The day it happened, in the guild's time zone.")
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    participants = models.ManyToManyField(Member, through=NoteParticipant, related_name="notes")
    messages = models.ManyToManyField(Message, through=NoteMessage, related_name="notes", blank=True)
    notes = models.ManyToManyField(
        "self", through=NotePart, through_fields=("from_interactionnote", "to_interactionnote"), symmetrical=False,
        related_name="clusters", blank=True,
    )  # fmt: skip
    created_at = models.DateTimeField(default=timezone.now)
    just_written = False  # of a row that was stored a moment ago: no index can have it yet

    objects = NoteQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-ended_at", "-pk"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["guild", "note_date", "kind"], name="note_guild_day"),
            models.Index(fields=["channel", "ended_at"], name="note_channel_time"),
        ]

    def __str__(self) -> str:
        return self.title


class Journal(models.Model):
    """The log of a guild's day, rendered from its guild-wide messages."""

    guild = models.ForeignKey(Guild, models.CASCADE, related_name="journals")
    day = models.DateField()
    text = models.TextField()
    generated_at = models.DateTimeField(default=timezone.now)
    stale = models.BooleanField(default=False, help_text="Somebody in it is not to be remembered any more.")

    objects = GuildScoped["Journal"].as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-day"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["guild", "day"], name="one_journal_per_day"),
        ]

    def __str__(self) -> str:
        return f"{self.guild}, {self.day}"
