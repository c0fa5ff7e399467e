"""Addresses of the pages of what was said and what happened."""

from __future__ import annotations

from django.urls import path

from notes import views

urlpatterns = [
    path("notes/", views.notes, name="notes"),
    path("notes/<int:pk>/", views.note, name="note"),
    path("messages/<int:pk>/", views.message, name="message"),
]
