"""The write queue: in order, together where possible, patient with the database, one bad job costs only itself."""

from __future__ import annotations

import asyncio

import pytest
from django.db import OperationalError

from botrunner import write_queue
from botrunner.write_queue import Job, WriteQueue
from tests.incoming import NORTH, SOUTH


class Paper:
    """Errands that write on paper; `trouble` is raised by the next calls, one after the other."""

    def __init__(self) -> None:
        self.written: list[tuple[str, str, list[object]]] = []
        self.trouble: list[Exception] = []

    def _write(self, name, guild, items) -> None:
        if "bad" in items:
            raise ValueError("a secret text")
        if self.trouble:
            raise self.trouble.pop(0)
        self.written.append((name, guild.key, items))

    def receive(self, guild, items, *, now) -> None:
        self._write("receive", guild, items)

    def delete(self, guild, items, *, now) -> None:
        self._write("delete", guild, items)


@pytest.fixture
def paper(monkeypatch):
    async def run(handler, *args, **kwargs):
        await asyncio.get_running_loop().run_in_executor(None, lambda: handler(*args, **kwargs))

    monkeypatch.setattr(write_queue.threads, "write", run)
    return Paper()


async def test_jobs_of_one_kind_and_guild_are_written_together_and_the_order_is_kept(paper):
    receive, delete = paper.receive, paper.delete
    jobs = [(receive, NORTH, 1), (receive, NORTH, 2), (receive, SOUTH, 3), (delete, NORTH, 1), (receive, NORTH, 4)]
    await WriteQueue().put(*(Job(*job) for job in jobs))
    assert paper.written == [
        ("receive", "discord:1", [1, 2]),
        ("receive", "discord:2", [3]),
        ("delete", "discord:1", [1]),
        ("receive", "discord:1", [4]),
    ]


async def test_what_comes_while_the_first_is_written_goes_with_the_next_batch(paper):
    box = WriteQueue()
    await asyncio.gather(*(box.put(Job(paper.receive, NORTH, number)) for number in range(5)))
    await box.drain()
    assert [item for _, _, items in paper.written for item in items] == [0, 1, 2, 3, 4]
    assert len(paper.written) == 2


async def test_no_batch_is_larger_than_allowed(paper):
    await WriteQueue().put(*(Job(paper.receive, NORTH, number) for number in range(450)))
    assert [len(items) for _, _, items in paper.written] == [200, 200, 50]


async def test_it_waits_for_the_database_and_loses_nothing(paper):
    waits: list[float] = []

    async def no_pause(seconds):
        waits.append(seconds)

    paper.trouble = [OperationalError("database is locked") for _ in range(7)]
    await WriteQueue(no_pause).put(Job(paper.receive, NORTH, 1), Job(paper.receive, NORTH, 2))
    assert paper.written == [("receive", "discord:1", [1, 2])]
    assert waits == [1, 2, 4, 8, 16, 30, 30]


async def test_one_bad_job_costs_only_itself_and_its_text_is_not_logged(paper, caplog):
    await WriteQueue().put(*(Job(paper.receive, NORTH, item) for item in (1, "bad", 2)))
    assert [items for _, _, items in paper.written] == [[1], [2]]
    assert caplog.text.count("could not be written") == 1
    assert "secret" not in caplog.text


async def test_drain_returns_when_all_is_written(paper):
    box = WriteQueue()
    first = asyncio.create_task(box.put(Job(paper.receive, NORTH, 1)))
    await asyncio.sleep(0)
    await box.put(Job(paper.receive, NORTH, 2))
    await box.drain()
    assert not box.waiting
    assert [item for _, _, items in paper.written for item in items] == [1, 2]
    await first
