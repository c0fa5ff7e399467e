"""What we know and what the hub did, in Django's admin; the actions call the verbs that the other doors call too."""

from memory.admin import conversations, facts, people, records

__all__ = ["conversations", "facts", "people", "records"]
