"""The bridge: the event loop goes on while the database works, and what a call raises comes back."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import DEFAULT_DB_ALIAS, OperationalError, connections, transaction

from botrunner import threads
from botrunner.actions.caller import Caller
from memoryhub import db
from memoryhub.community.identity import Person
from memoryhub.community.models import Guild
from memoryhub.db.backend import on_postgres
from memoryhub.db.guild_scope import current
from notes.messages.schemas import GuildRef

pytestmark = pytest.mark.django_db(transaction=True)


async def test_a_call_runs_in_a_thread_of_the_bridge_and_its_answer_comes_back():
    here = await threads.run(lambda: threading.current_thread().name)
    assert here.startswith("bot-database")
    await threads.run(Guild.objects.create, key="discord:1")
    assert await threads.run(Guild.objects.count) == 1


async def test_the_loop_goes_on_while_a_call_takes_its_time():
    done = threading.Event()
    waiting = asyncio.create_task(threads.run(done.wait, 30))
    await asyncio.sleep(0)
    assert not waiting.done()
    done.set()
    assert await waiting


async def test_a_call_for_somebody_works_inside_the_guild_in_which_they_ask():
    place = GuildRef(key="discord:1")
    caller = Caller(guild=place, person=Person(id="1"))

    def where(asked: object) -> int | None:
        return current() if asked in (place, caller) else -1

    assert await threads.run(where, place) is None  # nothing is known of it yet
    guild = await threads.run(Guild.objects.create, key="discord:1")
    asked = [await threads.run(where, place), await threads.run(where, caller), await threads.think(where, caller)]
    assert asked == [guild.pk] * 3
    assert current() is None


async def test_what_a_call_raises_is_raised():
    with pytest.raises(Guild.DoesNotExist):
        await threads.run(Guild.objects.get, key="discord:9")


async def test_a_thread_that_waits_gives_its_connection_back(monkeypatch):
    monkeypatch.setattr(threads, "_pool", ThreadPoolExecutor(1))
    monkeypatch.setitem(connections.settings[DEFAULT_DB_ALIAS], "CONN_MAX_AGE", 0)

    def used():
        assert Guild.objects.count() == 0
        return connections[DEFAULT_DB_ALIAS]

    assert (await threads.run(used)).connection is None


def patience():
    told = "SELECT setting FROM pg_settings WHERE name = 'lock_timeout'" if on_postgres() else "PRAGMA busy_timeout"
    ((milliseconds,),) = db.select(told)
    return int(milliseconds)


async def test_who_waits_for_an_answer_waits_at_most_five_seconds_for_another_writer():
    assert 0 < await threads.run(patience) <= 5000
    assert 0 < await threads.think(patience) <= 5000


async def test_what_is_heard_waits_as_long_as_it_takes():
    assert await threads.write(patience) == threads.LONGEST * 1000


async def test_waiting_for_a_thread_is_a_part_of_the_patience(monkeypatch):
    monkeypatch.setattr(threads, "_pool", ThreadPoolExecutor(1))
    busy, begun = threading.Event(), threading.Event()
    first = asyncio.create_task(threads.run(lambda: begun.set() or busy.wait(30)))
    await asyncio.to_thread(begun.wait, 30)
    second = asyncio.create_task(threads.run(patience))
    await asyncio.sleep(0.5)
    busy.set()
    await first
    assert await second < threads.PATIENCE * 1000 - 400


async def test_commands_are_answered_while_the_database_is_locked(monkeypatch):
    monkeypatch.setattr(threads, "PATIENCE", 0.2)
    held, release = threading.Event(), threading.Event()

    def hold():
        with transaction.atomic():
            db.keep_writers_out(["community_guild"])
            held.set()
            release.wait(60)

    holding = asyncio.create_task(threads.write(hold))
    await asyncio.to_thread(held.wait, 60)
    commands = [threads.run(Guild.objects.create, key=f"discord:{number}") for number in range(6)]
    ended = await asyncio.gather(*commands, return_exceptions=True)
    release.set()
    await holding
    assert [type(error) for error in ended] == [OperationalError] * 6
    await threads.run(Guild.objects.create, key="discord:7")
