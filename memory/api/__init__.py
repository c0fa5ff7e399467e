"""JSON routes of what is known and how it is used, by subject."""

from memory.api import (
    agent_items,
    catchup,
    compatibility,
    entries,
    events,
    facts,
    jobs,
    messages,
    recaps,
    rights,
    search,
    settings,
    snapshots,
    webhooks,
)

_PARTS = (
    messages, search, catchup, facts, entries, recaps, snapshots, jobs, settings, rights, webhooks, agent_items
)  # fmt: skip
routers = [each.router for each in _PARTS]
events_router = events.router
kept_router = compatibility.router
