"""The bot itself: what it asks Discord for, what it is made of, how it starts and ends."""

from __future__ import annotations

import logging
import sys
from typing import Any, NamedTuple

import discord
import yarl
from discord.ext import commands
from discord.gateway import DiscordWebSocket
from discord.http import Route

from botrunner import error_text
from botrunner.capture.grace_period import Holding
from botrunner.capture.listener import Listener
from botrunner.capture.write_queue import Outbox
from botrunner.chat.listen import Replies
from botrunner.commands import MemoryCommands
from botrunner.commands.command_tree import Tree, tell_discord
from botrunner.connection.guild_membership import Presence
from botrunner.history.backfill_run import Backfilling
from botrunner.history.catch_up import CatchingUp

logger = logging.getLogger(__name__)


def point_at(*, api_base: str = "", gateway_url: str = "") -> None:
    """Speak to another server than Discord's: discord.py takes both addresses from these two constants."""
    if api_base:
        Route.BASE = api_base.rstrip("/")
    if gateway_url:
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(gateway_url)


def invitation(client_id: int) -> str:
    """Return the address at which the manager of a server invites the bot, with the permissions it needs."""
    needed = discord.Permissions(
        view_channel=True, read_message_history=True, send_messages=True, send_messages_in_threads=True
    )
    return discord.utils.oauth_url(client_id, permissions=needed, scopes=("bot", "applications.commands"))


class Shards(NamedTuple):
    """Which of how many shards this process runs; discord.py asks Discord when it is not told."""

    shard_ids: list[int]
    shard_count: int


class Bot(commands.AutoShardedBot):
    """Hears and remembers; it says nothing unless it is spoken to."""

    def __init__(self, *, hears_all: bool = True, shards: Shards | None = None, hold: float = 0.0) -> None:
        super().__init__(
            command_prefix=commands.when_mentioned,
            help_command=None,
            tree_cls=Tree,
            intents=_intents(hears_all=hears_all),
            allowed_mentions=discord.AllowedMentions.none(),
            **(shards._asdict() if shards else {}),
        )
        self.outbox = Outbox()
        self.holding = Holding(self.outbox, seconds=hold)
        self.was_ready = False

    async def setup_hook(self) -> None:
        """Put the parts in, once it is told whether the portal allows what is asked for."""
        if self.intents.message_content and not _may_read(self.application_flags):
            logger.warning("the developer portal does not show the message content intent as switched on")
        listener = Listener(self)
        await self.add_cog(listener)
        await self.add_cog(Presence(self))
        await self.add_cog(CatchingUp(self, listener))
        await self.add_cog(Backfilling(self, listener))
        await self.add_cog(MemoryCommands(self))
        await self.add_cog(Replies(self))
        await tell_discord(self.tree)

    def runs(self, guild_id: int, shard_id: int | None = None) -> bool:
        """Tell whether a guild belongs to this shard, or to any that this process runs."""
        shards, count = self.shard_ids, self.shard_count
        if count is None:
            return True
        wanted = shards if shard_id is None else [shard_id]
        return not wanted or (guild_id >> 22) % count in wanted

    async def on_shard_ready(self, shard_id: int) -> None:
        """Say that the connection stands."""
        self.was_ready = True
        guilds = sum(guild.shard_id == shard_id for guild in self.guilds)
        logger.info("connected to Discord", extra={"shard": shard_id, "guilds": guilds})
        if not self.guilds and self.user:
            logger.info("the bot is in no server yet; invite it with %s", invitation(self.user.id))

    async def on_message(self, _message: discord.Message) -> None:
        """Look for no commands in text: all are slash commands."""

    async def on_error(self, event_method: str, /, *_: Any, **__: Any) -> None:
        """Say where an event failed; the error itself may quote a message."""
        if error := sys.exception():
            logger.error("an event could not be handled", extra=error_text.told(error) | {"event": event_method})

    async def close(self) -> None:
        """Stop listening, then finish writing what was heard."""
        catching_up = self.get_cog(CatchingUp.__name__)
        await super().close()
        await self.holding.flush()
        await self.outbox.drain()
        if isinstance(catching_up, CatchingUp):
            await catching_up.note_all()


def _may_read(flags: discord.ApplicationFlags) -> bool:
    return flags.gateway_message_content or flags.gateway_message_content_limited


def _intents(*, hears_all: bool) -> discord.Intents:
    """Ask for what is used and nothing else: guilds, messages there and to us, and the texts if the portal allows."""
    return discord.Intents(guilds=True, guild_messages=True, dm_messages=True, message_content=hears_all)
