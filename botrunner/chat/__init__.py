"""Answers who speaks to the bot."""
