"""The tables of what the bot posts unasked: recaps, line by line, and how far moderators were told of the log."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone

from memoryhub.community.guild_from import GuildFrom
from memoryhub.community.models import PLATFORM_ID, Guild, Member
from memoryhub.community.querysets import GuildScoped
from memoryhub.db.leases import Lease, Policy
from notes.models import InteractionNote, Message

INTRO, LINE = 600, 200  # characters


class Recap(Lease):
    """What happened in a guild in a stretch of time, for people to read; the work it waits for is to be posted."""

    policy = Policy(length=timedelta(minutes=5), pause=timedelta(minutes=1))

    class Every(models.TextChoices):
        WEEK = "weekly", "The week"
        MONTH = "monthly", "The month"
        ASKED = "asked", "Asked for"

    class Status(models.TextChoices):
        DRAFT = "draft", "Draft"
        WAITING = "waiting", "Waiting to be posted"
        POSTED = "posted", "Posted"
        DISCARDED = "discarded", "Discarded"
        EMPTY = "empty", "Nothing to tell"

    guild = models.ForeignKey(Guild, models.CASCADE, related_name="recaps")
    every = models.CharField(max_length=8, choices=Every.choices, default=Every.ASKED)
    since = models.DateTimeField()
    until = models.DateTimeField()
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.DRAFT)
    intro = models.CharField(max_length=INTRO, blank=True, help_text="A moderator's own words above it.")
    channel_id = models.CharField(max_length=PLATFORM_ID, blank=True, help_text="The platform's id of where it goes.")
    actor = models.CharField(max_length=100, blank=True, help_text="Who had it written, posted or discarded.")
    message_id = models.CharField(max_length=PLATFORM_ID, blank=True, help_text="The platform's id of the post.")
    tried_at = models.DateTimeField(null=True, blank=True, help_text="When it was first about to be posted.")
    posted_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    objects = GuildScoped["Recap"].as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-until", "-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["guild", "every", "until"], condition=~Q(every="asked"), name="one_recap_of_a_period"
            ),
        ]

    def __str__(self) -> str:
        return f"recap {self.pk}"


class RecapLine(models.Model):
    """One line of a recap, and the one thing that it rests on: where that goes, the line goes."""

    class Section(models.TextChoices):
        HAPPENED = "happened", "What happened"
        DECIDED = "decided", "Decided"
        PLANNED = "planned", "Coming up"
        JOINED = "joined", "New here"
        LORE = "lore", "Became lore"
        ON_THIS_DAY = "day", "On this day"
        NUMBERS = "numbers", "In numbers"

    guild = GuildFrom("recap")
    recap = models.ForeignKey(Recap, models.CASCADE, related_name="lines")
    section = models.CharField(max_length=8, choices=Section.choices)
    place = models.PositiveSmallIntegerField(help_text="Where it stands in the recap.")
    text = models.CharField(max_length=LINE)
    note = models.ForeignKey(InteractionNote, models.CASCADE, null=True, blank=True, related_name="+")
    message = models.ForeignKey(Message, models.CASCADE, null=True, blank=True, related_name="+")
    fact = models.ForeignKey("memory.Fact", models.CASCADE, null=True, blank=True, related_name="+")
    member = models.ForeignKey(Member, models.CASCADE, null=True, blank=True, related_name="+")

    objects = GuildScoped["RecapLine"].as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["place", "pk"]

    def __str__(self) -> str:
        return f"line {self.pk} of recap {self.recap_id}"


class ModeratorLog(Lease):
    """How far moderators were told of the action log in a channel; the work it waits for is to post the next line."""

    policy = Policy(length=timedelta(minutes=5), pause=timedelta(minutes=1), parks=False)

    guild = models.ForeignKey(Guild, models.CASCADE, related_name="moderator_logs")
    reached = models.BigIntegerField(help_text="The last line of the action log that was told, or was there before.")
    tried_at = models.DateTimeField(null=True, blank=True, help_text="When the next line was first about to be posted.")

    objects = GuildScoped["ModeratorLog"].as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["guild"], name="one_moderator_log_a_guild"),
        ]

    def __str__(self) -> str:
        return f"moderator log of {self.guild}"
