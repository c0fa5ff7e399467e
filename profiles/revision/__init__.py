"""Revises a member's profile: proposes, validates, saves, and shows each entry with its sources."""
