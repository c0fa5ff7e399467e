"""What is timed, by name: what the hub does, and what the floor (raw SQLite) does for the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

from django.db import connection

from memory.context import builder
from memory.curation import corrections
from memory.lab.bench.benchmark_guild import NOW, sentence
from memory.lab.bench.floor import Floor
from memory.recall.search import recall
from memoryhub.community.models import Channel, Guild, Member

FLOOR = "floor: "
ADD, WRITE_ONLY = "add", FLOOR + "write without a look"
WRITES = (ADD, FLOOR + ADD, WRITE_ONLY)
READS = (
    "search of a member", FLOOR + "search of a member", "search guild-wide", FLOOR + "search guild-wide",
    "search of everything", "context",
)  # fmt: skip

Question = tuple[str, Member]
Call = Callable[[Question], object]


def call_for(what: str, guild: Guild) -> Call:
    """Return the function that is timed under this name; it is given words and a member."""
    if what.startswith(FLOOR):
        floor = Floor(Path(connection.settings_dict["NAME"]), guild)
        by_name: dict[str, Call] = {
            FLOOR + ADD: floor.add, WRITE_ONLY: floor.write,
            FLOOR + "search of a member": floor.of_member, FLOOR + "search guild-wide": floor.of_guild,
        }  # fmt: skip
        return by_name[what]
    channel = Channel.objects.of(guild).get()
    kinds: dict[str, Sequence[str]] = {"search of everything": ("fact", "note", "message")}

    def add(question: Question) -> object:
        return corrections.remember(guild, subject=question[1], text=question[0], kind="other", actor="bench", now=NOW)

    def build(question: Question) -> object:
        return builder.build(
            builder.Turn(guild=guild, channel=channel, members=[question[1]], text=question[0], now=NOW)
        )

    def search(question: Question) -> object:
        member = question[1] if what == "search of a member" else None
        return recall(
            guild, question=question[0], now=NOW, channel=channel, member=member, kinds=kinds.get(what, ("fact",))
        )

    return {ADD: add, "context": build}.get(what, search)


def questions(guild: Guild, count: int, *, seed: str) -> list[Question]:
    """Return made-up words and members to ask about, the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311
    members = list(Member.objects.of(guild).order_by("pk"))
    return [(sentence(chance, 5), chance.choice(members)) for _ in range(count)]
