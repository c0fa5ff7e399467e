"""FTS5 in a database of its own, whichever the tests run on: what the other half is compared with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from typing import Any

import pytest

from memoryhub.db.sqlitevec.driver import Database
from memoryhub.search.keywords import fts5, fts5_search


class Memory:
    """What the FTS5 half asks of `memoryhub.db`, on a connection to no file."""

    def __init__(self) -> None:
        self.connection = Database.connect(":memory:", isolation_level=None)
        self.atomic = lambda **_: nullcontext()
        self.run_many_if_table = self._run_many_if_table
        self.select_if_table = self.select

    def run(self, sql: str, params: Sequence[Any] = ()) -> None:
        self.connection.execute(sql.replace("%s", "?"), params)

    def run_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        self.connection.executemany(sql.replace("%s", "?"), rows)

    def select(self, sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self.connection.execute(sql.replace("%s", "?"), params).fetchall()

    def _run_many_if_table(self, sql: str, rows: Sequence[Sequence[Any]]) -> bool:
        found = self.has_table(fts5.table_of("message"))
        if found:
            self.run_many(sql, rows)
        return found

    def has_table(self, name: str) -> bool:
        return bool(self.select("SELECT 1 FROM sqlite_master WHERE name = %s", [name]))

    def id_list(self, ids: Iterable[int]) -> str:
        return json.dumps(list(ids))

    def server_version(self) -> tuple[int, ...]:
        return tuple(map(int, Database.sqlite_version.split(".")))


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Memory:
    """Have the FTS5 half work in memory."""
    found = Memory()
    for module in (fts5, fts5_search):
        monkeypatch.setattr(module, "db", found)
    return found
