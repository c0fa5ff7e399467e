"""JSON routes of what is known and how it is used, by subject."""

from memory.api import compatibility, entries, facts, jobs, messages, rights, search, settings, snapshots

routers = [each.router for each in (messages, search, facts, entries, snapshots, jobs, settings, rights)]
kept_router = compatibility.router
