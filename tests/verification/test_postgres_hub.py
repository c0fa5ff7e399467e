"""A hub on a PostgreSQL of its own: its server is killed and comes back, and nothing that was acknowledged is lost."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from http.client import HTTPException

import psycopg
import pytest

from tests.api_client import a_message
from tests.botrunner import wire as wires
from tests.postgres import Server
from tests.verification.hub import PATIENCE, Hub, kill_group, until

pytestmark = [pytest.mark.postgres_only("its server is killed"), pytest.mark.both_databases]
PATH = "/api/v1/guilds/discord:1/messages"
CONTEXT = "/api/v1/guilds/discord:1/context"
QUESTION = {"channel": "c1", "members": ["u1"], "text": "Where does she live?"}
DONE = "The database is ready."
MANY, PROCESSES = 24, 2 + 2 + 1  # questions at once; web, worker with the queue, and a second one
SAID = 400  # messages in Discord
PLACES = ("Oslo", "Rome", "Lima", "Cairo", "Lyon", "Porto", "Accra", "Quito", "Turin", "Malmo", "Kyoto", "Delhi")


@pytest.fixture
def server():
    made = Server(fsync="on", synchronous_commit="on", full_page_writes="on").start()
    yield made
    made.remove()


@pytest.fixture
def hub(server, tmp_path):
    made = Hub(tmp_path, changes={"DATABASE_URL": server.url})
    migrated = made.manage("migrate", "--verbosity", "0")
    assert migrated.returncode == 0, migrated.stderr
    made.key = made.manage("create_api_key", "test", "--scope", "admin").stdout.split()[-1]
    yield made
    made.stop()


def test_an_empty_database_is_made_ready_without_a_warning(server, tmp_path):
    made = Hub(tmp_path, changes={"DATABASE_URL": server.url}).manage("prepare")
    assert (made.returncode, made.stderr) == (0, "")


def test_a_hub_outlives_its_server_and_keeps_what_it_acknowledged(hub, server):
    hub.serve()
    kept = [number for number in range(5) if hub.call("POST", PATH, a_message(number)).status == 201]
    server.stop(signal.SIGKILL)
    refused = hub.call("POST", PATH, a_message(90))
    logged = hub.log
    away = hub.manage("doctor")
    server.start()
    until(hub.is_healthy, "the hub has found its server again")
    assert hub.call("POST", PATH, a_message(91)).status == 201
    stored = [hub.call("GET", f"{PATH}/m-{number}").status for number in kept]
    well = hub.manage("doctor")
    assert (refused.status, refused.headers["Retry-After"]) == (503, "5")
    assert "the database gave no answer: No server answers at the address in DATABASE_URL" in logged
    assert 'File "' not in logged
    assert away.returncode == 1
    assert "No server answers" in away.stdout
    assert "Traceback" not in away.stdout + away.stderr
    assert (kept, stored) == ([0, 1, 2, 3, 4], [200] * 5)
    assert "WRONG  database" not in well.stdout


def test_while_the_server_is_away_everybody_is_told_at_once_and_the_log_once(hub, server):
    hub.start("manage.py", "run")
    hub.wait_for_web()
    server.stop()
    until(lambda: "PostgreSQL is away" in hub.log, "the worker has noticed")
    begun = time.monotonic()
    with ThreadPoolExecutor(MANY) as bots:
        answers = list(bots.map(lambda _: hub.call("POST", CONTEXT, QUESTION), range(MANY)))
    took = time.monotonic() - begun
    health = hub.call("GET", "/api/v1/health")
    time.sleep(12)  # django-q2 would start another thread after ten
    server.start()
    until(hub.is_healthy, "the hub has found its server again")
    until(lambda: not away(hub.log), "all processes have")
    assert {(answer.status, answer.headers.get("Retry-After")) for answer in (*answers, health)} == {(503, "5")}
    assert took < 4
    assert 0 < hub.log.count("PostgreSQL is away") <= PROCESSES
    assert "reincarnated" not in hub.log
    assert "Traceback" not in hub.log


def away(log: str) -> int:
    """Return how many processes have told of an outage that is not over for them."""
    return log.count("PostgreSQL is away") - log.count("PostgreSQL is back")


@pytest.mark.parametrize(("command", "is_ready"), [("run", Hub.is_healthy), ("prepare", lambda hub: DONE in hub.log)])
def test_what_is_started_before_its_server_waits_for_it(hub, server, command, is_ready):
    server.stop()
    hub.start("manage.py", command)
    until(lambda: "waiting for the database: No server answers" in hub.log, "it tells what it waits for")
    time.sleep(3)
    server.start()
    until(lambda: is_ready(hub), "it goes on")
    assert hub.log.count("waiting for the database") == 1
    assert "Traceback" not in hub.log


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("postgres://hub:wrong@127.0.0.1:{port}/memoryhub", "refuses the name or the password"),
        ("postgres://hub@127.0.0.1:{port}/nowhere", "no database of this name"),
    ],
)
def test_what_no_waiting_mends_ends_a_hub_at_once(server, tmp_path, address, told):
    if "wrong" in address:
        server.stop()
        (server.data / "pg_hba.conf").write_text("host all all all scram-sha-256\n")
        server.start()
    hub = Hub(tmp_path, changes={"DATABASE_URL": address.format(port=server.port)})
    ended = hub.manage("run")
    assert (ended.returncode, ended.stderr.count("\n")) == (1, 1)
    assert told in ended.stderr


@contextmanager
def load(*hubs: Hub) -> Iterator[set[int]]:
    """Have two callers for each hub tell it things until the end; yields the numbers of what was acknowledged."""
    kept, numbers, over = set[int](), iter(range(100_000)), threading.Event()

    def tell(hub: Hub) -> None:
        while not over.is_set():
            number = next(numbers)
            body = a_message(number, text=f"I love kayak number {number} in {PLACES[number % len(PLACES)]}.")
            with suppress(OSError, HTTPException):
                if hub.call("POST", PATH, body).status == 201:
                    kept.add(number)

    callers = [threading.Thread(target=tell, args=[hub]) for hub in hubs for _ in range(2)]
    for caller in callers:
        caller.start()
    try:
        yield kept
    finally:
        over.set()
        for caller in callers:
            caller.join()


def test_processes_that_are_killed_or_paused_under_load_lose_nothing_and_learn_nothing_twice(hub, server, tmp_path):
    other = Hub(tmp_path, key=hub.key, changes=hub.changes)  # another host on the same server
    web, paused = hub.serve(), other.serve()
    try:
        with load(hub, other) as kept:
            until(lambda: len(kept) > 30, "the load is on")
            first = hub.start("manage.py", "digest")
            until(lambda: counted(server, "memory_fact") > 3, "a worker learns")
            kill_group(first)
            second = hub.start("manage.py", "digest")
            kill_group(web)
            hub.serve()
            os.killpg(paused.pid, signal.SIGSTOP)  # as a host that the network has lost
            os.killpg(second.pid, signal.SIGSTOP)
            before = len(kept)
            until(lambda: len(kept) > before + 30, "the host that is left takes messages in")
            os.killpg(paused.pid, signal.SIGCONT)
            os.killpg(second.pid, signal.SIGCONT)
            time.sleep(1)
        second.wait(240)
        # The server took the paused worker's transaction away: its conversation waits some minutes for another try.
        with psycopg.connect(server.url) as connection:
            for table in ("notes_channelbuffer", "notes_message"):
                connection.execute(f"UPDATE {table} SET next_attempt_at = NULL")
        assert hub.manage("digest").returncode == 0
        with psycopg.connect(server.url) as connection:
            stored = [row[0] for row in connection.execute("SELECT platform_id FROM notes_message ORDER BY 1")]
            facts = [row[0] for row in connection.execute("SELECT text FROM memory_fact WHERE status = 'active'")]
            left = counted(server, "notes_message WHERE processed_at IS NULL")
    finally:
        other.stop()
    assert len(stored) == len(set(stored))
    assert {f"m-{number}" for number in kept} <= set(stored)
    assert len(facts) == len(set(facts)) > 3
    assert left == 0


def test_facts_told_while_the_server_and_the_web_are_killed_are_there_once_and_whole(hub, server):
    web = hub.serve()
    assert hub.call("POST", PATH, a_message(0)).status == 201
    with load(hub) as kept, telling(hub) as told:

        def goes_on() -> None:
            messages, facts = len(kept), len(told)
            until(lambda: len(kept) > messages + 10 and len(told) > facts + 10, "facts and messages are acknowledged")

        goes_on()
        server.stop(signal.SIGKILL)
        server.start()
        goes_on()
        kill_group(web)
        hub.serve()
        goes_on()
    with psycopg.connect(server.url) as connection:
        stored = [row[0] for row in connection.execute("SELECT platform_id FROM notes_message")]
        facts = Counter(
            row[0] for row in connection.execute("SELECT text FROM memory_fact WHERE source_type = 'explicit'")
        )
    assert {f"m-{number}" for number in kept} <= set(stored)
    assert len(stored) == len(set(stored))
    assert {fact_of(number) for number in told} <= facts.keys()
    assert set(facts.values()) == {1}
    for part in ("memory_evidence", "memory_factchange"):
        whole = f"SELECT 1 FROM {part} p WHERE (p.guild_id, p.fact_id) = (f.guild_id, f.id)"
        assert counted(server, f"memory_fact f WHERE NOT EXISTS ({whole})") == 0, part
    for index in ("words", "postings"):
        whole = f"SELECT 1 FROM memoryhub_{index}_v1_fact i WHERE (i.guild, i.id) = (f.guild_id, f.id)"
        assert counted(server, f"memory_fact f WHERE NOT EXISTS ({whole})") == 0, index


def fact_of(number: int) -> str:
    return f"Collects stamps of series {number} from {PLACES[number % len(PLACES)]}."


@contextmanager
def telling(hub: Hub) -> Iterator[set[int]]:
    """Have two callers tell facts until the end, each again until it is acknowledged; yields their numbers."""
    told, numbers, over = set[int](), iter(range(100_000)), threading.Event()

    def tell() -> None:
        for number in numbers:
            body = {"member": "u1", "text": fact_of(number)}
            while number not in told and not over.is_set():
                with suppress(OSError, HTTPException):
                    if hub.call("POST", "/api/v1/guilds/discord:1/facts", body).status == 201:
                        told.add(number)
            if over.is_set():
                return

    callers = [threading.Thread(target=tell) for _ in range(2)]
    for caller in callers:
        caller.start()
    try:
        yield told
    finally:
        over.set()
        for caller in callers:
            caller.join()


async def test_a_bot_that_is_killed_under_load_remembers_each_message_once_and_learns_nothing_twice(hub, server):
    hub.serve()
    said = [f"I love sailing boat number {number} in {PLACES[number % len(PLACES)]}." for number in range(SAID)]
    burst = [wires.message(number, text) for number, text in enumerate(said)]
    of_discord = "notes_message WHERE text LIKE '%sailing boat%'"
    async with wires.served() as wire:
        places = {"DISCORD_API_BASE": wire.api, "DISCORD_GATEWAY_URL": wire.gateway}
        hub.changes |= {"DISCORD_TOKEN": "a.b.c", "DISCORD_HOLD_PATIENCE": "1", **places}
        bot = hub.start("manage.py", "runbot")
        await asyncio.wait_for(wire.connected.wait(), PATIENCE)
        with load(hub) as kept:
            saying = asyncio.create_task(wire.burst(burst, a_second=200))
            await holds(lambda: counted(server, of_discord) >= SAID // 4)
            kill_group(bot)
            await asyncio.gather(saying, return_exceptions=True)  # nobody listens to the rest of it
            killed_at, before = counted(server, of_discord), len(kept)
            wire.history = burst
            again = hub.start("manage.py", "runbot")
            await holds(lambda: counted(server, of_discord) >= SAID and len(kept) > before)
        kill_group(again)  # the server waits for who is still connected
    assert hub.manage("digest").returncode == 0
    with psycopg.connect(server.url) as connection:
        texts = Counter(row[0] for row in connection.execute(f"SELECT text FROM {of_discord}"))
        names = [row[0] for row in connection.execute("SELECT platform_id FROM notes_message WHERE channel_id IN "
                 "(SELECT id FROM community_channel WHERE platform_id = 'c1')")]  # fmt: skip
        facts = Counter(connection.execute("SELECT guild_id, text FROM memory_fact WHERE status = 'active'"))
    assert killed_at < SAID, "the bot was killed too late to have lost anything"
    assert texts == Counter(said)
    assert {f"m-{number}" for number in kept} <= set(names)
    assert len(names) == len(set(names))
    assert set(facts.values()) == {1}
    assert len(facts) > 3
    assert counted(server, "notes_message WHERE processed_at IS NULL") == 0


async def test_what_people_say_while_the_server_is_away_is_stored_once_and_the_log_tells_it_once(hub, server):
    said = [f"I love sailing boat number {number}." for number in range(60)]
    burst = [wires.message(number, text) for number, text in enumerate(said)]
    of_discord = "notes_message WHERE text LIKE '%sailing boat%'"
    async with wires.served() as wire:
        places = {"DISCORD_API_BASE": wire.api, "DISCORD_GATEWAY_URL": wire.gateway}
        hub.changes |= {"DISCORD_TOKEN": "a.b.c", "DISCORD_HOLD_PATIENCE": "1", **places}
        bot = hub.start("manage.py", "runbot")
        await asyncio.wait_for(wire.connected.wait(), PATIENCE)
        saying = asyncio.create_task(wire.burst(burst, a_second=5))
        await holds(lambda: counted(server, of_discord) >= 10)
        await asyncio.to_thread(server.stop)
        stopped_at = len(hub.log)
        await asyncio.sleep(7)
        await asyncio.to_thread(server.start)
        await saying
        await holds(lambda: counted(server, of_discord) >= len(said))
        await holds(lambda: "PostgreSQL is back" in hub.log)
    kill_group(bot)
    with psycopg.connect(server.url) as connection:
        texts = Counter(row[0] for row in connection.execute(f"SELECT text FROM {of_discord}"))
    told = hub.log[stopped_at:]
    assert texts == Counter(said)
    assert (told.count("PostgreSQL is away"), told.count("PostgreSQL is back")) == (1, 1)
    assert told.count("what is heard waits for the database") + told.count("could not be renewed") < 4


async def holds(what: Callable[[], bool]) -> None:
    """Wait until it is so; the server that the bot talks to goes on meanwhile."""
    async with asyncio.timeout(PATIENCE):
        while not what():
            await asyncio.sleep(0.05)


def counted(server: Server, rows: str) -> int:
    with psycopg.connect(server.url) as connection:
        ((number,),) = connection.execute(f"SELECT count(*) FROM {rows}")
        return int(number)
