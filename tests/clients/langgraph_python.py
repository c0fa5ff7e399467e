"""LangGraph's own tests of a store, run on a hub: a store without vectors of its own is one in a guild of the hub.

`langgraph_python.py TESTS` where TESTS is the folder of the package's source; tests that give a store embeddings of
their own, and look at its scores, keep LangGraph's.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]
from langgraph.store import memory as in_memory  # noqa: E402

from memoryhub.integrations import langgraph_base_store  # noqa: E402
from memoryhub.integrations.langgraph_base_store import MemoryHubStore  # noqa: E402

langgraph_base_store.WAITS = 240.0  # as long as a busy machine takes

URL, KEY = os.environ["MEMORYHUB_URL"], os.environ["MEMORYHUB_KEY"]
NUMBERS = itertools.count()
LangGraphs = in_memory.InMemoryStore


class Store(MemoryHubStore):
    """A store in a new guild; where embeddings are given, LangGraph's own is made instead."""

    def __new__(cls, *, index: object = None) -> object:
        return super().__new__(cls) if index is None else LangGraphs(index=index)

    def __init__(self) -> None:
        guild = f"langgraph:{next(NUMBERS)}"
        hello = {
            "message_id": "m-1", "channel": {"id": "c"}, "author": {"id": "u"}, "text": "Hello.",
            "sent_at": "2026-02-23T19:04:00Z",
        }  # fmt: skip
        made = httpx.post(
            f"{URL}/api/v1/guilds/{guild}/messages", json=hello, headers={"Authorization": f"Bearer {KEY}"}
        )
        made.raise_for_status()
        super().__init__(url=URL, key=KEY, guild=guild)


class Outcomes:
    """Counts what came of the tests, and which of them asked for a store of the hub."""

    def __init__(self) -> None:
        self.passed, self.failed, self.on_hub = list[str](), dict[str, str](), list[str]()
        self.before = 0

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self.before = used()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = report.nodeid.partition("::")[2]
        if report.failed:
            self.failed[name] = report.longreprtext[-1500:]
        elif report.when == "call" and report.passed:
            self.passed.append(name)
            self.on_hub += [name] if used() > self.before else []


def used() -> int:
    """Return how many stores of the hub were made."""
    return NUMBERS.__reduce__()[1][0]


in_memory.InMemoryStore = Store
seen = Outcomes()
options = ["-q", "-p", "no:cacheprovider", "-o", "asyncio_mode=auto", "--rootdir", sys.argv[1]]
os.chdir(sys.argv[1])
sys.path[:0] = [sys.argv[1]]
code = pytest.main([*options, "tests/test_store.py"], plugins=[seen])
sys.stdout.write("\n" + json.dumps({"code": int(code), **vars(seen)}) + "\n")
