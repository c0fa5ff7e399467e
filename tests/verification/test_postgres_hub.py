"""A hub on a PostgreSQL of its own: its server is killed and comes back, and nothing that was acknowledged is lost."""

from __future__ import annotations

import signal

import pytest

from tests.api_client import a_message
from tests.postgres import Server
from tests.verification.hub import Hub, until

pytestmark = [pytest.mark.postgres_only("its server is killed"), pytest.mark.both_databases]
PATH = "/api/v1/guilds/discord:1/messages"


@pytest.fixture
def server():
    made = Server(fsync="on", synchronous_commit="on", full_page_writes="on").start()
    yield made
    made.remove()


@pytest.fixture
def hub(server, tmp_path):
    made = Hub(tmp_path, changes={"DATABASE_URL": server.url})
    migrated = made.manage("migrate", "--verbosity", "0")
    assert migrated.returncode == 0, migrated.stderr
    made.key = made.manage("create_api_key", "test", "--scope", "admin").stdout.split()[-1]
    yield made
    made.stop()


def test_a_hub_outlives_its_server_and_keeps_what_it_acknowledged(hub, server):
    hub.serve()
    kept = [number for number in range(5) if hub.call("POST", PATH, a_message(number)).status == 201]
    server.stop(signal.SIGKILL)
    refused = hub.call("POST", PATH, a_message(90))
    away = hub.manage("doctor")
    server.start()
    until(hub.is_healthy, "the hub has found its server again")
    assert hub.call("POST", PATH, a_message(91)).status == 201
    stored = [hub.call("GET", f"{PATH}/m-{number}").status for number in kept]
    well = hub.manage("doctor")
    assert (refused.status, refused.headers["Retry-After"]) == (503, "5")
    assert away.returncode == 1
    assert "No server answers" in away.stdout
    assert "Traceback" not in away.stdout + away.stderr
    assert (kept, stored) == ([0, 1, 2, 3, 4], [200] * 5)
    assert "WRONG  database" not in well.stdout
