"""What was said and what happened, in Django's admin.

Messages, notes and buffers are registered by `memory.admin`, with the actions that need what lies above.
"""

from __future__ import annotations

from django.contrib import admin

from memoryhub.common.admin_base import RecordAdmin
from notes.models import Arrangement, Journal, Question, Summary


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


@admin.register(Arrangement)
class ArrangementAdmin(RecordAdmin[Arrangement]):
    """What was decided and planned."""

    list_display = ("text", "channel", "guild", "decided", "change", "due_at", "said_at")
    list_filter = ("decided", "change", ("put_aside_at", admin.EmptyFieldListFilter))
    search_fields = ("text", "channel__name")
