"""Operators can look at every table."""

from __future__ import annotations

from django.apps import apps
from django.contrib import admin

OURS = {"memoryhub", "profiles", "notes", "memory"}


def test_every_model_is_in_the_admin():
    models = [model for model in apps.get_models() if model._meta.app_label in OURS]
    assert len(models) > 15
    assert [model.__name__ for model in models if not admin.site.is_registered(model)] == []
