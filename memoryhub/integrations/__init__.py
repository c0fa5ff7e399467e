"""Adapters for agents' frameworks over the JSON API; each is one file that needs nothing else of the hub: copy it."""
