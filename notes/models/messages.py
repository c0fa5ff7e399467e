"""Tables of what was said: messages, and the conversations that they form."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import ClassVar, Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from memoryhub.community.consent import remembers
from memoryhub.community.days import local
from memoryhub.community.models import PLATFORM_ID, Channel, Guild, Member
from memoryhub.community.querysets import ChannelScoped, GuildScoped
from memoryhub.community.told_work import ToldWork
from memoryhub.db.leases import Policy, ready


class MessageQuerySet(ChannelScoped["Message"]):
    """Messages of one guild, within the audience of their channels."""

    def readable(self) -> Self:
        """Return what still has its words: neither deleted nor let go by retention."""
        return self.filter(deleted_at=None, let_go_at=None)

    def said(self) -> Self:
        """Return people's own words that are still here."""
        return self.readable().filter(author__is_bot=False)

    def posted(self) -> Self:
        """Return what people wrote and did not delete, also where retention let the words go: it still counts."""
        return self.filter(deleted_at=None, author__is_bot=False)

    def row_ids(self, platform_ids: Collection[str]) -> dict[str, int]:
        """Return the row ids of the messages with these ids of their platform, by those."""
        return dict(self.filter(platform_id__in=platform_ids).values_list("platform_id", "pk"))

    def unprocessed(self, now: datetime) -> Self:
        """Return what extraction has still to read, oldest first, without what waits or is parked."""
        return ready(self.unread(), now=now).order_by("sent_at", "pk")

    def unread(self) -> Self:
        """Return what extraction has still to read, also what waits for its next try."""
        learnable = Q(author__is_bot=False) | Q(tool_summary=True)
        return self.filter(learnable, deleted_at=None, processed_at=None, parked_at=None)


class BufferQuerySet(GuildScoped["ChannelBuffer"]):
    """Buffers by where they stand."""

    def due(self, now: datetime) -> Self:
        """Return open buffers that went quiet, grew old or grew full."""
        return self.filter(status="open", due_at__lte=now)


class ChannelBuffer(ToldWork):
    """One conversation of a channel: open while people talk, closed until it is digested, done when it is memory."""

    policy = Policy(
        length=timedelta(minutes=15),  # longer than the slowest step of a digest
        pause=timedelta(minutes=4),
        job="digest:{0.step}",
        parked={"status": "parked"},
        unparked={"status": "closed"},
    )

    class Status(models.TextChoices):
        OPEN = "open", "Open"
        CLOSED = "closed", "Waiting to be processed"
        DONE = "done", "Digested"
        PARKED = "parked", "Failed, needs attention"

    class Step(models.TextChoices):
        EXTRACT = "extract", "Facts"
        NOTE = "note", "Note"
        PROFILES = "profiles", "Profiles"
        RELATE = "relate", "Relationships"
        DONE = "done", "Nothing left"

    guild = models.ForeignKey(Guild, models.CASCADE, related_name="buffers")
    channel = models.ForeignKey(Channel, models.CASCADE, related_name="buffers")
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.OPEN)
    step = models.CharField(
        max_length=10, choices=Step.choices, default=Step.EXTRACT, help_text="The next step of its digest."
    )
    reached = models.CharField(
        max_length=50, blank=True, help_text="How far the step came: its next try goes on there."
    )
    message_count = models.PositiveIntegerField(default=0)
    opened_at = models.DateTimeField()
    last_message_at = models.DateTimeField()
    due_at = models.DateTimeField(help_text="When it ends if nobody says more: quiet, old or full.")
    closed_at = models.DateTimeField(null=True, blank=True)
    digested_at = models.DateTimeField(null=True, blank=True, help_text="When it last became memory.")

    objects = BufferQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-last_message_at"]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["status", "due_at"], name="buffer_status")]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["channel", "guild"], condition=Q(status="open"), name="one_open_buffer_per_channel"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.channel}: {self.message_count} messages, {self.status}"


class Message(ToldWork):
    """What somebody said; once it is committed it is never lost, and once it is deleted its text is gone.

    The work it waits for is to be read for facts.
    """

    policy = Policy(length=timedelta(minutes=10), pause=timedelta(minutes=5), job="learning")

    class Source(models.TextChoices):
        TEXT = "text", "Text"
        VOICE = "voice", "Voice transcript"
        IMPORT = "import", "Import"

    guild = models.ForeignKey(Guild, models.CASCADE, related_name="messages", db_index=False)
    channel = models.ForeignKey(Channel, models.CASCADE, related_name="messages", db_index=False)
    author = models.ForeignKey(Member, models.CASCADE, related_name="messages", db_index=False)
    buffer = models.ForeignKey(ChannelBuffer, models.SET_NULL, null=True, blank=True, related_name="messages")
    platform_id = models.CharField(max_length=PLATFORM_ID)
    text = models.TextField()
    reply_to = models.CharField(
        max_length=PLATFORM_ID, blank=True, help_text="The platform id of the message answered."
    )
    mentions: models.JSONField[list[str]] = models.JSONField(default=list, help_text="Platform ids of members.")
    source = models.CharField(max_length=10, choices=Source.choices, default=Source.TEXT)
    tool_summary = models.BooleanField(
        default=False, help_text="A bot's account of what a tool found: the only words of a bot that are learned from."
    )
    carries_instruction = models.BooleanField(
        default=False,
        db_default=False,
        help_text="It orders a bot or a model about, so none is handed it; known once it was read for facts.",
    )
    sent_at = models.DateTimeField()
    received_at = models.DateTimeField(default=timezone.now)
    edited_at = models.DateTimeField(null=True, blank=True)
    deleted_at = models.DateTimeField(null=True, blank=True)
    let_go_at = models.DateTimeField(
        null=True, blank=True, help_text="When retention let its text go: what was learned from it stays."
    )
    processed_at = models.DateTimeField(null=True, blank=True, help_text="When extraction read it.")

    objects = MessageQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["sent_at", "pk"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["channel", "sent_at"], name="message_channel_time"),
            models.Index(fields=["author", "sent_at"], name="message_author_time"),
            models.Index(fields=["guild", "sent_at"], name="message_guild_time"),
            models.Index(fields=["sent_at"], condition=Q(processed_at=None), name="message_unprocessed"),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["guild", "platform_id"], name="one_message_per_platform_id"),
            models.CheckConstraint(condition=Q(deleted_at=None) | Q(text=""), name="deleted_message_has_no_text"),
            models.CheckConstraint(condition=Q(let_go_at=None) | Q(text=""), name="message_let_go_has_no_text"),
        ]

    def __str__(self) -> str:
        return f"message {self.platform_id}"

    @classmethod
    def on_parked(cls, rows: Sequence[Self], *, now: datetime) -> None:
        """Tell once of messages that were read together, by the first of them."""
        super().on_parked(rows[:1], now=now)

    @property
    def absence(self) -> str:
        """Return why its words are not shown, for a person to read; empty where they are."""
        if self.deleted_at:
            return "deleted"
        if self.let_go_at:
            return f"its text was deleted on {local(self.guild, self.let_go_at):%-d %B %Y}"
        return "" if self.author.is_bot or remembers(self.guild, self.author) else "not remembered"

    @property
    def heard_by(self) -> int | None:
        """Return the audience that it carries: None for the whole guild, else its channel's row id."""
        return self.channel.heard_by_at(self.sent_at)
