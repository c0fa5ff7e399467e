"""Runs the benchmarks on a scratch database: taking in, digesting, recalling, building contexts, starting cold."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from datetime import timedelta
from typing import Any

from django.conf import settings

from memory import pipeline
from memory.index import embeddings
from memory.lab.bench.benchmark_guild import NOW, FakeEmbedder, fill, key_of, sentence
from memory.lab.bench.calls import FLOOR, READS, WRITES
from memory.lab.bench.processes import Crowd
from memory.lab.bench.timing import Timing, measured, timed, timing
from memory.lab.scratch import Scratch
from memoryhub import db
from memoryhub.common.long_work import Progress
from memoryhub.community.identity import find_guild
from memoryhub.db import throwaway
from memoryhub.search import vectors
from notes.messages.schemas import GuildRef, IncomingAuthor, IncomingChannel, IncomingMessage

CALLS = 200  # of each kind, shared among the processes
SINGLE, BATCH, BATCHES = 300, 1_000, 3
PEOPLE, TALKING, CHANNELS, LINES = 40, 8, 10, 30
LATER = timedelta(days=1)
READERS, WRITERS = (1, 8), (1, 4)  # processes
LATER_VECTOR = "add: its vector, in the background"


def intake(progress: Progress) -> list[Timing]:
    """Time receiving messages, one by one and in batches of 1,000, and digesting all of them, per message."""
    messages, guild = _chat(SINGLE + BATCH * BATCHES), GuildRef(key="bench:intake")
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


def guild_timings(size: int, database: Scratch, progress: Progress) -> tuple[list[Timing], dict[str, Any]]:
    """Time searches, contexts and adds in a guild of so many facts, beside the floor; return its disk and cold start.

    Each call is timed in one process and in several at once.
    """
    filled = fill(size, progress=progress, on_disk=throwaway.settled_size)
    for kind in ("fact", "message", "note"):
        vectors.tend(kind=kind, model=FakeEmbedder.identity)
    orders = [(what, processes) for what in READS for processes in READERS]
    orders += [(what, processes) for what in WRITES for processes in WRITERS]
    if not db.files():  # the floor opens the file itself
        orders = [(what, processes) for what, processes in orders if not what.startswith(FLOOR)]
    with Crowd(database.address, max(READERS + WRITERS)) as crowd:
        timings = []
        for done, (what, processes) in enumerate(orders):
            progress(f"{size} facts: calls", done, len(orders))
            timings.append(crowd.timing(what, facts=size, processes=processes, calls=CALLS))
    timings.append(time_new_vectors(size))
    progress(f"{size} facts: calls", len(orders), len(orders))
    return timings, {
        "facts": size,
        "bytes on disk a fact": filled.facts // size,
        "bytes on disk a message": filled.messages // size,
        "seconds of a cold recall": round(cold_start(key_of(size), database), 2),
    }


def time_new_vectors(size: int) -> Timing:
    """Time what the worker does later for each fact that was just added, the embedder's own time apart."""
    embedded: list[int] = []
    run = measured(lambda most: embedded.append(embeddings.embed_missing(most)), [size])
    return timing(LATER_VECTOR, [run], facts=size, units=embedded[0])


def cold_start(guild: str, database: Scratch) -> float:
    """Return the seconds of a `manage.py recall`, from the start of its process to its end, with the embedder's start.

    One goes before it, which leaves Python's compiled files as every start but the first of an installation finds them.
    """
    compiled = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(database.folder / "compiled")}
    environment = {**os.environ, **compiled, "DATABASE_URL": database.address, "MEMORYHUB_LOG_LEVEL": "ERROR"}
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "recall", "who sails", "--guild", guild, "--json"]
    for _ in range(2):
        start = time.perf_counter()
        subprocess.run(command, env=environment, check=True, capture_output=True)  # noqa: S603
    return time.perf_counter() - start


def _chat(count: int) -> list[IncomingMessage]:
    """Return chat in ten channels, a line every ten seconds, a third of it about themselves.

    It goes from channel to channel after thirty lines, in which eight of forty people talk.
    """
    chance, messages = random.Random(count), []  # noqa: S311
    for number in range(count):
        made_up, block = sentence(chance, 6), number // LINES
        text = f"I work as a {made_up.lower()}" if number % 3 == 0 else f"{made_up} {sentence(chance, 9)}"
        person = (block * 3 + number % TALKING) % PEOPLE
        messages.append(
            IncomingMessage(
                message_id=f"m{number}", channel=IncomingChannel(id=f"c{block % CHANNELS}", audience="guild"),
                author=IncomingAuthor(id=f"u{person}", name=f"member{person}"),
                text=text, sent_at=NOW - timedelta(seconds=10 * (count - number)),
            )
        )  # fmt: skip
    return messages
