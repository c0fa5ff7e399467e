"""JSON routes of what is known and how it is used, by subject."""

from memory.api import asking, facts, kept, messages, papers, parked, turns, work

routers = (messages.router, asking.router, turns.router, facts.router, papers.router, work.router, parked.router)
kept_router = kept.router
