"""JSON routes of what is known and how it is used, by subject."""

from memory.api import (
    compatibility,
    entries,
    events,
    facts,
    jobs,
    messages,
    rights,
    search,
    settings,
    snapshots,
    webhooks,
)

routers = [each.router for each in (messages, search, facts, entries, snapshots, jobs, settings, rights, webhooks)]
events_router = events.router
kept_router = compatibility.router
