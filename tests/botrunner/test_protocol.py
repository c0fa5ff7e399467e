"""The real protocol, on loopback: the bot identifies itself, hears, is turned away, comes back and leaves cleanly."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from functools import partial

import discord
import pytest
from discord.gateway import DiscordWebSocket
from discord.http import Route

from botrunner import catching_up, serving
from botrunner.client import Bot, Shards, point_at
from tests.botrunner import wire as wires

pytestmark = pytest.mark.django_db(transaction=True)

CONTENT = discord.Intents(message_content=True).value


@pytest.fixture
async def wire(monkeypatch):
    monkeypatch.setattr(Route, "BASE", Route.BASE)
    monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", DiscordWebSocket.DEFAULT_GATEWAY)
    async with wires.served() as wire:
        monkeypatch.setattr(serving, "_wait", lambda *_, **__: asyncio.sleep(0.05))
        monkeypatch.setattr(catching_up, "PAUSE", 0)
        point_at(api_base=wire.api, gateway_url=wire.gateway)
        yield wire


@asynccontextmanager
async def serving_bot():
    """Serve the bot against the wire while the block runs; then tell it to stop and wait until it has."""
    stop = asyncio.Event()
    serve = serving.serve(partial(Bot, shards=Shards([0], 1)), token="a.b.c", stop=stop)
    task = asyncio.create_task(serve)
    yield
    stop.set()
    await asyncio.wait_for(task, timeout=30)


@pytest.fixture
async def served(wire):
    async with serving_bot():
        yield


async def connected(wire):
    await asyncio.wait_for(wire.connected.wait(), timeout=30)


async def until(holds, texts):
    """Wait for the texts that are stored; the test's own time limit is generous, and not what is tested."""
    async with asyncio.timeout(30):
        while not holds(await texts()):
            await asyncio.sleep(0.01)


async def test_it_identifies_itself_and_hears(wire, served, texts):
    await connected(wire)
    await wire.say("MESSAGE_CREATE", wires.message(1, "I live in Toronto."))
    await until(lambda stored: stored == ["I live in Toronto."], texts)
    assert wire.identified[0]["intents"] & CONTENT


async def test_turned_away_for_its_intents_it_comes_back_with_fewer(wire, served, texts):
    wire.turn_away.append(4014)
    await connected(wire)
    assert [bool(identity["intents"] & CONTENT) for identity in wire.identified] == [True, False]


@pytest.mark.parametrize("code", [4004, 4011])
async def test_turned_away_for_another_reason_it_tries_again(wire, served, code, caplog):
    wire.turn_away.append(code)
    await connected(wire)
    assert len(wire.identified) == 2
    assert "not connected" in caplog.text


async def test_a_connection_that_breaks_is_resumed(wire, served, texts):
    await connected(wire)
    wire.connected.clear()
    await wire.sockets[-1].close(code=4009)
    await connected(wire)
    await wire.say("MESSAGE_CREATE", wires.message(1, "Still here."))
    await until(lambda stored: stored == ["Still here."], texts)
    assert len(wire.identified) == 1


async def test_what_was_said_meanwhile_is_read_page_by_page(wire, texts):
    """On the wire, since the simulated Discord gives the newest page where Discord gives the oldest."""
    wire.history = [wires.message(number, f"number {number}") for number in range(251)]
    async with serving_bot():
        await connected(wire)
        await wire.say("MESSAGE_CREATE", wire.history[0])
        await until(lambda stored: stored == ["number 0"], texts)
    wire.connected.clear()
    async with serving_bot():
        await until(lambda stored: len(stored) >= 251, texts)
    assert await texts() == [f"number {number}" for number in range(251)]
