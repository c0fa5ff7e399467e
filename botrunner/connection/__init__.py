"""The bot's connection to Discord: made, kept, ended."""
