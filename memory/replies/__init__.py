"""Answers a member who speaks to the bot, with memory and its tools."""
