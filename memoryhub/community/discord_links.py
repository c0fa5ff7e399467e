"""Where a message stands on Discord: the bot and the pages link to what they tell of."""

from __future__ import annotations


def message_url(guild_key: str, *, channel: int | str, message: int | str) -> str:
    """Return the address of a message in a server, or in a direct chat, by the platform's ids.

    "" for one that is not on Discord: another bot's, or one that came from elsewhere by an import.
    """
    platform, _, number = guild_key.partition(":")
    if platform not in ("discord", "discord-dm") or not all(str(each).isdecimal() for each in (channel, message)):
        return ""
    return f"https://discord.com/channels/{number if platform == 'discord' else '@me'}/{channel}/{message}"
