"""Where a message stands on Discord: the bot and the pages link to what they tell of."""

from __future__ import annotations


def message_url(guild_key: str, *, channel: int | str, message: int | str) -> str:
    """Return the address of a message in a server, or in a direct chat, by the platform's ids."""
    platform, _, number = guild_key.partition(":")
    return f"https://discord.com/channels/{number if platform == 'discord' else '@me'}/{channel}/{message}"
