"""Measures speed and quality. Nothing imports it."""
