"""Makes the bot and keeps it connected: whatever ends a connection is told in plain words and tried again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import aiohttp
import discord

from botrunner import error_text
from botrunner.bot import Bot, Shards
from botrunner.capture.listener import Listener
from botrunner.chat.listen import Replies
from botrunner.chat.poster import Poster
from botrunner.commands import AdminCommands, MemoryCommands
from botrunner.commands.command_tree import CommandTree
from botrunner.connection.guild_membership import GuildMembership
from botrunner.history.backfill_run import BackfillReader
from botrunner.history.catch_up import CatchUp
from botrunner.history.unseen_changes import UnseenChanges

logger = logging.getLogger(__name__)

LOGGERS = ("discord.client", "discord.shard", "discord.gateway")
LONGEST_WAIT = 300
"""Seconds between tries at most: a refused token counts against the limit of 10,000 bad requests in 10 minutes."""


SWITCH_IT_ON = (
    "the message content intent is off: switch it on in the developer portal (Bot, Privileged Gateway Intents) and "
    "start again; until then only messages that mention the bot are heard"
)
COPY_IT_AGAIN = "Discord refuses the token: copy DISCORD_TOKEN again from the developer portal"

CODES = {
    4004: COPY_IT_AGAIN,
    4010: "Discord knows no such shard: check --shard-ids and --shard-count",
    4011: "the bot is in too many servers for so few shards: start it with a larger --shard-count, or with none",
    4012: "Discord no longer speaks this version of its protocol: memoryhub needs an update",
    4013: "Discord refuses what the bot asks to hear: memoryhub needs an update",
    4014: SWITCH_IT_ON,
}
"""Codes with which Discord closes the connection for good, in words."""

REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (discord.LoginFailure, COPY_IT_AGAIN),
    (discord.PrivilegedIntentsRequired, SWITCH_IT_ON),
    (discord.GatewayNotFound, "Discord names no gateway: it is probably down"),
    (discord.RateLimited, "Discord asks to wait: too many requests"),
    (discord.HTTPException, "Discord answers with an error"),
    (discord.ConnectionClosed, "Discord closed the connection"),
    (aiohttp.ClientError, "Discord cannot be reached: check the network, DISCORD_API_BASE and DISCORD_GATEWAY_URL"),
    (OSError, "Discord cannot be reached: check the network, DISCORD_API_BASE and DISCORD_GATEWAY_URL"),
)


def make_bot(
    *, hears_all: bool = True, shards: Shards | None = None, hold: float = 0.0,
    may_identify: Callable[[], Awaitable[None]] | None = None,
) -> Bot:  # fmt: skip
    """Return a bot with every feature; `hold` is the grace period of new messages in seconds.

    `may_identify` waits until Discord takes another sign-in.
    """
    return Bot(
        hears_all=hears_all, shards=shards, hold=hold, load_cogs=load_cogs, may_identify=may_identify,
        tree_cls=CommandTree,
    )  # fmt: skip


async def load_cogs(bot: Bot) -> None:
    """Add each cog, then register the commands with Discord."""
    listener = Listener(bot)
    await bot.add_cog(listener)
    await bot.add_cog(GuildMembership(bot))
    unseen = UnseenChanges(bot, listener)
    await bot.add_cog(unseen)
    await bot.add_cog(CatchUp(bot, listener, unseen))
    await bot.add_cog(BackfillReader(bot, listener))
    await bot.add_cog(MemoryCommands(bot))
    await bot.add_cog(AdminCommands())
    await bot.add_cog(Replies(bot))
    await bot.add_cog(Poster(bot))
    assert isinstance(bot.tree, CommandTree)
    await bot.tree.sync_changes()


async def serve(make: Callable[..., Bot], *, token: str, stop: asyncio.Event, hears_all: bool = True) -> None:
    """Connect and stay connected until `stop` is set; then finish what is in hand and return.

    `make` makes a bot that asks for the message content intent, or not (`hears_all`).
    """
    tries = 0
    while not stop.is_set():
        bot = make(hears_all=hears_all)
        error = await _run_until_closed(bot, token=token, stop=stop)
        if stop.is_set():
            break
        tries = 1 if bot.was_ready else tries + 1
        seconds = min(2**tries, LONGEST_WAIT)
        details = error_text.log_fields(error) | {"retry_in": seconds}
        logger.warning("not connected: %s", explain(error), extra=details)
        hears_all = hears_all and not isinstance(error, discord.PrivilegedIntentsRequired)
        await wait(stop, seconds=seconds)


def explain(error: BaseException) -> str:
    """Return what went wrong, in words; discord.py also raises AttributeErrors when it can't connect."""
    if isinstance(error, discord.ConnectionClosed) and error.code in CODES:
        return CODES[error.code]
    return next((words for kind, words in REASONS if isinstance(error, kind)), "the connection failed unexpectedly")


async def _run_until_closed(bot: Bot, *, token: str, stop: asyncio.Event) -> BaseException:
    """Run the bot until it fails or is to stop, close it, and return why it ended."""
    async with bot:
        running, stopping = asyncio.create_task(bot.start(token)), asyncio.create_task(stop.wait())
        await asyncio.wait({running, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
    running.cancel()
    (ended,) = await asyncio.gather(running, return_exceptions=True)
    return ended or ConnectionError("closed")


async def wait(stop: asyncio.Event, *, seconds: float) -> None:
    """Wait so long, or until told to stop."""
    try:
        await asyncio.wait_for(stop.wait(), timeout=seconds)
    except TimeoutError:
        return


# --- Logs ------------------------------------------------------------------------------------------------------------


def _shorten(record: logging.LogRecord) -> bool:
    kind = record.exc_info[0] if record.exc_info else None
    if kind:
        record.msg, record.exc_info, record.exc_text = f"{record.msg} ({kind.__name__})", None, None
    return True


@contextmanager
def short_logs() -> Iterator[None]:
    """Shorten what discord.py logs: no traceback with each try to connect, no advice on voice."""
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # it neither hears nor speaks
    for name in LOGGERS:
        logging.getLogger(name).addFilter(_shorten)
    try:
        yield
    finally:
        for name in LOGGERS:
            logging.getLogger(name).removeFilter(_shorten)
