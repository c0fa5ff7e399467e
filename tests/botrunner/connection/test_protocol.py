"""The real protocol, on loopback: the bot identifies itself, hears, is turned away, comes back and leaves cleanly."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from functools import partial

import discord
import pytest
from discord.gateway import DiscordWebSocket
from discord.http import Route

from botrunner import threads
from botrunner.bot import Shards, point_at
from botrunner.connection import run_forever
from botrunner.history import backfill_run, catch_up
from botrunner.models import Gap, Heard
from memoryhub.community.models import Guild
from tests.botrunner import wire as wires
from tests.verification.hub import PATIENCE

pytestmark = pytest.mark.django_db(transaction=True)

CONTENT = discord.Intents(message_content=True).value


@pytest.fixture
async def wire(monkeypatch):
    monkeypatch.setattr(Route, "BASE", Route.BASE)
    monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", DiscordWebSocket.DEFAULT_GATEWAY)
    async with wires.served() as wire:
        monkeypatch.setattr(run_forever, "wait", lambda *_, **__: asyncio.sleep(0.05))
        monkeypatch.setattr(catch_up, "PAUSE", 0)
        point_at(api_base=wire.api, gateway_url=wire.gateway)
        yield wire


@asynccontextmanager
async def serving_bot(hold=0.0):
    """Serve the bot against the wire while the block runs; then tell it to stop and wait until it has."""
    stop, bots = asyncio.Event(), []

    def make(*, hears_all):
        bots.append(run_forever.make_bot(hears_all=hears_all, shards=Shards([0], 1), hold=hold))
        return bots[-1]

    task = asyncio.create_task(run_forever.serve(make, token="a.b.c", stop=stop))
    yield bots
    stop.set()
    await asyncio.wait_for(task, timeout=PATIENCE)


@pytest.fixture
async def served(wire):
    async with serving_bot():
        yield


async def connected(wire):
    await asyncio.wait_for(wire.connected.wait(), timeout=PATIENCE)


async def channel_of(bot):
    """Return the bot's channel once it has read what the server sent at the start."""
    async with asyncio.timeout(PATIENCE):
        while (channel := bot.get_channel(int(wires.CHANNEL_ID))) is None:
            await asyncio.sleep(0.01)
    return channel


async def until(holds, texts):
    """Wait for the texts that are stored; the test's own time limit is generous, and not what is tested."""
    async with asyncio.timeout(PATIENCE):
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


async def test_it_gives_signs_of_life(wire):
    wire.heartbeat = 50
    async with serving_bot(), asyncio.timeout(PATIENCE):
        while wire.heartbeats < 2:
            await asyncio.sleep(0.01)


async def test_what_a_resumed_session_tells_again_and_out_of_order_is_stored_once(wire, served, texts):
    await connected(wire)
    one, two, three = (wires.message(number, f"number {number}") for number in (1, 2, 3))
    await wire.burst([one, three])
    await until(lambda stored: len(stored) == 2, texts)
    wire.connected.clear()
    await wire.sockets[-1].close(code=4009)
    await connected(wire)
    await wire.burst([one, two, three, two])
    await until(lambda stored: "number 2" in stored, texts)
    assert await texts() == ["number 1", "number 3", "number 2"]


async def test_a_session_that_is_over_is_begun_anew_and_what_it_missed_is_read(wire, served, texts):
    await connected(wire)
    wire.history = [wires.message(number, f"number {number}") for number in range(3)]
    await wire.burst(wire.history[:1])
    await until(lambda stored: stored == ["number 0"], texts)
    await wire.forget_session()
    await connected(wire)
    await until(lambda stored: len(stored) == 3, texts)
    assert len(wire.identified) == 2


async def test_asked_to_wait_it_waits_and_asks_again(wire, texts):
    wire.history = [wires.message(number, f"number {number}") for number in range(2)]
    async with serving_bot():
        await connected(wire)
        await wire.burst(wire.history[:1])
        await until(lambda stored: stored == ["number 0"], texts)
    wire.too_many = 2
    async with serving_bot():
        await until(lambda stored: len(stored) == 2, texts)
    assert wire.too_many == 0


async def test_with_the_intent_switched_off_by_the_operator_it_never_asks_for_it(wire):
    stop = asyncio.Event()
    make = partial(run_forever.make_bot, shards=Shards([0], 1))
    task = asyncio.create_task(run_forever.serve(make, token="a.b.c", stop=stop, hears_all=False))
    await connected(wire)
    stop.set()
    await asyncio.wait_for(task, timeout=PATIENCE)
    assert [bool(identity["intents"] & CONTENT) for identity in wire.identified] == [False]


async def test_a_refused_token_is_told_in_words(wire, served, caplog):
    wire.turn_away.append(4004)
    await connected(wire)
    assert "Discord refuses the token" in caplog.text


async def test_a_burst_that_arrives_as_the_bot_is_stopped_is_written_before_it_leaves(wire, texts):
    async with serving_bot(hold=30) as bots:
        await connected(wire)
        await wire.burst([wires.message(number, f"number {number}") for number in range(50)])
        async with asyncio.timeout(PATIENCE):
            while len(bots[-1].grace_period) < 50:
                await asyncio.sleep(0.01)
    assert await texts() == [f"number {number}" for number in range(50)]
    assert (await threads.run(Heard.objects.get)).until == int(wires.message(49, "")["id"])


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


async def test_an_old_history_is_read_page_by_page_when_it_is_asked_for(wire, texts, monkeypatch):
    monkeypatch.setattr(backfill_run, "PAUSE", 0)
    wire.history = [wires.message(number, f"number {number}") for number in range(251)]
    async with serving_bot() as bots:
        await connected(wire)
        cog, channel = bots[-1].get_cog("BackfillReader"), await channel_of(bots[-1])
        await cog.begin(channel, expected=251, actor="member:1")
        await asyncio.wait_for(cog.work, timeout=PATIENCE)
        told = await cog.progress(channel.guild, readable={wires.CHANNEL_ID})
    assert told == ["#general: 251 messages, read to its end"]
    assert await texts() == [f"number {number}" for number in range(251)]


async def test_a_channels_last_message_that_the_server_set_back_hides_nothing(wire, texts):
    wire.history = [wires.message(number, f"number {number}") for number in range(4)]
    async with serving_bot():
        await connected(wire)
        await wire.burst(wire.history[:2])
        await until(lambda stored: len(stored) == 2, texts)
    wire.set_back = wire.history[0]["id"]
    async with serving_bot():
        await until(lambda stored: len(stored) == 4, texts)


UNREADABLE = {
    "that discord.py does not understand": lambda message: message.pop("author"),
    "that can't be stored": lambda message: message.update(author=wires.ALICE | {"username": "x" * 300}),
}


@pytest.fixture(params=UNREADABLE)
def with_one_unreadable(request, wire):
    """Three messages, the middle one of which nobody can read."""
    wire.history = [wires.message(number, f"number {number}") for number in range(4)]
    UNREADABLE[request.param](wire.history[2])


async def test_one_message_that_can_not_be_read_ends_no_catching_up(wire, with_one_unreadable, texts, caplog):
    async with serving_bot():
        await connected(wire)
        await wire.burst(wire.history[:1])
        await until(lambda stored: len(stored) == 1, texts)
    async with serving_bot():
        await until(lambda stored: stored == ["number 0", "number 1", "number 3"], texts)
        await until(lambda gaps: gaps == 0, partial(threads.run, Gap.objects.count))
    assert "left out" in caplog.text


async def test_one_message_that_can_not_be_read_ends_no_backfill(wire, with_one_unreadable, texts, monkeypatch):
    monkeypatch.setattr(backfill_run, "PAUSE", 0)
    async with serving_bot() as bots:
        await connected(wire)
        async with asyncio.timeout(PATIENCE):
            await bots[-1].wait_until_ready()
        cog, channel = bots[-1].get_cog("BackfillReader"), bots[-1].get_channel(int(wires.CHANNEL_ID))
        await cog.begin(channel, expected=4, actor="member:1")
        await asyncio.wait_for(cog.work, timeout=PATIENCE)
        told = await cog.progress(channel.guild, readable={wires.CHANNEL_ID})
    assert await texts() == ["number 0", "number 1", "number 3"]
    assert "read to its end" in told[0]


# --- Invited again -------------------------------------------------------------------------------------------------


def at(minutes, text):
    """Return a message that was said so many minutes after the first that all others are told by."""
    return wires.message((minutes * 60_000) << 22, text)


def invited_at(minutes):
    return discord.utils.snowflake_time(int(at(minutes, "")["id"])).isoformat()


async def kicked(wire, texts):
    """Let the bot hear something, and be thrown out."""
    await connected(wire)
    await wire.burst([at(0, "before")])
    await until(lambda stored: stored == ["before"], texts)
    await wire.say("GUILD_DELETE", {"id": wires.GUILD_ID})
    async with asyncio.timeout(PATIENCE):
        while await left_at() is None:
            await asyncio.sleep(0.01)
    wire.history = [at(0, "before"), at(10, "not said to the bot"), at(30, "welcome back"), at(40, "and this")]
    wire.joined = invited_at(20)


async def test_invited_again_while_it_was_down_it_reads_what_was_said_since(wire, texts):
    async with serving_bot():
        await kicked(wire, texts)
    async with serving_bot():
        await until(lambda stored: len(stored) == 3, texts)
    assert await texts() == ["before", "welcome back", "and this"]
    assert await left_at() is None


async def test_invited_again_while_it_was_down_after_all_was_forgotten_it_reads_what_was_said_since(wire, texts):
    async with serving_bot():
        await kicked(wire, texts)
    await threads.run(Guild.objects.all().delete)
    async with serving_bot():
        await until(lambda stored: len(stored) == 2, texts)
    assert await texts() == ["welcome back", "and this"]


async def test_invited_again_while_its_connection_was_lost_it_reads_what_was_said_since(wire, texts):
    async with serving_bot():
        await kicked(wire, texts)
        await wire.forget_session()
        await until(lambda stored: len(stored) == 3, texts)


async def test_invited_again_while_it_listens_it_reads_what_was_said_before_it_was_told(wire, texts):
    async with serving_bot():
        await kicked(wire, texts)
        guild = wires.guild(joined=wire.joined)
        del guild["unavailable"]
        await wire.say("GUILD_CREATE", guild)
        await until(lambda stored: len(stored) == 3, texts)
    assert await texts() == ["before", "welcome back", "and this"]


# --- Outages -------------------------------------------------------------------------------------------------------


async def left_at():
    return (await threads.run(Guild.objects.get)).left_at


async def test_a_guild_in_an_outage_was_not_left_and_what_was_said_meanwhile_is_read(wire, served, texts):
    await connected(wire)
    wire.history = [wires.message(number, f"number {number}") for number in range(3)]
    await wire.burst(wire.history[:1])
    await until(lambda stored: stored == ["number 0"], texts)
    await wire.say("GUILD_DELETE", {"id": wires.GUILD_ID, "unavailable": True})
    await wire.say("GUILD_CREATE", wires.guild(last=wire.history[-1]["id"]))
    await until(lambda stored: len(stored) == 3, texts)
    assert await left_at() is None


async def test_a_guild_that_the_gateway_names_late_is_read_when_it_comes(wire, texts, caplog):
    """Its entry in the book stays open as long as nothing of it is to be seen."""
    wire.history = [wires.message(number, f"number {number}") for number in range(3)]
    async with serving_bot():
        await connected(wire)
        await wire.burst(wire.history[:1])
        await until(lambda stored: stored == ["number 0"], texts)
    wire.connected.clear()
    wire.late = True
    async with serving_bot() as bots:
        await connected(wire)
        async with asyncio.timeout(PATIENCE):
            await bots[-1].wait_until_ready()
        assert await texts() == ["number 0"]
        await wire.say("GUILD_CREATE", wires.guild(last=wire.history[-1]["id"]))
        await until(lambda stored: len(stored) == 3, texts)
    assert await left_at() is None
    assert "could not be handled" not in caplog.text


async def test_a_guild_that_removed_the_bot_has_a_time_of_grace(wire, served, texts):
    await connected(wire)
    await wire.say("MESSAGE_CREATE", wires.message(1, "I live in Toronto."))
    await until(lambda stored: stored, texts)
    await wire.say("GUILD_DELETE", {"id": wires.GUILD_ID})
    async with asyncio.timeout(PATIENCE):
        while await left_at() is None:
            await asyncio.sleep(0.01)
    assert await texts() == ["I live in Toronto."]
