"""`manage.py runbot`: the Discord bot, until SIGTERM or Ctrl-C."""

from __future__ import annotations

import asyncio
import gc
import io
import logging
import re
import signal
import sys
from functools import partial
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError, CommandParser, call_command

from botrunner import threads
from botrunner.bot import Shards, point_at
from botrunner.connection.hold_shards import serve_shards
from botrunner.connection.run_forever import make_bot, short_logs
from memoryhub.ai.warm_up import warm_up
from memoryhub.logging import run
from memoryhub.server import instruments, tracing

logger = logging.getLogger(__name__)


class Command(BaseCommand):
    """Check the configuration, then connect and stay connected."""

    help = "Run the Discord bot: it hears what is said and has it remembered. Needs DISCORD_TOKEN."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the shards that this process runs."""
        parser.add_argument("--shard-ids", metavar="A-B", help="the only shards this process runs: 0-3, say")
        parser.add_argument(
            "--shard-count",
            metavar="N",
            type=int,
            help="the shards of all processes together",
        )

    def handle(self, *_: Any, **options: Any) -> None:
        """Run until told to stop; raises CommandError for what only a person can put right."""
        shards = parse_shards(options["shard_ids"], options["shard_count"])
        if not settings.DISCORD_TOKEN:
            raise CommandError(
                "DISCORD_TOKEN is not set. Copy the token of your bot from the Discord developer portal into .env, or "
                "into a file that DISCORD_TOKEN_FILE names; docs/discord.md goes through it step by step."
            )
        try:
            call_command("migrate", check_unapplied=True, stdout=io.StringIO())
        except SystemExit:
            raise CommandError("The database is not up to date. Run manage.py migrate, then start again.") from None
        point_at(api_base=settings.DISCORD_API_BASE, gateway_url=settings.DISCORD_GATEWAY_URL)
        sys.setswitchinterval(0.001)  # seconds; each time the loop wakes while rows are written, it waits as long
        instruments.share("bot")
        tracing.start("bot")
        with run("bot"), short_logs():
            asyncio.run(_serve(shards))


def parse_shards(ids: str | None, count: int | None) -> Shards | None:
    """Return what the options or the setting say, or None: ask Discord, unless another gateway is set.

    Raises CommandError.
    """
    if count is None:
        count = settings.MEMORYHUB_SHARDS or None
    if ids is None and count is None:
        return Shards([0], 1) if settings.DISCORD_GATEWAY_URL else None
    if not count or count < 1:
        raise CommandError("--shard-ids needs --shard-count: how many shards there are in all.")
    match = re.fullmatch(r"(\d+)(?:-(\d+))?", ids or f"0-{count - 1}")
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, -1)
    if not first <= last < count:
        raise CommandError(f"--shard-ids is {ids!r}; write A-B, from 0 to {count - 1}.")
    return Shards(list(range(first, last + 1)), count)


async def _serve(shards: Shards | None) -> None:
    stop = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    # Before it connects: a bot that is there is expected to answer, and imports take seconds.
    warming, stopping = asyncio.create_task(threads.think(warm_up)), asyncio.create_task(stop.wait())
    await asyncio.wait({warming, stopping}, return_when=asyncio.FIRST_COMPLETED)
    gc.freeze()  # else a full collection walks all that is loaded: the loop waits 300 ms at worst instead of 40
    make = partial(make_bot, hold=settings.DISCORD_HOLD_SECONDS)
    hears_all = settings.DISCORD_MESSAGE_CONTENT
    await serve_shards(make, token=settings.DISCORD_TOKEN, stop=stop, shards=shards, hears_all=hears_all)
    stopping.cancel()
    await asyncio.gather(warming, stopping, return_exceptions=True)  # who asks a model meets the same error
    logger.info("the bot has stopped; all that it heard is written")
