import json
from contextlib import nullcontext

import numpy as np
import pytest
from django.core.management import call_command

from memory import indexing
from memory.bench import measuring, running, world
from memory.bench.floor import Floor
from memory.bench.measuring import disk_in_use, memory_in_use, timed
from memory.management.commands import bench
from memory.models import Fact
from notes.models import InteractionNote, Message

pytestmark = pytest.mark.django_db


def silent(_what, _done, _total):
    pass


def test_a_timing_is_per_call_and_its_slow_end_is_not_its_middle(monkeypatch):
    took = [0.001] * 18 + [0.010] * 2
    clock = iter(moment for wait in took for moment in (100.0, 100.0 + wait))
    monkeypatch.setattr(measuring.time, "perf_counter", lambda: next(clock))
    found = timed("wait", lambda _: None, range(20), facts=5)
    assert (found.what, found.facts, found.calls, found.p50, found.p95) == ("wait", 5, 20, 1.0, 10.0)


def test_a_timing_of_batches_is_per_unit():
    assert timed("batch", lambda _: None, [1, 2], units=50).calls == 100


def test_the_fake_embedder_draws_each_text_a_unit_vector_of_its_own():
    fake = world.FakeEmbedder()
    first, second = fake.passages(["member1: likes tea", "member1: likes rum"])
    assert np.allclose(first, fake.query("member1: likes tea"))
    assert np.isclose(np.linalg.norm(second), 1.0)
    assert not np.allclose(first, second)


def test_a_made_up_guild_is_whole_and_indexed(monkeypatch):
    with running.fake_embedder():
        world.fill(250, progress=silent)
        assert all(each.ok for each in indexing.check())
    assert (Fact.objects.count(), Message.objects.count(), InteractionNote.objects.count()) == (250, 250, 3)


def test_everything_is_timed_beside_the_floor(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "CALLS", 3)
    with running.fake_embedder():
        found = running.reading(200, tmp_path / "scratch.sqlite3", silent)
    assert {each.what for each in found} >= {"recall of a member", "recall guild-wide", "context", "add", "floor: add"}
    assert all(each.p50 > 0 for each in found)


def test_the_floor_finds_what_it_stored(tmp_path):
    floor = Floor(tmp_path / "floor.sqlite3", 500)
    assert [timing.calls for timing in floor.timings(["baber bamer"])] == [1, 1, 1]


def test_intake_is_timed_for_one_and_for_many(monkeypatch):
    for name, value in {"SINGLE": 5, "BATCH": 20, "BATCHES": 1}.items():
        monkeypatch.setattr(running, name, value)
    with running.fake_embedder():
        found = running.intake(silent)
    assert [each.calls for each in found] == [5, 20, 25]


def test_memory_and_disk_are_measured(tmp_path):
    (tmp_path / "a.sqlite3").write_bytes(b"x" * 10)
    (tmp_path / "a.sqlite3-wal").write_bytes(b"x" * 5)
    assert disk_in_use(tmp_path / "a.sqlite3") == 15
    assert memory_in_use() > 1


def test_the_command_prints_tables_and_json(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(bench, "scratch_database", lambda: nullcontext(tmp_path / "scratch.sqlite3"))
    monkeypatch.setattr(bench, "intake", lambda _progress: [])
    monkeypatch.setattr(bench, "cold_start", lambda _guild, _database: 0.5)
    monkeypatch.setattr(running, "CALLS", 2)
    (tmp_path / "scratch.sqlite3").write_bytes(b"x" * 300)
    call_command("bench", "--sizes", "150", "--json", str(tmp_path / "found.json"))
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["worlds"][0]["facts"] == 150
    assert found["worlds"][0]["bytes on disk a fact"] == 2
    assert "recall of a member" in capsys.readouterr().out
