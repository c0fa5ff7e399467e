"""The load test, small: two callers against a server in this process."""

from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from memory.lab.bench import load as bench
from memory.lab.bench.callers import CONTEXT, MESSAGE, SEARCH, Answered
from memory.lab.bench.load import load, rates
from notes.models import Message


def test_rates_are_by_kind_and_their_slow_end_is_not_their_middle():
    answered = [Answered(SEARCH, float(ms), "200") for ms in range(1, 101)] + [Answered(MESSAGE, 7.0, "500")]
    found = {rate.what: rate for rate in rates(answered, 10)}
    assert (found[SEARCH].per_second, found[SEARCH].p50, found[SEARCH].p95) == (10.0, 51.0, 96.0)
    assert (found[MESSAGE].calls, found[MESSAGE].failed, found["all"].calls) == (1, 1, 101)
    assert CONTEXT not in found


def test_the_hubs_errors_are_found_in_its_log():
    log = "2026-03-02T12:00:00Z INFO all is well\n2026-03-02T12:00:01Z ERROR [web] django: database is locked\n"
    assert bench.errors_in(log) == ["2026-03-02T12:00:01Z ERROR [web] django: database is locked"]


@pytest.fixture
def served(live_server, monkeypatch, tmp_path):
    """Serve the test's database from a thread, and start no hub."""

    @contextmanager
    def here(_database):
        yield urlsplit(live_server.url).port

    monkeypatch.setattr(bench, "hub", here)
    monkeypatch.setattr(bench, "log_of", lambda _database: "")
    monkeypatch.setattr(bench, "WARM_UP", 0.1)
    monkeypatch.setattr(bench.embeddings, "embed_missing", lambda _most: 0)
    return tmp_path / "scratch.sqlite3"


def test_acknowledged_messages_are_there(served):
    found = load(served, callers=2, seconds=0.5, facts=5, messages=50, progress=lambda *_: None)
    assert (found.holds, found.lost, found.outcomes) == (True, 0, {})
    assert found.acknowledged == Message.objects.filter(platform_id__startswith="load-").count()
    assert found.rates[-1].calls >= 2


def test_failures_are_counted_and_what_is_not_there_is_lost(served, monkeypatch):
    keys = iter(["wrong"])
    good = bench.make_key
    monkeypatch.setattr(bench, "make_key", lambda guild, number: next(keys, "") or good(guild, number))
    monkeypatch.setattr(bench, "stored_ids", lambda _guild: set())
    found = load(served, callers=2, seconds=0.3, facts=5, messages=100, progress=lambda *_: None)
    assert (set(found.outcomes), found.holds) == ({"401"}, False)
    assert found.lost == found.acknowledged > 0
