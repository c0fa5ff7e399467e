"""Answers a question with ranked memories and their sources."""
