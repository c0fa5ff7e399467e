"""Operators can look at every table, quickly however large it is, and change nothing but by the domain's verbs."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.checks import run_checks
from django.db import connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

import memoryhub.urls  # noqa: F401  where the admin's pages are found
from memoryhub.common.admin_base import CappedPaginator, RecordAdmin

OURS = [
    model
    for app in ("memoryhub", "community", "profiles", "notes", "memory", "botrunner")
    for model in apps.get_app_config(app).get_models()
    if model.__module__ != "notes.models.links"  # they tie rows that have pages of their own
]
FEW = 12  # queries of a list: who asks, rows, their count, what they point at, the values of filters
MODELS = pytest.mark.parametrize("model", OURS, ids=lambda model: model.__name__)


def desk(model) -> RecordAdmin:
    found = admin.site._registry[model]
    assert isinstance(found, RecordAdmin)
    return found


def test_every_model_is_in_the_admin():
    assert len(OURS) > 30
    assert [model.__name__ for model in OURS if not admin.site.is_registered(model)] == []


def test_djangos_own_checks_find_nothing_wrong_with_the_admin():
    assert run_checks(tags=["admin"]) == []


@MODELS
def test_a_table_can_be_searched_and_points_at_others_without_listing_them(model):
    assert desk(model).search_fields
    pointing = {field.name for field in [*model._meta.fields, *model._meta.many_to_many] if field.is_relation}
    assert pointing <= {*desk(model).raw_id_fields, *(desk(model).exclude or ())}


@MODELS
def test_a_table_is_neither_counted_to_its_end_nor_sorted_by_what_has_no_index(model):
    assert not desk(model).show_full_result_count
    assert desk(model).show_facets is admin.ShowFacets.NEVER
    assert issubclass(desk(model).paginator, CappedPaginator)
    assert tuple(desk(model).ordering) == ("-pk",)
    assert tuple(desk(model).sortable_by) == ()


@MODELS
def test_nothing_is_added_or_deleted_by_hand(model):
    request = RequestFactory().get("/")
    request.user = User(is_superuser=True, is_staff=True, is_active=True)
    assert not desk(model).has_add_permission(request)
    assert not desk(model).has_delete_permission(request)
    assert "delete_selected" not in desk(model).get_actions(request)


@MODELS
def test_what_the_rows_of_a_list_point_at_is_read_with_them(model):
    shown = {field.name for field in model._meta.fields if field.is_relation} & set(desk(model).list_display)
    assert shown <= {path.split("__")[0] for path in desk(model).list_select_related or ()}


@MODELS
@pytest.mark.django_db
def test_a_list_asks_few_questions(admin_client, model):
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert (
            admin_client.get(reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")).status_code
            == 200
        )
    assert len(queries) <= FEW
