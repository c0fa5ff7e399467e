"""Killed in the middle of a burst and started again, the bot remembers each message exactly once."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from contextlib import closing

import pytest

from tests.botrunner import wire as wires
from tests.verification.hub import DATABASE, PATIENCE, a_hub, kill_group

MANY = 1_000
BURST = [wires.message(number, f"number {number}") for number in range(MANY)]


@pytest.fixture
def hub(tmp_path):
    with a_hub(tmp_path, DISCORD_TOKEN="a.b.c", DISCORD_HOLD_PATIENCE="1") as hub:
        yield hub


def stored(hub):
    """Return how often each message is in memory, read as any other process would."""
    with closing(sqlite3.connect(hub.folder / DATABASE, timeout=30)) as database:
        return Counter(text for (text,) in database.execute("select text from notes_message"))


async def test_killed_in_a_burst_it_remembers_every_message_exactly_once(hub):
    async with wires.served() as wire:
        hub.changes |= {"DISCORD_API_BASE": wire.api, "DISCORD_GATEWAY_URL": wire.gateway}
        bot = hub.start("manage.py", "runbot")
        await asyncio.wait_for(wire.connected.wait(), PATIENCE)
        saying = asyncio.create_task(wire.burst(BURST, a_second=700))
        await wires.until(lambda: stored(hub).total() >= 200)
        kill_group(bot)
        await asyncio.gather(saying, return_exceptions=True)  # nobody listens to the rest of it
        killed_at = stored(hub).total()
        assert killed_at < MANY, "the bot was killed too late to have lost anything"
        wire.history = BURST
        again = hub.start("manage.py", "runbot")
        await wires.until(lambda: stored(hub).total() >= MANY)
        kill_group(again)  # the server waits for who is still connected
    assert stored(hub) == Counter(message["content"] for message in BURST)
