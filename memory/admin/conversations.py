"""Messages, conversations and notes in Django's admin, with what can be done about them."""

from __future__ import annotations

from itertools import groupby

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from memory import pipeline
from memory.admin.row_actions import row_action
from memory.curation import parked
from memory.withdrawal import withdraw
from memoryhub.common.admin_base import RecordAdmin
from memoryhub.common.permissions import actor
from notes.models import ChannelBuffer, InteractionNote, Message


@admin.register(InteractionNote)
class NoteAdmin(RecordAdmin[InteractionNote]):
    """Notes, which can be forgotten."""

    list_display = ("title", "guild", "channel", "kind", "note_date", "audience")
    list_filter = ("kind", "note_date")
    search_fields = ("title", "summary")
    actions = ("forget",)

    forget = row_action("Forget for good", withdraw.forget_note, permission="forget")


@admin.register(Message)
class MessageAdmin(RecordAdmin[Message]):
    """Messages, whose text can be deleted with all that rests on it, and which can be read again."""

    list_display = ("platform_id", "author", "channel", "guild", "source", "sent_at", "processed_at", "parked_at")
    list_filter = (
        "source",
        ("parked_at", admin.EmptyFieldListFilter),
        ("deleted_at", admin.EmptyFieldListFilter),
        "sent_at",
    )
    search_fields = ("=platform_id", "=author__platform_id", "=channel__platform_id")
    actions = ("replay", "forget")

    @admin.action(description="Read what is parked again", permissions=["correct"])
    def replay(self, request: HttpRequest, rows: QuerySet[Message]) -> None:
        """Have the parked ones tried again by the worker."""
        done = sum(
            parked.replay(guild, messages=[row.pk for row in some], actor=actor(request), now=timezone.now()).messages
            for guild, some in groupby(_by_guild(rows), key=lambda row: row.guild)
        )
        self.message_user(request, f"Done: {done}.")

    @admin.action(description="Delete the text, and what was learned from it", permissions=["forget"])
    def forget(self, request: HttpRequest, rows: QuerySet[Message]) -> None:
        """Empty the messages, guild by guild."""
        done = sum(
            pipeline.delete(guild, message_ids=[row.platform_id for row in some], now=timezone.now())
            for guild, some in groupby(_by_guild(rows), key=lambda row: row.guild)
        )
        self.message_user(request, f"Done: {done}.")


@admin.register(ChannelBuffer)
class BufferAdmin(RecordAdmin[ChannelBuffer]):
    """Conversations, which can be digested again where that failed."""

    list_display = ("channel", "guild", "status", "step", "message_count", "last_message_at", "attempts", "last_error")
    list_filter = ("status", "step")
    search_fields = ("channel__name", "channel__platform_id", "last_error")
    actions = ("replay",)

    @admin.action(description="Digest what is parked again", permissions=["correct"])
    def replay(self, request: HttpRequest, rows: QuerySet[ChannelBuffer]) -> None:
        """Have the parked ones tried again by the worker."""
        buffers = rows.select_related("guild").order_by("guild")
        done = sum(
            parked.replay(guild, buffers=[row.pk for row in some], actor=actor(request), now=timezone.now()).buffers
            for guild, some in groupby(buffers, key=lambda row: row.guild)
        )
        self.message_user(request, f"Done: {done}.")


def _by_guild(rows: QuerySet[Message]) -> QuerySet[Message]:
    return rows.select_related("guild").order_by("guild")
