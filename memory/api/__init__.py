"""JSON routes of what is known and how it is used, by subject."""

from memory.api import (
    blocking,
    compatibility,
    context,
    entries,
    facts,
    jobs,
    lineage,
    messages,
    parked,
    review,
    rights,
    search,
    settings,
    snapshots,
)

routers = (
    lineage.router,  # before the messages, whose ids may hold a slash
    messages.router, search.router, context.router, facts.router, entries.router, snapshots.router, jobs.router,
    parked.router, blocking.router, rights.router,
    review.router, settings.router,
)  # fmt: skip
kept_router = compatibility.router
