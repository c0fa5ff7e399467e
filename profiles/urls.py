"""Addresses of the pages of who is known."""

from __future__ import annotations

from django.urls import path

from profiles import views

urlpatterns = [path("members/", views.members, name="members")]
