"""Filters of the pages of notes."""
