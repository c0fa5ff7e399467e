"""Finds the archived threads of a channel, which the gateway names no more."""

from __future__ import annotations

from datetime import datetime

import discord

from botrunner.history.estimate import Parent


async def archived_threads(channel: Parent, *, private: bool, since: datetime | None = None) -> list[discord.Thread]:
    """Return the threads that were archived, since a moment if one is given; private ones if wanted and joined.

    Raises Forbidden where the public ones may not be read; private ones that may not be are left out.
    """
    found = list[discord.Thread]()
    async for thread in channel.archived_threads(limit=None):  # the newest first
        if since and thread.archive_timestamp < since:
            break
        found.append(thread)
    if private and isinstance(channel, discord.TextChannel) and not channel.is_news():
        try:
            joined = channel.archived_threads(private=True, joined=True, limit=None)  # the youngest first
            found += [thread async for thread in joined if not since or thread.archive_timestamp >= since]
        except discord.Forbidden:
            pass
    return found
