"""Keys, kept answers, roles and the audit log, in Django's admin."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from memoryhub.desk import RecordAdmin
from memoryhub.models import ApiKey, AuditEntry, KeptAnswer, Role

admin.site.site_header = "memoryhub"
admin.site.site_title = "memoryhub"
admin.site.index_title = "Every table, as it is stored"


@admin.register(ApiKey)
class ApiKeyAdmin(RecordAdmin[ApiKey]):
    """Keys of the API: made by `create_api_key`, which shows a key once; revoked here."""

    list_display = ("name", "guild", "scope", "created_at", "last_used_at", "revoked_at")
    list_filter = ("scope", ("revoked_at", admin.EmptyFieldListFilter))
    list_select_related = ("guild",)
    search_fields = ("name", "guild__key")
    raw_id_fields = ("guild",)
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
    list_select_related = ("api_key",)
    search_fields = ("=idempotency_key", "api_key__name")
    raw_id_fields = ("api_key",)
    exclude = ("body",)


@admin.register(Role)
class RoleAdmin(RecordAdmin[Role]):
    """Roles: given and changed on the page of people."""

    list_display = ("user", "kind", "everywhere")
    list_filter = ("kind", "everywhere")
    list_select_related = ("user",)
    search_fields = ("user__username",)
    raw_id_fields = ("user", "guilds")


@admin.register(AuditEntry)
class AuditEntryAdmin(RecordAdmin[AuditEntry]):
    """Who looked at whose memory, and who changed what."""

    list_display = ("at", "actor", "verb", "what", "row", "guild_id", "member_id")
    list_filter = ("verb",)
    search_fields = ("=actor", "=what")
