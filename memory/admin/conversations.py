"""Messages, conversations and notes in Django's admin, with what can be done about them."""

from __future__ import annotations

from django.contrib import admin

from memory import pipeline
from memory.admin.row_actions import by_guild, count_action, row_action
from memory.curation import parked
from memory.withdrawal import withdraw
from memoryhub.common.admin_base import RecordAdmin
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

    replay = count_action(
        "Read what is parked again",
        lambda rows, **signed: sum(
            parked.replay(guild, messages=[row.pk for row in some], **signed).messages for guild, some in by_guild(rows)
        ),
    )
    forget = count_action(
        "Delete the text, and what was learned from it",
        lambda rows, *, now, **_: sum(
            pipeline.delete(guild, message_ids=[row.platform_id for row in some], now=now)
            for guild, some in by_guild(rows)
        ),
        permission="forget",
    )


@admin.register(ChannelBuffer)
class BufferAdmin(RecordAdmin[ChannelBuffer]):
    """Conversations, which can be digested again where that failed."""

    list_display = ("channel", "guild", "status", "step", "message_count", "last_message_at", "attempts", "last_error")
    list_filter = ("status", "step")
    search_fields = ("channel__name", "channel__platform_id", "last_error")
    actions = ("replay",)

    replay = count_action(
        "Digest what is parked again",
        lambda rows, **signed: sum(
            parked.replay(guild, buffers=[row.pk for row in some], **signed).buffers for guild, some in by_guild(rows)
        ),
    )
