"""A PostgreSQL that is away: one who asks finds out, the others are told at once, and the log has it once."""

from __future__ import annotations

import logging
import os
import threading
import time
from contextlib import suppress

import psycopg
import pytest
from django.db import InterfaceError, OperationalError, connections

from memoryhub.db.postgres import outage as outages
from memoryhub.db.postgres.server_trouble import is_away
from memoryhub.db.trouble import is_told
from tests.ports import reserved_port
from tests.postgres import Server

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres_only("a server that is away")]
AT_ONCE = 0.2  # seconds


@pytest.fixture
def outage(monkeypatch):
    """Give the outage that all wrappers of a test have in common, and have it look again soon."""
    from memoryhub.db.postgres import base

    monkeypatch.setattr(outages, "AGAIN", 0.6)
    made = outages.Outage()
    monkeypatch.setitem(base._outages, "away", made)
    return made


@pytest.fixture
def wrapper(outage):
    """Make wrappers of a server at a port, as threads have one each."""
    from memoryhub.db.postgres.base import DatabaseWrapper

    made = []

    def make(port: int) -> DatabaseWrapper:
        found = {**connections["default"].settings_dict, "HOST": "127.0.0.1", "PORT": str(port), "NAME": "memoryhub"}
        made.append(DatabaseWrapper(found, alias="away"))
        return made[-1]

    yield make
    for each in made:
        each.close()
    made[0].close_pool()


def refused(wrapper) -> tuple[float, OperationalError]:
    started = time.monotonic()
    with pytest.raises(OperationalError) as error:
        wrapper.ensure_connection()
    return time.monotonic() - started, error.value


def told(caplog) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == outages.__name__]


def test_once_one_has_found_the_server_away_all_others_are_told_at_once(wrapper):
    port = reserved_port()
    first, found = refused(wrapper(port))
    next_ones = [refused(wrapper(port)) for _ in range(5)]
    assert first < 2
    assert max(seconds for seconds, _ in next_ones) < AT_ONCE
    assert {str(error) for _, error in next_ones} == {str(found)}


def test_while_one_asks_again_the_others_do_not_wait(wrapper, outage):
    port = reserved_port()
    refused(wrapper(port))
    time.sleep(outages.AGAIN)
    trying = threading.Thread(target=refused, args=[wrapper(port)])
    trying.start()
    while not outage._trying.locked():
        time.sleep(0.001)
    seconds, _ = refused(wrapper(port))
    trying.join()
    assert seconds < AT_ONCE


def test_the_log_tells_an_outage_once_and_its_end_once(wrapper, caplog):
    server = Server().start()
    try:
        wrapper(server.port).ensure_connection()
        server.stop()
        with caplog.at_level(logging.INFO):
            errors = []
            for _ in range(3):
                errors += [refused(wrapper(server.port))[1] for _ in range(3)]
                time.sleep(outages.AGAIN)
            server.start()
            back = wrapper(server.port)
            back.ensure_connection()
            back.close()
            wrapper(server.port).ensure_connection()
    finally:
        server.remove()
    assert told(caplog) == [
        "PostgreSQL is away: No server answers at the address in DATABASE_URL. Does it run, and is the port right?",
        "PostgreSQL is back",
    ]
    assert [is_told(error) for error in errors] == [False, *[True] * 8]


def connect(outage, words: str = ""):
    """Try to connect; `words` is what the driver says."""

    def way() -> int:
        if words:
            raise psycopg.OperationalError(words)
        return 1

    return outage.connect(way)


def test_an_outage_that_is_over_before_it_was_asked_for_twice_is_told_if_others_met_it(caplog):
    outage = outages.Outage()
    for is_known in (False, True):
        with pytest.raises(psycopg.OperationalError) as error:
            connect(outage, "Connection refused")
        assert is_told(error.value) is is_known
    outage.next_try = 0.0
    with caplog.at_level(logging.INFO):
        connect(outage)
    assert [words.split(":")[0] for words in told(caplog)] == ["PostgreSQL was away"]


def test_a_server_that_answers_with_a_no_is_away_no_longer():
    outage = outages.Outage()
    with pytest.raises(psycopg.OperationalError):
        connect(outage, "Connection refused")
    outage.next_try = 0.0
    with pytest.raises(psycopg.OperationalError, match="too many"):
        connect(outage, "FATAL: sorry, too many clients already")
    assert outage.error is None


def test_the_log_says_which_of_two_servers_is_away(monkeypatch, caplog):
    from memoryhub.db.postgres import base

    monkeypatch.setattr(base, "_outages", {})
    port = str(reserved_port())
    found = {**connections["default"].settings_dict, "HOST": "127.0.0.1", "PORT": port, "NAME": "memoryhub"}
    replica = base.DatabaseWrapper(found, alias="replica")
    refused(replica)
    base._outages["replica"].next_try = 0.0
    refused(replica)
    replica.close_pool()
    assert told(caplog)[0].startswith("PostgreSQL (replica) is away: ")


@pytest.mark.parametrize(
    "words",
    [
        'connection to server at "10.0.0.9", port 5432 failed: No route to host',
        'connection to server at "10.0.0.9", port 5432 failed: Network is unreachable',
        'connection to server at "10.0.0.9", port 5432 failed: Host is down',
        "could not receive data from server: Connection reset by peer",
        "could not receive data from server: Connection timed out",
        "SSL connection has been closed unexpectedly",
        "FATAL: server login has been failing, cached error: connect failed (server_login_retry)",
        "ERROR: pgbouncer cannot connect to server",
    ],
)
def test_a_host_that_is_gone_and_a_way_that_breaks_off_are_outages(words):
    assert is_away(psycopg.OperationalError(words))


@pytest.mark.parametrize(
    "words",
    [
        "server does not support SSL, but SSL was required",
        'FATAL: server login has been failing, cached error: password authentication failed for user "hub"',
    ],
)
def test_what_stays_so_is_no_outage(words):
    assert not is_away(psycopg.OperationalError(words))


def test_a_command_that_meets_an_outage_once_tells_it_itself(wrapper, caplog):
    refused(wrapper(reserved_port()))
    assert told(caplog) == []


def test_connections_that_a_restart_ended_do_not_make_an_outage(wrapper, outage):
    server = Server().start()
    try:
        those = [wrapper(server.port) for _ in range(8)]
        for each in those:
            each.ensure_connection()
        for each in those:
            each.close()
        server.stop()
        server.start()
        started = time.monotonic()
        wrapper(server.port).ensure_connection()
        assert time.monotonic() - started < 2
        assert outage.error is None
    finally:
        server.remove()


def test_where_the_server_has_no_connection_left_one_that_comes_free_is_waited_for(wrapper, outage):
    server = Server(max_connections="4", superuser_reserved_connections="0", max_wal_senders="0").start()
    others = []
    try:
        with suppress(psycopg.OperationalError):
            while True:
                others.append(psycopg.connect(server.url))
        threading.Timer(1.5, others[0].close).start()
        wrapper(server.port).ensure_connection()
        assert outage.error is None
    finally:
        for each in others:
            each.close()
        server.remove()


def test_a_database_that_is_not_there_is_no_outage(wrapper, outage):
    server = Server().start()
    try:
        nowhere = wrapper(server.port)
        nowhere.settings_dict["NAME"] = "nowhere"
        _, error = refused(nowhere)
        assert "does not exist" in str(error)
        assert outage.error is None
    finally:
        server.remove()


def test_a_fork_asks_for_itself_whatever_its_parent_was_at():
    from memoryhub.db.postgres import base

    known = base._outages["default"]
    known._trying.acquire()
    known.error, known.next_try = OperationalError("refused"), 0.0
    try:
        child = os.fork()
        if child == 0:
            try:
                connections["default"].ensure_connection()
                connections["default"].close()
            except (OperationalError, InterfaceError):
                os._exit(1)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
    finally:
        known.error = None
        known._trying.release()
