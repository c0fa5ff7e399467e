"""Addresses of the pages of what was said and what happened."""

from __future__ import annotations

from django.urls import path

from notes.views import notes

urlpatterns = [
    path("notes/", notes.notes, name="notes"),
    path("notes/<int:pk>/", notes.note, name="note"),
    path("messages/<int:pk>/", notes.message, name="message"),
]
