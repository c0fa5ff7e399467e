"""Runs the benchmarks on a scratch database: taking in, digesting, recalling, building contexts, starting cold."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from unittest.mock import patch

from django.conf import settings

from memory import context, corrections, pipeline
from memory.bench.floor import Floor
from memory.bench.measuring import Timing, timed
from memory.bench.world import MEMBERS, NOW, FakeEmbedder, Progress, fill, sentence
from memory.recall import recall
from notes.incoming import GuildRef, IncomingAuthor, IncomingChannel, IncomingMessage
from profiles.identity import find_guild
from profiles.models import Channel, Guild, Member

CALLS = 100
SINGLE, BATCH, BATCHES = 300, 1_000, 3
PEOPLE = 40
LATER = timedelta(days=1)


@contextmanager
def fake_embedder() -> Iterator[None]:
    """Let embeddings cost nothing: they are the same whatever the hub does, and measured by themselves."""
    fake = FakeEmbedder()
    with (
        patch("memory.lanes.embedder", lambda: fake),
        patch("memory.indexing.embedder", lambda: fake),
        patch("memory.nearness.embedder", lambda: fake),
    ):
        yield


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


def reading(size: int, database: Path, progress: Progress) -> list[Timing]:
    """Time adding, recall of a member, recall guild-wide and contexts in a guild of so many facts, and the floor."""
    guild = fill(size, progress=progress)
    chance = random.Random(-size)  # noqa: S311
    questions = [sentence(chance, 5) for _ in range(CALLS)]
    members = list(Member.objects.of(guild).order_by("pk"))
    channel = Channel.objects.of(guild).get()
    pairs = [(question, members[len(question) * 7 % MEMBERS]) for question in questions]
    found = []
    for what, call in _calls(guild, channel).items():
        progress(f"{size} facts: {what}", 0, 1)
        found.append(timed(what, call, pairs, facts=size))
        progress(f"{size} facts: {what}", 1, 1)
    return found + Floor(database.with_name(f"floor{size}.sqlite3"), size).timings(questions)


def _calls(guild: Guild, channel: Channel) -> dict[str, Callable[[tuple[str, Member]], object]]:
    def ask(question: str, member: Member | None, kinds: Sequence[str]) -> object:
        return recall(guild, question=question, now=NOW, channel=channel, member=member, kinds=kinds)

    def build(asked: tuple[str, Member]) -> object:
        question, member = asked
        return context.build(context.Turn(guild=guild, channel=channel, members=[member], text=question, now=NOW))

    def add(asked: tuple[str, Member]) -> object:
        text, member = asked
        return corrections.remember(guild, subject=member, text=text, kind="other", actor="bench", now=NOW)

    return {
        "recall of a member": lambda asked: ask(asked[0], asked[1], ("fact",)),
        "recall guild-wide": lambda asked: ask(asked[0], None, ("fact",)),
        "recall of everything": lambda asked: ask(asked[0], None, ("fact", "note", "message")),
        "context": build,
        "add": add,
    }


def cold_start(guild: str, database: Path) -> float:
    """Return the seconds that `manage.py recall` takes from nothing, the embedder's start included."""
    environment = {**os.environ, "DATABASE_URL": f"sqlite:///{database}", "MEMORYHUB_LOG_LEVEL": "ERROR"}
    start = time.perf_counter()
    subprocess.run(  # noqa: S603
        [sys.executable, settings.BASE_DIR / "manage.py", "recall", "who sails", "--guild", guild, "--json"],
        env=environment, check=True, capture_output=True,
    )  # fmt: skip
    return time.perf_counter() - start


def _messages(count: int) -> list[IncomingMessage]:
    """Return chat of many people in ten channels, a line every ten seconds, a third of it about themselves."""
    chance = random.Random(count)  # noqa: S311
    return [_message(number, _said(chance, number), count) for number in range(count)]


def _message(number: int, text: str, count: int) -> IncomingMessage:
    return IncomingMessage(
        message_id=f"m{number}", channel=IncomingChannel(id=f"c{number // 30 % 10}", audience="guild"),
        author=IncomingAuthor(id=f"u{number % PEOPLE}", name=f"member{number % PEOPLE}"),
        text=text, sent_at=NOW - timedelta(seconds=10 * (count - number)),
    )  # fmt: skip


def _said(chance: random.Random, number: int) -> str:
    made_up = sentence(chance, 6)
    return f"I work as a {made_up.lower()}" if number % 3 == 0 else f"{made_up} {sentence(chance, 9)}"
