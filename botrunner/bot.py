"""The bot itself: what it asks Discord for, how it starts and ends. Its features are cogs, which it is handed."""

from __future__ import annotations

import logging
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, NamedTuple

import discord
import yarl
from discord.ext import commands
from discord.gateway import DiscordWebSocket
from discord.http import Route

from botrunner import error_text
from botrunner.grace_period import GracePeriod
from botrunner.write_queue import WriteQueue

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


VITAL = {"READY", "RESUMED"}  # without these a connection is of no use: it is made anew


async def _nothing(_guild_id: int) -> None:
    """Post nothing."""


class Shards(NamedTuple):
    """Which of how many shards this process runs; discord.py asks Discord when it is not told."""

    shard_ids: list[int]
    shard_count: int


class Bot(commands.AutoShardedBot):
    """Listens and remembers; it says nothing unless it is spoken to.

    `load_cogs` adds the features once the bot has logged in. `before_exit` runs after everything is written. `post_now`
    posts what waits in a server, by its id; it does nothing until a poster is loaded.
    """

    def __init__(
        self, *, hears_all: bool = True, shards: Shards | None = None, hold: float = 0.0,
        load_cogs: Callable[[Bot], Awaitable[None]] | None = None,
        may_identify: Callable[[], Awaitable[None]] | None = None, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            command_prefix=commands.when_mentioned,
            help_command=None,
            # Only what is used: guilds, messages there and to the bot, and the texts if the developer portal allows it.
            intents=discord.Intents(guilds=True, guild_messages=True, dm_messages=True, message_content=hears_all),
            allowed_mentions=discord.AllowedMentions.none(),
            **(shards._asdict() if shards else {}),
            **options,
        )
        self.write_queue = WriteQueue()
        self.grace_period = GracePeriod(self.write_queue, seconds=hold)
        self.before_exit: list[Callable[[], Awaitable[None]]] = []
        self.was_ready = False
        self.post_now: Callable[[int], Awaitable[None]] = _nothing
        # Private, since discord.py has no public place for it: an event that it cannot parse would end the connection.
        parsers = self._connection.parsers
        for name in parsers.keys() - VITAL:
            parsers[name] = partial(self._parse, name, parsers[name])
        self._load_cogs, self._may_identify, self._has_turn = load_cogs, may_identify, False

    async def launch_shard(self, gateway: yarl.URL, shard_id: int, *, initial: bool = False) -> None:
        """Connect once Discord takes another sign-in: a connection that waits for it is closed."""
        if self._may_identify is not None:
            await self._may_identify()
            self._has_turn = True
        await super().launch_shard(gateway, shard_id, initial=initial)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Wait until Discord takes another sign-in, of all processes together where somebody keeps count."""
        if self._may_identify is None:
            await super().before_identify_hook(shard_id, initial=initial)
        elif not self._has_turn:
            await self._may_identify()
        self._has_turn = False

    async def setup_hook(self) -> None:
        """Load the cogs, once Discord has said whether the portal allows what is asked for."""
        flags = self.application_flags
        shown = flags.gateway_message_content or flags.gateway_message_content_limited
        if self.intents.message_content and not shown:
            logger.warning("the developer portal does not show the message content intent as switched on")
        if self._load_cogs is not None:
            await self._load_cogs(self)

    def runs(self, guild_id: int, shard_id: int | None = None) -> bool:
        """Tell whether a guild belongs to this shard, or to any that this process runs."""
        if self.shard_count is None:
            return True
        wanted = self.shard_ids if shard_id is None else [shard_id]
        return not wanted or (guild_id >> 22) % self.shard_count in wanted

    async def on_shard_ready(self, shard_id: int) -> None:
        """Log that the connection stands."""
        self.was_ready = True
        guilds = sum(guild.shard_id == shard_id for guild in self.guilds)
        logger.info("connected to Discord", extra={"shard": shard_id, "guilds": guilds})
        if not self.guilds and self.user:
            logger.info("the bot is in no server yet; invite it with %s", invitation(self.user.id))

    async def on_message(self, _message: discord.Message) -> None:
        """Look for no commands in text: all are slash commands."""

    def _parse(self, name: str, parse: Callable[[Any], None], data: Any) -> None:
        """Go on after one event that discord.py cannot read: the events behind it, and other guilds', are not lost."""
        try:
            parse(data)
        except Exception as error:  # noqa: BLE001 - whatever a library makes of a form that it does not know
            logger.error("an event could not be read", extra=error_text.log_fields(error) | {"event": name})

    async def on_error(self, event_method: str, /, *_: Any, **__: Any) -> None:
        """Log where an event failed; the error's own words may quote a message."""
        if error := sys.exception():
            logger.error("an event could not be handled", extra=error_text.log_fields(error) | {"event": event_method})

    async def close(self) -> None:
        """Stop listening, then finish writing what was heard."""
        await super().close()
        await self.grace_period.flush()
        await self.write_queue.drain()
        for step in self.before_exit:
            await step()
