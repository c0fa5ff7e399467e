"""The bot: what it asks Discord for, what it says when a handler fails, how it ends."""

from __future__ import annotations

import asyncio

import discord
import pytest
from discord.gateway import DiscordWebSocket

from botrunner import write_queue
from botrunner.bot import Bot, Shards, invitation
from botrunner.write_queue import Job
from tests.incoming import NORTH


def make_bot(**fields):
    return Bot(shards=Shards([0], 1), **fields)


async def test_it_asks_for_guilds_messages_and_texts_and_for_nothing_else():
    messages = {"guilds": True, "guild_messages": True, "dm_messages": True}
    assert make_bot().intents == discord.Intents(**messages, message_content=True)
    assert make_bot(hears_all=False).intents == discord.Intents(**messages)


async def test_closing_waits_until_what_was_heard_is_written(monkeypatch):
    written, database = [], asyncio.Event()

    async def run(_handler, _guild, items, *, now):
        await database.wait()
        written.extend(items)

    monkeypatch.setattr(write_queue.threads, "write", run)
    async with make_bot() as bot:
        heard = [asyncio.create_task(bot.write_queue.put(Job(print, NORTH, number))) for number in range(3)]
        await asyncio.sleep(0)
        closing = asyncio.create_task(bot.close())
        await asyncio.sleep(0)
        assert not closing.done()
        database.set()
        await closing
    assert written == [0, 1, 2]
    await asyncio.gather(*heard)


async def test_a_handler_that_fails_is_logged_without_what_was_said(caplog):
    try:
        raise ValueError("I live in Toronto.")
    except ValueError:
        await make_bot().on_error("on_message")
    assert (caplog.records[0].event, caplog.records[0].error) == ("on_message", "ValueError")
    assert "Toronto" not in caplog.text


def test_the_invitation_asks_for_reading_and_answering_only():
    assert invitation(7) == (
        "https://discord.com/oauth2/authorize?client_id=7&scope=bot+applications.commands&permissions=274877975552"
    )


async def test_an_event_that_cannot_be_read_is_logged_and_the_connection_goes_on(caplog):
    bot = make_bot()
    gateway = DiscordWebSocket(None, loop=asyncio.get_running_loop())
    gateway.shard_id = 0
    gateway._dispatch, gateway._discord_parsers = (lambda *_: None), bot._connection.parsers
    await gateway.received_message('{"op": 0, "s": 7, "t": "MESSAGE_CREATE", "d": {"content": "I live in Toronto."}}')
    assert gateway.sequence == 7
    assert (caplog.records[-1].event, caplog.records[-1].error) == ("MESSAGE_CREATE", "KeyError")
    assert "Toronto" not in caplog.text


async def test_a_connection_that_never_gets_ready_is_made_anew():
    with pytest.raises(KeyError):
        make_bot()._connection.parsers["READY"]({})
