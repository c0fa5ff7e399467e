"""Runs the shards that this process holds: starts what it gains, ends what it loses, and gives all back at the end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import discord
from django.db import Error
from django.utils import timezone

from botrunner import error_text, threads
from botrunner.bot import Bot, Shards
from botrunner.connection import shard_leases
from botrunner.connection.run_forever import LONGEST_WAIT, explain, serve, wait
from botrunner.models import Shard
from memoryhub.db.trouble import is_told

logger = logging.getLogger(__name__)

EVERY = 5.0  # seconds between two looks at the leases, which last six times as long
ASK_AGAIN = 0.5  # seconds until a shard that may not sign in yet asks again
Make = Callable[..., Bot]


@dataclass
class Running:
    """A shard that runs here: its lease, the task that keeps it connected, and how it is told to end."""

    row: Shard
    task: asyncio.Task[None]
    stop: asyncio.Event


async def serve_shards(
    make: Make, *, token: str, stop: asyncio.Event, shards: Shards | None, hears_all: bool = True
) -> None:
    """Run this process's share of the shards until `stop` is set, then finish what is in hand and give them back.

    Without `shards` it takes as many as the other processes have, or as Discord advises.
    """
    known = await _asked(token, stop=stop, shards=shards)
    if known is None:
        return
    holder = _Holder(make, token, hears_all, *known)
    try:
        while not stop.is_set():
            await holder.look()
            await wait(stop, seconds=EVERY)
    finally:
        await holder.end(list(holder.running))
        try:
            await threads.run(shard_leases.sign_off)
        except Error as error:
            logger.warning("the leases of the shards end by themselves", extra=error_text.log_fields(error))


async def _asked(token: str, *, stop: asyncio.Event, shards: Shards | None) -> tuple[Shards, int] | None:
    """Return the shards there are and how many may sign in at once, asked until there is an answer; None to stop."""
    tries = 0
    while not stop.is_set():
        try:
            in_use = await threads.run(shard_leases.count_in_use, now=timezone.now())
            advised, at_once = (0, 1) if shards else await _advised(token)
            found = shards or Shards(list(range(in_use or advised)), in_use or advised)
            await threads.run(shard_leases.prepare, found, now=timezone.now())
        except (discord.DiscordException, OSError, Error, shard_leases.OtherShards) as error:
            tries += 1
            seconds = min(2**tries, LONGEST_WAIT)
            told = str(error) if isinstance(error, shard_leases.OtherShards) else explain(error)
            logger.warning("not connected: %s", told, extra=error_text.log_fields(error) | {"retry_in": seconds})
            await wait(stop, seconds=seconds)
        else:
            return found, at_once
    return None


async def _advised(token: str) -> tuple[int, int]:
    """Return what Discord advises: how many shards, and how many of them may sign in at once."""
    async with discord.Client(intents=discord.Intents.none()) as client:
        await client.login(token)
        count, _, limit = await client.http.get_bot_gateway()
        return count, int(limit["max_concurrency"])


class _Holder:
    def __init__(self, make: Make, token: str, hears_all: bool, shards: Shards, at_once: int) -> None:  # noqa: FBT001
        self.make, self.token, self.hears_all = make, token, hears_all
        self.shards, self.at_once = shards, at_once
        self.running: dict[int, Running] = {}

    async def look(self) -> None:
        """Renew the leases, then start and end shards; while the database is away all goes on as it is."""
        await self.end([number for number, each in self.running.items() if each.task.done()])
        held = [each.row for each in self.running.values()]
        try:
            change = await threads.run(shard_leases.take_turn, held, self.shards, now=timezone.now())
        except Error as error:
            if not is_told(error):
                logger.warning("the leases of the shards could not be renewed", extra=error_text.log_fields(error))
            return
        for row in change.gained:
            self._start(row)
        if change.lost:
            logger.warning("shards were taken over by another process", extra={"shards": change.lost})
        await self.end([*change.lost, *change.surplus])

    def _start(self, row: Shard) -> None:
        logger.info("this process runs a shard now", extra={"shard": row.number, "of": row.of})
        stop, gate = asyncio.Event(), partial(self._wait_for_turn, row)
        make = partial(self.make, shards=Shards([row.number], row.of), may_identify=gate)
        task = asyncio.create_task(serve(make, token=self.token, stop=stop, hears_all=self.hears_all))
        self.running[row.number] = Running(row, task, stop)

    async def _wait_for_turn(self, row: Shard) -> None:
        ask: Any = partial(shard_leases.may_identify, row.number, row.of, at_once=self.at_once)
        while True:
            try:
                if await threads.run(ask, now=timezone.now()):
                    return
            except Error as error:
                logger.warning("a sign-in waits for the database", extra=error_text.log_fields(error))
            await asyncio.sleep(ASK_AGAIN)

    async def end(self, numbers: list[int]) -> None:
        """End these shards, all at once; what they heard is written before another process gets them."""
        ending = [self.running.pop(number) for number in numbers]
        for each in ending:
            each.stop.set()
        for each, result in zip(
            ending, await asyncio.gather(*(each.task for each in ending), return_exceptions=True), strict=True
        ):
            if isinstance(result, BaseException):
                logger.error("a shard ended by an error", extra=error_text.log_fields(result))
            try:
                await threads.run(shard_leases.give_back, each.row)
            except Error as error:
                logger.warning("the lease of a shard ends by itself", extra=error_text.log_fields(error))
