"""JSON routes of what is known and how it is used, by subject."""

from memory.api import (
    asking,
    blocking,
    entries,
    facts,
    kept,
    lineage,
    messages,
    papers,
    parked,
    review,
    rights,
    settings,
    turns,
    work,
)

routers = (
    lineage.router,  # before the messages, whose ids may hold a slash
    messages.router, asking.router, turns.router, facts.router, entries.router, papers.router, work.router,
    parked.router, blocking.router, rights.router,
    review.router, settings.router,
)  # fmt: skip
kept_router = kept.router
