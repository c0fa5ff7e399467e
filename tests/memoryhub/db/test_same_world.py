"""The same community on SQLite and on PostgreSQL: the same facts, notes, profiles, answers and contexts."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import postgres
from tests.house.committed import ROOT
from tests.memoryhub.db.world import NAMES, PLACES, TEXTS

pytestmark = [pytest.mark.postgres_only("two databases side by side"), pytest.mark.both_databases]
EXAMPLES = int(os.environ.get("MEMORYHUB_TEST_EXAMPLES", "6"))
MOST = 14  # steps

people, places, texts = (st.integers(0, len(each) - 1) for each in (NAMES, PLACES, TEXTS))
said = st.integers(0, MOST)
step = st.one_of(
    st.tuples(st.just("say"), people, places, texts),
    st.tuples(st.just("say"), people, places, texts),
    st.tuples(st.just("say"), people, places, texts),
    st.tuples(st.just("edit"), said, texts),
    st.tuples(st.just("delete"), said),
    st.tuples(st.just("close"), places),
    st.tuples(st.just("refuse"), people, st.booleans()),
    st.tuples(st.just("digest")),
)


class World:
    """A process that lives through worlds on one database."""

    def __init__(self, folder, url):
        environment = {**os.environ, "DATABASE_URL": url, "MEMORYHUB_DATA_DIR": str(folder), "REDIS_URL": ""}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.memoryhub.db.world"], cwd=ROOT, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def ask(self, steps):
        self.process.stdin.write(json.dumps(steps) + "\n")
        self.process.stdin.flush()

    def answer(self):
        return json.loads(self.process.stdout.readline() or '"it ended"')

    def end(self):
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()


@pytest.fixture(scope="module")
def worlds(tmp_path_factory):
    name = f"world_{os.getpid()}"
    with psycopg.connect(f"{postgres.address()}/postgres", autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        folder = tmp_path_factory.mktemp("worlds")
        pair = [
            World(folder / "sqlite", f"sqlite:///{folder}/world.sqlite3"),
            World(folder / "postgres", f"{postgres.address()}/{name}"),
        ]
        yield pair
        for world in pair:
            world.end()
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@settings(
    max_examples=EXAMPLES, database=None,
)  # fmt: skip
@given(steps=st.lists(step, min_size=4, max_size=MOST))
def test_the_same_is_made_of_the_same_on_both_databases(worlds, steps):
    for world in worlds:
        world.ask(steps)
    on_sqlite, on_postgres = (world.answer() for world in worlds)
    assert on_postgres == on_sqlite
