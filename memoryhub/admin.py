"""People, keys, roles, the audit log, tombstones and choices, in Django's admin; `memory.admin` has the rest."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.contrib.admin.actions import delete_selected
from django.contrib.admin.utils import unquote
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import UserChangeForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from memoryhub.common.admin_base import RecordAdmin
from memoryhub.common.permissions import is_operator, one_operator_at_a_time
from memoryhub.community.models import ConsentChoice, DueWork, Event, GuildFigures, Tombstone
from memoryhub.models import ApiKey, AuditEntry, KeptAnswer, RequestCount, Role, SavedFilter, SharedNote

admin.site.site_header = "memoryhub"
admin.site.site_title = "memoryhub"
admin.site.index_title = "Every table, as it is stored"


OWN_RIGHTS = "Your own rights are another operator’s to take, so that one is always left."
OWN_ACCOUNT = "Your own account is another operator’s to close, so that one is always left. Nobody was deleted."
RIGHTS = ("is_active", "is_staff", "is_superuser")


class PersonForm(UserChangeForm[User]):
    """What an operator changes of somebody; `asks` is that operator."""

    asks: ClassVar[Any] = None

    def clean(self) -> dict[str, Any]:
        """Refuse to let operators take their own rights away."""
        given = super().clean() or self.cleaned_data
        if self.instance == self.asks and not all(given.get(name, True) for name in RIGHTS):
            raise ValidationError(OWN_RIGHTS)
        return given


admin.site.unregister(User)


@admin.register(User)
class PeopleAdmin(UserAdmin[User]):
    """Who may sign in: operators change each other here as on the page of people, but never lock themselves out."""

    form = PersonForm
    actions = ("delete_selected",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Leave accounts to operators: whoever makes one could make it theirs."""
        return is_operator(request.user)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Leave accounts to operators."""
        return is_operator(request.user)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Leave accounts to operators."""
        return is_operator(request.user)

    def get_form(self, request: HttpRequest, obj: User | None = None, change: bool = False, **kwargs: Any) -> Any:  # noqa: FBT001, FBT002  Django's
        """Return the form, which knows who asks."""
        form: Any = super().get_form(request, obj, change=change, **kwargs)
        form.asks = request.user
        return form

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:  # noqa: FBT001  Django's
        """Save, unless who asks stopped being an operator meanwhile."""
        with one_operator_at_a_time(request.user):
            super().save_model(request, obj, form, change)

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Ask and delete, but not oneself."""
        if self.get_object(request, unquote(object_id)) == request.user:
            return self._refuse(request)
        with one_operator_at_a_time(request.user):
            return super().delete_view(request, object_id, extra_context)

    @admin.action(description="Delete the selected people", permissions=["delete"])
    def delete_selected(self, request: HttpRequest, people: QuerySet[User]) -> HttpResponse | None:
        """Ask and delete, but not oneself."""
        if request.user in people:
            return self._refuse(request)
        with one_operator_at_a_time(request.user):
            return delete_selected(self, request, people)

    def _refuse(self, request: HttpRequest) -> HttpResponse:
        self.message_user(request, OWN_ACCOUNT, messages.ERROR)
        return redirect("admin:auth_user_changelist")


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


@admin.register(RequestCount)
class RequestCountAdmin(RecordAdmin[RequestCount]):
    """How many requests of its newest minute each key has had."""

    list_display = ("api_key", "minute", "drawn")
    list_select_related = ("api_key",)
    search_fields = ("api_key__name",)


@admin.register(SavedFilter)
class SavedFilterAdmin(RecordAdmin[SavedFilter]):
    """Filters of the memories that people saved for themselves."""

    list_display = ("name", "user", "query")
    list_select_related = ("user",)
    search_fields = ("name", "user__username")


@admin.register(SharedNote)
class SharedNoteAdmin(RecordAdmin[SharedNote]):
    """What all processes know, where there is no Redis: which services do not answer."""

    list_display = ("cache_key", "expires")
    search_fields = ("cache_key",)


@admin.register(DueWork)
class DueWorkAdmin(RecordAdmin[DueWork]):
    """Where background work may be due; a guild in which nothing happens is not in it."""

    list_display = ("guild", "work", "at")
    list_filter = ("work",)
    search_fields = ("guild__key",)


@admin.register(GuildFigures)
class GuildFiguresAdmin(RecordAdmin[GuildFigures]):
    """How much each guild has, as it was last counted."""

    list_display = ("guild", "counted_at")
    list_filter = ("counted_at",)
    search_fields = ("guild__key",)


@admin.register(Event)
class EventAdmin(RecordAdmin[Event]):
    """What changed, as it is told to those who listen; after 30 days an event goes."""

    list_display = ("at", "kind", "guild", "row", "member_number", "detail")
    list_filter = ("kind",)
    search_fields = ("guild__key", "detail")


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


@admin.register(Tombstone)
class TombstoneAdmin(RecordAdmin[Tombstone]):
    """That somebody was erased; it tells nobody who."""

    list_display = ("erased_at", "remember")
    search_fields = ("digest",)


@admin.register(ConsentChoice)
class ConsentChoiceAdmin(RecordAdmin[ConsentChoice]):
    """The history of choices."""

    list_display = ("member", "remember", "findable", "chosen_at", "actor")
    list_filter = ("remember",)
    search_fields = ("member__display_name", "member__platform_id", "actor")
