"""JSON routes of members, their profiles and their relationships."""

from profiles.api import members, relationships

routers = (relationships.router, members.router)
"""The longer addresses first: an id may hold a slash."""
