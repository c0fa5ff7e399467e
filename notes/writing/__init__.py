"""Writes the note of a conversation, by a model or by rules."""
