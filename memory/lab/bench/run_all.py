"""Runs the benchmarks on a scratch database: taking in, digesting, recalling, building contexts, starting cold."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings

from memory import pipeline
from memory.index import embeddings
from memory.lab.bench.benchmark_guild import NOW, Progress, fill, key_of, sentence
from memory.lab.bench.calls import READS, WRITES
from memory.lab.bench.processes import Crowd
from memory.lab.bench.timing import Timing, disk_in_use, measured, timed, timing
from memoryhub import db
from memoryhub.community.identity import find_guild
from notes.messages.schemas import GuildRef, IncomingAuthor, IncomingChannel, IncomingMessage

CALLS = 200  # of each kind, shared among the processes
SINGLE, BATCH, BATCHES = 300, 1_000, 3
PEOPLE, TALKING, CHANNELS, LINES = 40, 8, 10, 30
LATER = timedelta(days=1)
READERS, WRITERS = (1, 8), (1, 4)  # processes
LATER_VECTOR = "add: its vector, in the background"


def intake(progress: Progress) -> list[Timing]:
    """Time receiving messages, one by one and in batches of 1,000, and digesting all of them, per message."""
    messages, guild = _messages(SINGLE + BATCH * BATCHES), GuildRef(key="bench:intake")
    single, rest = messages[:SINGLE], messages[SINGLE:]
    batches = [rest[start : start + BATCH] for start in range(0, len(rest), BATCH)]
    progress("receive", 0, 3)
    one = timed("receive, one by one", lambda m: pipeline.receive(m, guild=guild, now=NOW + LATER), single)
    progress("receive", 1, 3)
    many = timed(
        "receive, 1,000 at once", lambda some: pipeline.receive_many(some, guild=guild, now=NOW + LATER), batches,
        units=BATCH,
    )  # fmt: skip
    progress("receive", 2, 3)
    place = find_guild(guild.key)
    digest = timed("digest", lambda g: pipeline.digest(g, now=NOW + LATER), [place], units=len(messages))
    progress("receive", 3, 3)
    return [one, many, digest]


def guild_of(size: int, database: Path, progress: Progress) -> tuple[list[Timing], dict[str, Any]]:
    """Time searches, contexts and adds in a guild of so many facts, beside the floor; tell its disk and its cold start.

    Each call is timed in one process and in several at once.
    """
    world = fill(size, progress=progress, on_disk=lambda: _on_disk(database))
    orders = [(what, processes) for what in READS for processes in READERS]
    orders += [(what, processes) for what in WRITES for processes in WRITERS]
    with Crowd(database, max(READERS + WRITERS)) as crowd:
        found = []
        for done, (what, processes) in enumerate(orders):
            progress(f"{size} facts: calls", done, len(orders))
            found.append(crowd.timing(what, facts=size, processes=processes, calls=CALLS))
    found.append(_vectors_of_new_facts(size))
    progress(f"{size} facts: calls", len(orders), len(orders))
    told = {
        "facts": size,
        "bytes on disk a fact": world.facts // size,
        "bytes on disk a message": world.messages // size,
        "seconds of a cold recall": round(cold_start(key_of(size), database), 2),
    }
    return found, told


def _on_disk(database: Path) -> int:
    """Return the bytes of the database once its log is written back."""
    db.select("PRAGMA wal_checkpoint(TRUNCATE)")
    return disk_in_use(database)


def _vectors_of_new_facts(size: int) -> Timing:
    """Time what the worker does later for each fact that was just added, the embedder's own time apart."""
    done: list[int] = []
    run = measured(lambda most: done.append(embeddings.embed_missing(most)), [size])
    return timing(LATER_VECTOR, [run], facts=size, units=done[0])


def cold_start(guild: str, database: Path) -> float:
    """Return the seconds of a `manage.py recall`, from the start of its process to its end, with the embedder's start.

    One goes before it, which leaves Python's compiled files as every start but the first of an installation finds them.
    """
    compiled = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(database.with_name("compiled"))}
    environment = {**os.environ, **compiled, "DATABASE_URL": f"sqlite:///{database}", "MEMORYHUB_LOG_LEVEL": "ERROR"}
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "recall", "who sails", "--guild", guild, "--json"]
    for _ in range(2):
        start = time.perf_counter()
        subprocess.run(command, env=environment, check=True, capture_output=True)  # noqa: S603
    return time.perf_counter() - start


def _messages(count: int) -> list[IncomingMessage]:
    """Return chat in ten channels, a line every ten seconds, a third of it about themselves.

    It goes from channel to channel after thirty lines, in which eight of forty people talk.
    """
    chance = random.Random(count)  # noqa: S311
    return [_message(number, _said(chance, number), count) for number in range(count)]


def _message(number: int, text: str, count: int) -> IncomingMessage:
    turn = number // LINES
    person = (turn * 3 + number % TALKING) % PEOPLE
    return IncomingMessage(
        message_id=f"m{number}", channel=IncomingChannel(id=f"c{turn % CHANNELS}", audience="guild"),
        author=IncomingAuthor(id=f"u{person}", name=f"member{person}"),
        text=text, sent_at=NOW - timedelta(seconds=10 * (count - number)),
    )  # fmt: skip


def _said(chance: random.Random, number: int) -> str:
    made_up = sentence(chance, 6)
    return f"I work as a {made_up.lower()}" if number % 3 == 0 else f"{made_up} {sentence(chance, 9)}"
