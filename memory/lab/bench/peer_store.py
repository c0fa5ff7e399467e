"""Runs in langgraph's own environment: puts the hub's facts into its SqliteStore and times calls. JSON in and out."""

from __future__ import annotations

import json
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from memory.lab.bench.drawn_vectors import DIMENSIONS, drawn

GUILD = "guild"
BLOCK = 500
BEST = 10
Asked = Sequence[str]
"""A member and a text."""


def measure(given: dict[str, Any]) -> dict[str, Any]:
    """Return, by what is timed, what the hub's `Run` is made of; `given` is what peers.py sends."""
    if not hasattr(sqlite3.Connection, "enable_load_extension"):  # some builds of Python leave it out
        import pysqlite3

        sys.modules["sqlite3"] = pysqlite3
    from langgraph.store.base import PutOp
    from langgraph.store.sqlite import SqliteStore

    with tempfile.TemporaryDirectory() as folder:
        connection = sys.modules["sqlite3"].connect(Path(folder) / "store.sqlite3", isolation_level=None)
        store = SqliteStore(connection, index={"dims": DIMENSIONS, "embed": _embedded, "fields": ["text"]})
        store.setup()
        facts = given["facts"]
        for start in range(0, len(facts), BLOCK):
            rows = facts[start : start + BLOCK]
            store.batch([PutOp((GUILD, member), key, {"text": text}) for key, member, text in rows])

        def add(asked: Asked) -> None:
            store.put((GUILD, asked[0]), f"new {asked[1]}", {"text": asked[1]})

        def of_member(asked: Asked) -> None:
            store.search((GUILD, asked[0]), query=asked[1], limit=BEST)

        def of_guild(asked: Asked) -> None:
            store.search((GUILD,), query=asked[1], limit=BEST)

        calls = {"add": add, "search of a member": of_member, "search guild-wide": of_guild}
        return {what: _timed(calls[what], asked, given["warm_up"]) for what, asked in given["asked"].items()}


def _embedded(texts: Sequence[str]) -> list[list[float]]:
    return [drawn(text).tolist() for text in texts]


def _timed(call: Callable[[Asked], None], asked: Sequence[Asked], warm_up: int) -> dict[str, Any]:
    for each in asked[:warm_up]:
        call(each)
    walls, start, cpu = [], time.monotonic(), time.process_time()
    for each in asked[warm_up:]:
        begin = time.perf_counter()
        call(each)
        walls.append((time.perf_counter() - begin) * 1000)
    spent = (time.process_time() - cpu) * 1000
    return {"walls": walls, "cpu": spent, "start": start, "end": time.monotonic(), "memory": 0.0}


if __name__ == "__main__":
    json.dump(measure(json.load(sys.stdin)), sys.stdout)
