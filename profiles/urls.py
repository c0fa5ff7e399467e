"""Addresses of the pages of members and of the graph."""

from __future__ import annotations

from django.urls import path

from profiles.views import graph, members

urlpatterns = [
    path("members/", members.members, name="members"),
    path("graph/", graph.graph, name="graph"),
    path("graph/pair/", graph.relationship, name="relationship"),
    path("graph/switch/", graph.switch, name="switch-graph"),
]
