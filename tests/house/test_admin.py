"""Operators can look at every table."""

from __future__ import annotations

from django.apps import apps
from django.contrib import admin
from django.core.checks import run_checks

import memoryhub.urls  # noqa: F401  where the admin's pages are found

OURS = {"memoryhub", "profiles", "notes", "memory"}


def test_every_model_is_in_the_admin():
    models = [model for model in apps.get_models() if model._meta.app_label in OURS]
    assert len(models) > 15
    assert [model.__name__ for model in models if not admin.site.is_registered(model)] == []


def test_djangos_own_checks_find_nothing_wrong_with_the_admin():
    assert run_checks(tags=["admin"]) == []
