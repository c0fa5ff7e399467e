"""Profiles and relationships, in Django's admin; `memory.admin` registers those whose actions need what lies above."""

from __future__ import annotations

from django.contrib import admin

from memoryhub.common.admin_base import RecordAdmin, RowsInside
from profiles.models import EntrySource, Profile, ProfileEntry, Relationship, RelationshipDay


class EntryInside(RowsInside):
    """The lines of a profile."""

    model = ProfileEntry
    fk_name = "profile"
    fields = ("section", "text", "status", "pinned", "written_by", "audience", "created_at")


class ProfileRecords(RecordAdmin[Profile]):
    """Profiles with their lines."""

    list_display = ("member", "dirty", "outdated", "attempts", "updated_at")
    list_filter = ("dirty", "outdated")
    search_fields = ("member__display_name", "member__platform_id")
    inlines = (EntryInside,)


class ProfileEntryRecords(RecordAdmin[ProfileEntry]):
    """Lines of profiles."""

    list_display = ("text", "section", "profile", "status", "pinned", "written_by", "audience", "created_at")
    list_filter = ("section", "status", "pinned", "written_by")
    list_select_related = ("profile__member", "audience")
    search_fields = ("text",)


@admin.register(RelationshipDay)
class RelationshipDayAdmin(RecordAdmin[RelationshipDay]):
    """What was counted between two members, by day."""

    list_display = ("source", "target", "channel", "day", "replies", "mentions", "together", "voice_minutes")
    list_filter = ("day",)
    search_fields = ("source__display_name", "target__display_name")


class RelationshipRecords(RecordAdmin[Relationship]):
    """What operators said of two members."""

    list_display = ("first", "second", "level", "actor", "set_at")
    search_fields = ("first__display_name", "second__display_name", "actor")


@admin.register(EntrySource)
class EntrySourceAdmin(RecordAdmin[EntrySource]):
    """Which note a line of a profile rests on."""

    list_display = ("entry", "note")
    search_fields = ("entry__text", "note__title")
