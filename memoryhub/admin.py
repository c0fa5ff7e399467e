"""Guilds, channels, members, keys, kept answers, roles and the audit log, in Django's admin."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from memoryhub.common.admin_base import RecordAdmin, RowsInside
from memoryhub.community.models import Channel, ConsentChoice, Guild, Member, Tombstone
from memoryhub.models import ApiKey, AuditEntry, KeptAnswer, Role

admin.site.site_header = "memoryhub"
admin.site.site_title = "memoryhub"
admin.site.index_title = "Every table, as it is stored"


@admin.register(ApiKey)
class ApiKeyAdmin(RecordAdmin[ApiKey]):
    """Keys of the API: made by `create_api_key`, which shows a key once; revoked here."""

    list_display = ("name", "guild", "scope", "created_at", "last_used_at", "revoked_at")
    list_filter = ("scope", ("revoked_at", admin.EmptyFieldListFilter))
    search_fields = ("name", "guild__key")
    exclude = ("digest",)
    actions = ("revoke",)

    @admin.action(description="Revoke the selected keys", permissions=["correct"])
    def revoke(self, request: HttpRequest, keys: QuerySet[ApiKey]) -> None:
        """Close the keys for good."""
        count = keys.filter(revoked_at=None).update(revoked_at=timezone.now())
        self.message_user(request, f"Revoked: {count}.")


@admin.register(KeptAnswer)
class KeptAnswerAdmin(RecordAdmin[KeptAnswer]):
    """Answers kept for repeated requests."""

    list_display = ("api_key", "idempotency_key", "status", "at")
    list_filter = ("status",)
    search_fields = ("=idempotency_key", "api_key__name")
    exclude = ("body",)


@admin.register(Role)
class RoleAdmin(RecordAdmin[Role]):
    """Roles: given and changed on the page of people."""

    list_display = ("user", "kind", "everywhere")
    list_filter = ("kind", "everywhere")
    search_fields = ("user__username",)


@admin.register(AuditEntry)
class AuditEntryAdmin(RecordAdmin[AuditEntry]):
    """Who looked at whose memory, and who changed what."""

    list_display = ("at", "actor", "verb", "what", "row", "guild_id", "member_id")
    list_filter = ("verb",)
    search_fields = ("=actor", "=what")


class GuildRecords(RecordAdmin[Guild]):
    """Guilds: their settings can be changed."""

    list_display = ("name", "key", "kind", "memory_on", "consent_mode", "extraction_mode", "created_at")
    list_display_links = ("name", "key")
    list_filter = ("kind", "memory_on", "consent_mode", "extraction_mode")
    search_fields = ("name", "key")
    settable = (
        "name", "time_zone", "memory_on", "consent_mode", "extraction_mode", "relationships_on", "quiet_minutes",
        "summary_messages", "summary_minutes", "summary_profile_hours", "heard_bots", "own_bots", "blocked",
        "addressed_only", "heeds_no_entry", "hears_nsfw", "hears_private_threads", "hears_proxies", "off_categories",
        "leaving_days", "replies_on", "reply_channels", "reply_seconds", "member_search", "daily_tokens", "daily_usd",
        "review_all", "review_above", "member_hourly", "model_fast", "model_careful", "model_reply", "keep_health",
        "keep_finances", "strictness", "facts_a_member", "lore_facts", "stale_days", "message_days", "facts_outlive",
        "journal_days", "archive_days", "call_days", "action_days",
    )  # fmt: skip


class ChannelRecords(RecordAdmin[Channel]):
    """Channels: their memory can be switched off."""

    list_display = ("__str__", "guild", "kind", "audience", "memory_on", "parent")
    list_filter = ("kind", "audience", "memory_on")
    search_fields = ("name", "platform_id")
    settable = ("memory_on",)


class ConsentInside(RowsInside):
    """A member's choices."""

    model = ConsentChoice


class MemberRecords(RecordAdmin[Member]):
    """Members, with their choices about being remembered."""

    list_display = ("__str__", "guild", "platform_id", "is_bot", "remember", "last_seen_at")
    list_filter = ("is_bot", "remember")
    search_fields = ("display_name", "name", "platform_id")
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
    search_fields = ("member__display_name", "member__platform_id", "actor")
