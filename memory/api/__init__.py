"""JSON routes of what is known and how it is used, by subject."""

from memory.api import asking, blocking, entries, facts, kept, messages, papers, parked, turns, work

routers = (
    messages.router, asking.router, turns.router, facts.router, entries.router, papers.router, work.router,
    parked.router, blocking.router,
)  # fmt: skip
kept_router = kept.router
