"""Who and where, in Django's admin; `memory.admin` registers those whose actions need what lies above."""

from __future__ import annotations

from django.contrib import admin

from memoryhub.desk import RecordAdmin, RowsInside
from profiles.models import (
    Channel,
    ConsentChoice,
    Guild,
    Member,
    Profile,
    ProfileEntry,
    Relationship,
    RelationshipDay,
    Tombstone,
)


class GuildRecords(RecordAdmin[Guild]):
    """Guilds: their settings can be changed."""

    list_display = ("name", "key", "kind", "memory_on", "consent_mode", "extraction_mode", "created_at")
    list_display_links = ("name", "key")
    list_filter = ("kind", "memory_on", "consent_mode", "extraction_mode")
    search_fields = ("name", "key")
    settable = (
        "name",
        "time_zone",
        "memory_on",
        "consent_mode",
        "extraction_mode",
        "relationships_on",
        "quiet_minutes",
        "summary_messages",
        "summary_minutes",
        "summary_profile_hours",
        "heard_bots",
        "own_bots",
        "blocked",
        "addressed_only",
        "heeds_no_entry",
        "hears_nsfw",
        "hears_private_threads",
        "hears_proxies",
        "off_categories",
        "leaving_days",
        "replies_on",
        "reply_channels",
        "reply_seconds",
        "member_search",
        "daily_tokens",
        "daily_usd",
        "review_all",
        "review_above",
        "member_hourly",
        "model_fast",
        "model_careful",
        "model_reply",
        "keep_health",
        "keep_finances",
        "strictness",
        "facts_a_member",
        "lore_facts",
        "stale_days",
        "message_days",
        "facts_outlive",
        "journal_days",
        "archive_days",
        "call_days",
        "action_days",
    )


class ChannelRecords(RecordAdmin[Channel]):
    """Channels: their memory can be switched off."""

    list_display = ("__str__", "guild", "kind", "audience", "memory_on", "parent")
    list_filter = ("kind", "audience", "memory_on")
    list_select_related = ("guild", "parent")
    search_fields = ("name", "platform_id")
    raw_id_fields = ("guild", "parent")
    settable = ("memory_on",)


class ConsentInside(RowsInside):
    """A member's choices."""

    model = ConsentChoice


class MemberRecords(RecordAdmin[Member]):
    """Members, with their choices about being remembered."""

    list_display = ("__str__", "guild", "platform_id", "is_bot", "remember", "last_seen_at")
    list_filter = ("is_bot", "remember")
    list_select_related = ("guild",)
    search_fields = ("display_name", "name", "platform_id")
    raw_id_fields = ("guild",)
    inlines = (ConsentInside,)


@admin.register(Tombstone)
class TombstoneAdmin(RecordAdmin[Tombstone]):
    """That somebody was erased; it tells nobody who."""

    list_display = ("erased_at", "remember")
    search_fields = ("digest",)


@admin.register(ConsentChoice)
class ConsentChoiceAdmin(RecordAdmin[ConsentChoice]):
    """The history of choices."""

    list_display = ("member", "remember", "chosen_at", "actor")
    list_filter = ("remember",)
    list_select_related = ("member",)
    search_fields = ("member__display_name", "member__platform_id", "actor")
    raw_id_fields = ("member",)


class EntryInside(RowsInside):
    """The lines of a profile."""

    model = ProfileEntry
    fk_name = "profile"
    fields = ("section", "text", "status", "pinned", "written_by", "audience", "created_at")


class ProfileRecords(RecordAdmin[Profile]):
    """Profiles with their lines."""

    list_display = ("member", "dirty", "outdated", "attempts", "updated_at")
    list_filter = ("dirty", "outdated")
    list_select_related = ("member",)
    search_fields = ("member__display_name", "member__platform_id")
    raw_id_fields = ("member",)
    inlines = (EntryInside,)


class ProfileEntryRecords(RecordAdmin[ProfileEntry]):
    """Lines of profiles."""

    list_display = ("text", "section", "profile", "status", "pinned", "written_by", "audience", "created_at")
    list_filter = ("section", "status", "pinned", "written_by")
    list_select_related = ("profile__member", "audience")
    search_fields = ("text",)
    raw_id_fields = ("profile", "audience")


@admin.register(RelationshipDay)
class RelationshipDayAdmin(RecordAdmin[RelationshipDay]):
    """What was counted between two members, by day."""

    list_display = ("source", "target", "channel", "day", "replies", "mentions", "together", "voice_minutes")
    list_filter = ("day",)
    list_select_related = ("source", "target", "channel")
    search_fields = ("source__display_name", "target__display_name")
    raw_id_fields = ("source", "target", "channel")


class RelationshipRecords(RecordAdmin[Relationship]):
    """What operators said of two members."""

    list_display = ("first", "second", "level", "actor", "set_at")
    list_select_related = ("first", "second")
    search_fields = ("first__display_name", "second__display_name", "actor")
    raw_id_fields = ("first", "second")
