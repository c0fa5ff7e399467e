"""Tables of what members are like and who has to do with whom: profiles, their entries with sources, relationships."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import ClassVar, Self, cast

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from memoryhub.community.days import day_of
from memoryhub.community.guild_from import GuildFrom
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import A_DAY, ChannelScoped, own_and_parent
from memoryhub.community.told_work import ToldWork
from memoryhub.db.leases import FREE, FRESH, Policy
from notes.models import InteractionNote, Message


class RelationshipDayQuerySet(ChannelScoped["RelationshipDay"]):
    """Counted days of one guild, within an audience."""

    # Channels stand in subqueries, so that the rows of a few members are found by the members and not by the channels.

    def told_in(self, guild: Guild, channel: Channel | None) -> Self:
        """Return the guild's days that may be told in the channel: `of` and `heard_in` at once."""
        near = own_and_parent(channel)
        always = guild.channels.filter(models.Q(audience="guild", open_since=None) | models.Q(pk__in=near))
        reopened = guild.channels.filter(
            pk=models.OuterRef("channel"), audience="guild", open_since__lt=models.OuterRef("day") - A_DAY
        )
        return self.filter(models.Q(channel__in=always.values("pk")) | models.Exists(reopened))

    def since_opened(self) -> models.Q:
        """Return the condition that the whole day, wherever midnight is, came after the channel was opened."""
        return models.Q(channel__open_since__lt=models.F("day") - A_DAY)


class ProfileQuerySet(models.QuerySet["Profile"]):
    """Profiles, and the marks that what they rest on has changed."""

    def outdate(self) -> int:
        """Have the lines that lost their ground taken out; an answer still being thought is not written then."""
        return self.update(outdated=True, revision=models.F("revision") + 1)

    def mark_dirty(self) -> int:
        """Have them rebuilt by the careful tier, however often that failed before."""
        return self.update(dirty=True, revision=models.F("revision") + 1, **FRESH, **FREE)


class Profile(ToldWork):
    """What a member is like: six sections of entries and a short summary, rebuilt from facts and notes.

    The work it waits for is a rebuild by the careful tier.
    """

    policy = Policy(length=timedelta(minutes=15), pause=timedelta(minutes=20), job="profile")

    guild = GuildFrom("member")
    member = models.OneToOneField(Member, models.CASCADE, related_name="profile")
    summary = models.CharField(max_length=800, blank=True)
    dirty = models.BooleanField(default=False, help_text="To be rebuilt by the careful tier.")
    outdated = models.BooleanField(default=False, help_text="Facts changed: lines that lost their ground are to go.")
    revision = models.PositiveBigIntegerField(
        default=0, help_text="Counts writes and marks, so that a slow answer overwrites nothing newer."
    )
    updated_at = models.DateTimeField(default=timezone.now)

    objects = ProfileQuerySet.as_manager()

    def __str__(self) -> str:
        return f"Profile of {self.member}"


class ProfileEntry(models.Model):
    """One line of a profile; a refused line is kept so that it does not come back from the same sources."""

    class Section(models.TextChoices):
        BIO = "bio", "Bio"
        INTERESTS = "interests", "Interests"
        SKILLS = "skills", "Skills"
        OPINIONS = "opinions", "Opinions"
        RELATIONSHIPS = "relationships", "Relationships"
        OTHER = "other", "Other"

    class Status(models.TextChoices):
        SHOWN = "shown", "Shown"
        REFUSED = "refused", "Refused by the member or an operator"

    class WrittenBy(models.TextChoices):
        RULES = "rules", "The rules, from a fact"
        MODEL = "model", "A language model"
        PERSON = "person", "A person"

    guild = GuildFrom("profile")
    profile = models.ForeignKey(Profile, models.CASCADE, related_name="entries")
    section = models.CharField(max_length=15, choices=Section.choices)
    text = models.CharField(max_length=400)
    normalized = models.CharField(max_length=400)
    position = models.PositiveSmallIntegerField(default=0)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.SHOWN)
    written_by = models.CharField(max_length=10, choices=WrittenBy.choices, default=WrittenBy.RULES)
    pinned = models.BooleanField(default=False, help_text="A person's own wording: no revision changes it.")
    refused_at = models.DateTimeField(
        null=True, blank=True, help_text="Only what was said later may bring the line back."
    )
    audience = models.ForeignKey(Channel, models.CASCADE, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar[list[str]] = ["section", "position", "pk"]
        verbose_name_plural = "profile entries"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                "profile",
                "normalized",
                models.functions.Coalesce("audience_id", 0),
                "guild",
                name="one_entry_per_statement",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.section}: entry {self.pk}"


class EntrySourceQuerySet(models.QuerySet["EntrySource"]):
    """What lines rest on, as far as it may be told."""

    def told(self, guild: Guild, *, to: Member | None = None) -> Self:
        """Return the guild's sources without the notes that `InteractionNote.objects.told` leaves out."""
        told = InteractionNote.objects.told(guild, to=to)
        return self.filter(Q(note=None) | Q(note__in=told), guild=guild)


class EntrySource(models.Model):
    """What a line of a profile rests on: a note, and through it messages; or a message of a talk too short for one."""

    guild = GuildFrom("entry")
    entry = models.ForeignKey(ProfileEntry, models.CASCADE, related_name="sources")
    note = models.ForeignKey(InteractionNote, models.CASCADE, null=True, related_name="entry_sources")
    message = models.ForeignKey(Message, models.CASCADE, null=True, related_name="entry_sources")

    objects = EntrySourceQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["entry", "note", "guild"], name="one_source_row_per_note"),
            models.UniqueConstraint(fields=["entry", "message", "guild"], name="one_source_row_per_message"),
            models.CheckConstraint(
                condition=Q(note=None, message__isnull=False) | Q(note__isnull=False, message=None),
                name="entry_source_is_one_thing",
            ),
        ]

    def __str__(self) -> str:
        return f"entry {self.entry_id} from {f'note {self.note_id}' if self.note_id else f'message {self.message_id}'}"

    @property
    def number(self) -> int:
        """Return what a revision knows it by: the note's row number, or the message's below zero."""
        return self.note_id or -(self.message_id or 0)

    @property
    def title(self) -> str:
        """Return what it is called, for a person to read."""
        return self.note.title if self.note else "A message"

    @property
    def at(self) -> datetime:
        """Return when the talk ended, or the message was sent."""
        return self.note.ended_at if self.note else cast("Message", self.message).sent_at

    @property
    def day(self) -> date:
        """Return the day of it in the guild's time zone."""
        return self.note.note_date if self.note else day_of(self.entry.profile.member.guild, self.at)


class RelationshipDay(models.Model):
    """What one member did towards another in a channel on one day; strength is worked out when read."""

    guild = GuildFrom("channel")
    source = models.ForeignKey(Member, models.CASCADE, related_name="relationship_days")
    target = models.ForeignKey(Member, models.CASCADE, related_name="+")
    channel = models.ForeignKey(Channel, models.CASCADE, related_name="relationship_days")
    day = models.DateField(help_text="In the guild's time zone.")
    replies = models.PositiveIntegerField(default=0)
    mentions = models.PositiveIntegerField(default=0)
    together = models.PositiveIntegerField(default=0, help_text="Conversations that both took part in.")
    voice_minutes = models.PositiveIntegerField(default=0)

    objects = RelationshipDayQuerySet.as_manager()

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["channel", "day"], name="relationship_channel_day")
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["source", "target", "day", "channel", "guild"], name="one_relationship_row_per_day"
            ),
            models.CheckConstraint(condition=~Q(source=F("target")), name="no_relationship_with_oneself"),
        ]

    def __str__(self) -> str:
        return f"{self.source} to {self.target} on {self.day}"


class Relationship(models.Model):
    """What an operator says of two members; it wins over the counted strength until it is cleared."""

    guild = GuildFrom("first")
    first = models.ForeignKey(Member, models.CASCADE, related_name="+")
    second = models.ForeignKey(Member, models.CASCADE, related_name="+")
    level = models.FloatField(help_text="0 to 1")
    actor = models.CharField(max_length=100)
    set_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["first", "second", "guild"], name="one_manual_level_per_pair"),
            models.CheckConstraint(condition=Q(first__lt=F("second")), name="relationship_pair_in_order"),
            models.CheckConstraint(condition=Q(level__range=(0.0, 1.0)), name="relationship_level_0_to_1"),
        ]

    def __str__(self) -> str:
        return f"{self.first} and {self.second}: {self.level}"
