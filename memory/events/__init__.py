"""Tells those who listen what changed in a guild: streams that stay open, and webhooks that are called."""
