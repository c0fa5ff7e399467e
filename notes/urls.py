"""Addresses of the pages of what was said and what happened."""

from __future__ import annotations

from django.urls import path

from notes.views import arrangements, channels, notes

urlpatterns = [
    path("notes/", notes.notes, name="notes"),
    path("notes/<int:pk>/", notes.note, name="note"),
    path("plans/", arrangements.plans, name="plans"),
    path("plans/calendar/", arrangements.calendar, name="plans-calendar"),
    path("plans/<int:pk>/aside/", arrangements.put_aside, name="put-plan-aside"),
    path("channels/", channels.channels, name="channels"),
    path("channels/<int:pk>/", channels.channel, name="channel"),
    path("channels/<int:pk>/summarize/", channels.do, name="summarize-channel"),
    path("channels/<int:pk>/flush/", channels.do, name="flush-channel"),
]
