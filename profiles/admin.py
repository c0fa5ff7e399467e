"""Profiles and relationships, in Django's admin; `memory.admin` registers those whose actions need what lies above."""

from __future__ import annotations

from django.contrib import admin

from memoryhub.common.admin_base import RecordAdmin
from profiles.models import EntrySource, RelationshipDay


@admin.register(RelationshipDay)
class RelationshipDayAdmin(RecordAdmin[RelationshipDay]):
    """What was counted between two members, by day."""

    list_display = ("source", "target", "channel", "day", "replies", "mentions", "together", "voice_minutes")
    list_filter = ("day",)
    search_fields = ("source__display_name", "target__display_name")


@admin.register(EntrySource)
class EntrySourceAdmin(RecordAdmin[EntrySource]):
    """Which note a line of a profile rests on."""

    list_display = ("entry", "note", "message")
    search_fields = ("entry__text", "note__title")
