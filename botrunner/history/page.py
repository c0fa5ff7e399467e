"""Reads a page of a channel's history; one message that nobody can read hides none of the others."""

from __future__ import annotations

import logging
from typing import TypeAlias

import discord

from botrunner import error_text

logger = logging.getLogger(__name__)

Readable: TypeAlias = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread

PAGE = 100  # messages; the most that Discord gives at once


async def read_page(channel: Readable | discord.DMChannel, after: int) -> tuple[list[discord.Message], int | None]:
    """Return the messages after one, the oldest first, and the id of the last one seen if there may be more.

    `channel.history` would give up the whole page for the sake of one message that discord.py does not understand.
    """
    state, messages = channel._state, []
    page = sorted(await state.http.logs_from(channel.id, PAGE, after=after), key=lambda each: int(each["id"]))
    for data in page:
        try:
            messages.append(state.create_message(channel=channel, data=data))
        except Exception as error:  # noqa: BLE001  whatever it is, the others can be read
            details = error_text.log_fields(error) | {"channel": channel.id, "message_id": data["id"]}
            logger.error("a message could not be read, so it is left out", extra=details)
    return messages, int(page[-1]["id"]) if len(page) == PAGE else None
