"""How every table stands in Django's admin: to look at, quick at a million rows; changes only through domain verbs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, TypeVar, cast

import django_stubs_ext
from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest

django_stubs_ext.monkeypatch()  # Django's admin has no type parameters when it runs

Row = TypeVar("Row", bound=Model)
NEAR = 100_000  # rows that a search or a filter reads unless asked for all
COUNTED = 5_000  # rows; whoever looks for older ones narrows the list down


class CappedPaginator(Paginator[Any]):
    """A paginator that stops counting: the exact number of a large table takes longer than the page."""

    @cached_property
    def count(self) -> int:
        """Return how many rows there are, or the cap."""
        return cast("QuerySet[Any]", self.object_list)[:COUNTED].count()


class Reach(admin.SimpleListFilter):
    """How far back a list looks: at the newest rows, unless all are asked for; a search that finds little reads all."""

    title = "how far back"
    parameter_name = "reach"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return what can be chosen beside the newest rows."""
        return [("all", "All rows (slow)")]

    def choices(self, changelist: Any) -> Iterator[Any]:
        """Name what is chosen when nothing is."""
        for number, choice in enumerate(super().choices(changelist)):
            yield choice if number else choice | {"display": f"The newest {NEAR:,}"}

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Keep to the newest rows, which stand together."""
        return queryset if self.value() == "all" else queryset.filter(pk__gt=_newest(queryset.model) - NEAR)


def _newest(model: type[Model]) -> int:
    newest = model._default_manager.order_by("-pk").values_list("pk", flat=True).first()
    return newest if isinstance(newest, int) else 0  # where ids are words, the tables are small


class RecordAdmin(admin.ModelAdmin[Row]):
    """A table that people read: no adding, no deleting, and no changing but for the fields in `settable`."""

    settable: Sequence[str] = ()
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER  # they count the whole table once for each choice of each filter
    ordering = ("-pk",)
    sortable_by = ()  # most columns of the large tables have no index
    paginator = CappedPaginator
    list_per_page = 50

    def __init__(self, model: type[Row], admin_site: admin.AdminSite) -> None:
        """Point at other tables' rows without listing them, and read with a list those that it shows."""
        super().__init__(model, admin_site)
        pointing = [field.name for field in (*self.opts.fields, *self.opts.many_to_many) if field.is_relation]
        shown = self.list_select_related or [name for name in self.list_display if name in pointing]
        vars(self).update(raw_id_fields=pointing, list_select_related=shown)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse: rows come from the pipeline."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Row | None = None) -> bool:
        """Refuse: a bare delete leaves the indexes and what was derived behind; actions forget properly."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Row | None = None) -> bool:
        """Let a form be saved only where there is something to set."""
        return bool(self.settable) and super().has_change_permission(request, obj)

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Have the form send along what it showed: what somebody set since is not set back by saving the rest."""
        return super().formfield_for_dbfield(db_field, request, show_hidden_initial=True, **kwargs)

    def get_list_filter(self, request: HttpRequest) -> list[Any]:
        """Return the filters, and in a large table how far back it is looked."""
        return [*self.list_filter, *([Reach] if _newest(self.model) > NEAR else [])]

    def has_correct_permission(self, request: HttpRequest) -> bool:
        """Let actions that change something be called by those who may change the table."""
        return self._granted(request, "change")

    def has_forget_permission(self, request: HttpRequest) -> bool:
        """Let actions that erase be called by those who may delete from the table."""
        return self._granted(request, "delete")

    def _granted(self, request: HttpRequest, verb: str) -> bool:
        return request.user.has_perm(f"{self.opts.app_label}.{verb}_{self.opts.model_name}")

    def get_readonly_fields(self, request: HttpRequest, obj: Row | None = None) -> list[str]:
        """Return all fields but those that may be set."""
        fields = [*self.opts.fields, *self.opts.many_to_many]
        hidden = {*self.settable, *(self.exclude or ())}
        return [field.name for field in fields if field.name not in hidden]


class RowsInside(admin.TabularInline[Any, Any]):
    """Rows of another table on the page of the one they belong to, to read."""

    extra = 0
    max_num = 0
    can_delete = False
    show_change_link = True

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse: rows come from the pipeline."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse: these are histories."""
        return False
