"""Staying connected: every failure is told and tried again, and a stop lets the bot finish."""

from __future__ import annotations

import asyncio
import logging
from types import SimpleNamespace

import aiohttp
import discord
import pytest

from botrunner.connection import run_forever

CLOSED = {4004: "refuses the token", 4010: "--shard-ids", 4011: "--shard-count", 4014: "intent is off", 4000: "closed"}


def closed(code):
    return discord.ConnectionClosed(SimpleNamespace(close_code=code), shard_id=0)


class FakeBot:
    """Starts as scripted: an exception is raised, "ready" connects and then fails, "stay" runs until it is closed."""

    def __init__(self, script, *, hears_all) -> None:
        self.script, self.hears_all = script, hears_all
        self.was_ready, self.closed = False, False

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        self.closed = True

    async def start(self, _token) -> None:
        if isinstance(self.script, BaseException):
            raise self.script
        self.was_ready = True
        if self.script == "stay":
            await asyncio.Event().wait()


@pytest.fixture
def served(monkeypatch):
    """Serve a list of scripts, the last of which must be "stay"; return the bots and the waits between them."""

    async def served(*scripts):
        bots, waits, stop, left = [], [], asyncio.Event(), list(scripts)

        def make(*, hears_all):
            bots.append(FakeBot(left.pop(0), hears_all=hears_all))
            if not left:
                asyncio.get_running_loop().call_soon(stop.set)
            return bots[-1]

        async def wait(_stop, *, seconds):
            waits.append(seconds)

        monkeypatch.setattr(run_forever, "wait", wait)
        await run_forever.serve(make, token="t.o.k", stop=stop)
        return bots, waits

    return served


async def test_a_stop_closes_the_bot_and_returns(served):
    bots, waits = await served("stay")
    assert bots[0].closed
    assert waits == []


async def test_any_exception_is_tried_again_ever_more_slowly(served):
    failures = [AttributeError("'NoneType' object has no attribute 'sequence'"), OSError(), *[RuntimeError()] * 8]
    bots, waits = await served(*failures, "stay")
    assert waits == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]
    assert all(bot.closed for bot in bots)


async def test_a_connection_that_stood_starts_the_waits_anew(served):
    _, waits = await served(OSError(), OSError(), "ready", OSError(), "stay")
    assert waits == [2, 4, 2, 4]


async def test_without_the_intent_it_goes_on_hearing_what_is_addressed_to_it(served, caplog):
    bots, _ = await served(discord.PrivilegedIntentsRequired(0), OSError(), "stay")
    assert [bot.hears_all for bot in bots] == [True, False, False]
    assert "message content intent is off" in caplog.text


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (discord.LoginFailure("Improper token has been passed."), "refuses the token"),
        (discord.PrivilegedIntentsRequired(0), "intent is off"),
        (aiohttp.ClientConnectionError(), "cannot be reached"),
        (ConnectionRefusedError(), "cannot be reached"),
        (TimeoutError(), "cannot be reached"),
        (AttributeError(), "failed unexpectedly"),
        *[(closed(code), words) for code, words in CLOSED.items()],
    ],
)
def test_what_went_wrong_is_told_in_words(error, words):
    assert words in run_forever.explain(error)


async def test_the_wait_ends_when_it_is_told_to_stop():
    stop = asyncio.Event()
    stop.set()
    await asyncio.wait_for(run_forever.wait(stop, seconds=300), timeout=5)


# --- Logs ------------------------------------------------------------------------------------------------------------


def _fails_to_connect():
    try:
        raise OSError("Connect call failed")
    except OSError:
        logging.getLogger("discord.shard").exception("Failed to connect for shard_id: %s. Retrying...", 0)


def test_a_failed_try_is_told_in_one_line_while_the_bot_runs(caplog):
    with run_forever.short_logs():
        _fails_to_connect()
    assert caplog.records[0].getMessage() == "Failed to connect for shard_id: 0. Retrying... (OSError)"
    assert caplog.records[0].exc_info is None


def test_afterwards_nothing_is_shortened(caplog):
    with run_forever.short_logs():
        pass
    _fails_to_connect()
    assert caplog.records[0].exc_info is not None
