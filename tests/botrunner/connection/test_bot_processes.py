"""The bot as processes of its own: shards side by side, chats read after a kill, a database locked for long."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from contextlib import closing

from tests.botrunner import wire as wires
from tests.verification.hub import DATABASE, a_hub, kill_group

LOCKED = 10  # seconds
MANY = 40


def stored(hub):
    """Return how often each text is in memory, with its guild and channel."""
    with closing(sqlite3.connect(hub.folder / DATABASE, timeout=30)) as database:
        rows = database.execute(
            "select g.key, c.platform_id, m.text from notes_message m join community_channel c on c.id = m.channel_id "
            "join community_guild g on g.id = m.guild_id where m.deleted_at is null"
        )
        return Counter(rows.fetchall())


def expected(*messages):
    """Return what must be stored of these messages."""
    homes = {guild: f"discord:{guild}" for guild in (wires.GUILD_ID, wires.SOUTH_ID)}
    return Counter(
        (homes.get(each.get("guild_id"), f"discord-dm:{wires.CHAT_ID}"), each["channel_id"], each["content"])
        for each in messages
    )


def run_shard(hub, number):
    return hub.start("manage.py", "runbot", "--shard-ids", str(number), "--shard-count", "2")


async def test_two_processes_share_the_shards_and_each_message_is_stored_once(tmp_path):
    """And what a killed one misses, direct chats too, it reads itself when it is back; the other reads nothing."""
    north = [wires.message(2 * number, f"north {number}") for number in range(MANY)]
    south = [
        wires.message(2 * number + 1, f"south {number}", guild_id=wires.SOUTH_ID, channel_id=wires.LOUNGE_ID)
        for number in range(MANY)
    ]
    chat = [wires.direct_message(1000 + number, f"between us {number}") for number in range(MANY)]
    homes = {wires.GUILD_ID: (int(wires.GUILD_ID) >> 22) % 2, wires.SOUTH_ID: (int(wires.SOUTH_ID) >> 22) % 2}
    with a_hub(tmp_path, DISCORD_TOKEN="a.b.c", DISCORD_DIRECT_MESSAGES="on") as hub:
        async with wires.served() as wire:
            wire.guilds = {wires.GUILD_ID: wires.CHANNEL_ID, wires.SOUTH_ID: wires.LOUNGE_ID}
            hub.changes |= {"DISCORD_API_BASE": wire.api, "DISCORD_GATEWAY_URL": wire.gateway}
            bots = [run_shard(hub, number) for number in (0, 1)]
            await wires.until(lambda: len(wire.shards) == 2)
            for each in [message for pair in zip(north, south, strict=True) for message in pair]:
                await wire.say("MESSAGE_CREATE", each, shard=homes[each["guild_id"]])
            await wire.say("MESSAGE_CREATE", chat[0], shard=0)
            await wires.until(lambda: stored(hub) == expected(*north, *south, chat[0]))
            kill_group(bots[0])
            wire.history, wire.read = [*north, *south, *chat], []
            bots[0] = run_shard(hub, 0)
            await wires.until(lambda: stored(hub) == expected(*north, *south, *chat))
            for bot in bots:
                kill_group(bot)
    assert sorted(each["shard"] for each in wire.identified) == [[0, 2], [0, 2], [1, 2]]
    ours = next(channel for guild, channel in wire.guilds.items() if homes[guild] == 0)
    assert set(wire.read) <= {ours, wires.CHAT_ID}


async def test_while_the_database_is_locked_for_ten_seconds_the_bot_stays_alive_and_loses_nothing(tmp_path):
    """The lock is this process's; the bot's signs of life, which its event loop sends, show that the loop goes on."""
    said = [wires.message(number, f"number {number}") for number in range(MANY)]
    edited = {**said[0], "content": "number 0, mended", "edited_timestamp": "2026-03-02T12:00:05+00:00"}
    gone = {"id": said[1]["id"], "channel_id": wires.CHANNEL_ID, "guild_id": wires.GUILD_ID}
    with a_hub(tmp_path, DISCORD_TOKEN="a.b.c", DISCORD_HOLD_SECONDS="0") as hub:
        async with wires.served() as wire:
            wire.heartbeat = 500
            hub.changes |= {"DISCORD_API_BASE": wire.api, "DISCORD_GATEWAY_URL": wire.gateway}
            bot = hub.start("manage.py", "runbot")
            await wires.until(lambda: wire.shards)
            await wire.burst(said[:2])
            await wires.until(lambda: stored(hub) == expected(*said[:2]))
            with closing(sqlite3.connect(hub.folder / DATABASE, timeout=30, isolation_level=None)) as lock:
                lock.execute("begin immediate")
                lasts, alive = asyncio.create_task(asyncio.sleep(LOCKED)), wire.heartbeats
                await wire.burst(said[2:])
                await wire.say("MESSAGE_UPDATE", edited)
                await wire.say("MESSAGE_DELETE", gone)
                await wires.until(lambda: wire.heartbeats >= alive + 5)
                await lasts
                assert stored(hub) == expected(*said[:2])
                lock.execute("rollback")
            await wires.until(lambda: stored(hub) == expected(edited, *said[2:]))
            kill_group(bot)
    assert "could not be written" not in hub.log


async def test_two_processes_share_the_shards_out_and_one_takes_over_what_the_other_ran_that_was_killed(tmp_path):
    """Neither is told what to run; what is said before, between and after is stored once."""
    said = [
        wires.message(number, f"number {number}", **({} if number % 2 else SOUTH)) for number in range(3 * 4)
    ]  # fmt: skip
    with a_hub(tmp_path, DISCORD_TOKEN="a.b.c", MEMORYHUB_SHARDS="2") as hub:
        async with wires.served() as wire:
            wire.guilds = {wires.GUILD_ID: wires.CHANNEL_ID, wires.SOUTH_ID: wires.LOUNGE_ID}
            hub.changes |= {"DISCORD_API_BASE": wire.api, "DISCORD_GATEWAY_URL": wire.gateway}
            bots = [hub.start("manage.py", "runbot") for _ in range(2)]
            await wires.until(lambda: set(leases_of(hub).values()) == {bot.pid for bot in bots})
            await wires.until(lambda: connected(wire))
            await speak(wire, said[:4])
            await wires.until(lambda: stored(hub) == expected(*said[:4]))
            (dead,) = (number for number, pid in leases_of(hub).items() if pid == bots[0].pid)
            kill_group(bots[0])
            await speak(wire, [each for each in said[4:8] if shard_of(each) != dead])
            wire.history = [each for each in said[:8] if shard_of(each) == dead]
            await wires.until(lambda: set(leases_of(hub).values()) == {bots[1].pid} and connected(wire))
            await wires.until(lambda: stored(hub) == expected(*said[:8]))
            await speak(wire, said[8:])
            await wires.until(lambda: stored(hub) == expected(*said))
            bots[1].terminate()
            assert bots[1].wait(30) == 0
    assert leases_of(hub) == {0: None, 1: None}


SOUTH = {"guild_id": wires.SOUTH_ID, "channel_id": wires.LOUNGE_ID}


async def speak(wire, messages):
    for each in messages:
        await wire.say("MESSAGE_CREATE", each, shard=shard_of(each))


def shard_of(message):
    return (int(message["guild_id"]) >> 22) % 2


def connected(wire):
    return {shard for shard, socket in wire.shards.items() if not socket.closed} == {0, 1}


def leases_of(hub):
    """Return the process that runs each shard."""
    with closing(sqlite3.connect(hub.folder / DATABASE, timeout=30)) as database:
        rows = database.execute("select number, claimed_by from botrunner_shard").fetchall()
    return {number: int(holder.rpartition(":")[2]) if holder else None for number, holder in rows}
