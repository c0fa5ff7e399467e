"""What was said and what happened, in Django's admin.

Messages, notes and buffers are registered by `memory.admin`, with the actions that need what lies above.
"""

from __future__ import annotations

from django.contrib import admin

from memoryhub.common.admin_base import RecordAdmin
from notes.models import ChannelBuffer, InteractionNote, Journal, Message, Question, Summary


class BufferRecords(RecordAdmin[ChannelBuffer]):
    """Conversations and where their digest stands."""

    list_display = ("channel", "guild", "status", "step", "message_count", "last_message_at", "attempts", "last_error")
    list_filter = ("status", "step")
    search_fields = ("channel__name", "channel__platform_id", "last_error")


class MessageRecords(RecordAdmin[Message]):
    """Messages; the list shows no text."""

    list_display = ("platform_id", "author", "channel", "guild", "source", "sent_at", "processed_at", "parked_at")
    list_filter = (
        "source",
        ("parked_at", admin.EmptyFieldListFilter),
        ("deleted_at", admin.EmptyFieldListFilter),
        "sent_at",
    )
    search_fields = ("=platform_id", "=author__platform_id", "=channel__platform_id")


class NoteRecords(RecordAdmin[InteractionNote]):
    """Notes of conversations and topics of a day."""

    list_display = ("title", "guild", "channel", "kind", "note_date", "audience")
    list_filter = ("kind", "note_date")
    search_fields = ("title", "summary")


@admin.register(Summary)
class SummaryAdmin(RecordAdmin[Summary]):
    """What channels are about."""

    list_display = ("channel", "guild", "kind", "from_at", "to_at", "generated_at")
    list_filter = ("kind",)
    search_fields = ("channel__name", "text")


@admin.register(Question)
class QuestionAdmin(RecordAdmin[Question]):
    """Questions that channels left open, and those that were answered."""

    list_display = ("text", "channel", "guild", "asked_by", "asked_at", "answered_at")
    list_filter = (("answered_at", admin.EmptyFieldListFilter),)
    search_fields = ("text", "channel__name")


@admin.register(Journal)
class JournalAdmin(RecordAdmin[Journal]):
    """Journals by day."""

    list_display = ("day", "guild", "generated_at")
    list_filter = ("day",)
    search_fields = ("guild__name", "guild__key")
