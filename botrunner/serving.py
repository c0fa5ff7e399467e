"""Keeps the bot connected: whatever ends a connection is told in plain words and tried again, until told to stop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import aiohttp
import discord

from botrunner import failures
from botrunner.client import Bot

logger = logging.getLogger(__name__)

LONGEST_WAIT = 300
"""Seconds between tries at most: a refused token counts against the limit of 10,000 bad requests in 10 minutes."""

Maker = Callable[[bool], Bot]
"""Makes a bot; told whether to ask for the message content intent."""

REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (discord.LoginFailure, "Discord refuses the token: copy DISCORD_TOKEN again from the developer portal"),
    (
        discord.PrivilegedIntentsRequired,
        "the message content intent is off: switch it on in the developer portal (Bot, Privileged Gateway Intents) and "
        "start again; until then only messages that mention the bot are heard",
    ),
    (discord.GatewayNotFound, "Discord names no gateway: it is probably down"),
    (discord.RateLimited, "Discord asks to wait: too many requests"),
    (discord.HTTPException, "Discord answers with an error"),
    (discord.ConnectionClosed, "Discord closed the connection"),
    (aiohttp.ClientError, "Discord cannot be reached: check the network, DISCORD_API_BASE and DISCORD_GATEWAY_URL"),
    (OSError, "Discord cannot be reached: check the network, DISCORD_API_BASE and DISCORD_GATEWAY_URL"),
)


async def serve(make: Maker, *, token: str, stop: asyncio.Event) -> None:
    """Connect and stay connected until `stop` is set; then finish what is in hand and return."""
    hears_all, tries = True, 0
    while not stop.is_set():
        bot = make(hears_all)
        error = await _until_it_ends(bot, token=token, stop=stop)
        if stop.is_set():
            break
        tries = 1 if bot.was_ready else tries + 1
        seconds = min(2**tries, LONGEST_WAIT)
        logger.warning("not connected: %s", explain(error), extra=failures.told(error) | {"retry_in": seconds})
        hears_all = hears_all and not isinstance(error, discord.PrivilegedIntentsRequired)
        await _wait(stop, seconds=seconds)


def explain(error: BaseException) -> str:
    """Return what went wrong, in words; discord.py also raises AttributeErrors when it can't connect."""
    return next((words for kind, words in REASONS if isinstance(error, kind)), "the connection failed unexpectedly")


async def _until_it_ends(bot: Bot, *, token: str, stop: asyncio.Event) -> BaseException:
    """Run the bot until it fails or is to stop, close it, and return why it ended."""
    async with bot:
        running, stopping = asyncio.create_task(bot.start(token)), asyncio.create_task(stop.wait())
        await asyncio.wait({running, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
    running.cancel()
    (ended,) = await asyncio.gather(running, return_exceptions=True)
    return ended or ConnectionError("closed")


async def _wait(stop: asyncio.Event, *, seconds: float) -> None:
    try:
        await asyncio.wait_for(stop.wait(), timeout=seconds)
    except TimeoutError:
        return
