"""What a community gets out of its memory through the bot: as plain functions that answer in text."""
