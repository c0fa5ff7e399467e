"""A real PostgreSQL: what an operator is told when it can't be used, and what is kept, restored and cleaned there."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from django.db import (
    DataError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    connection,
    connections,
    transaction,
)
from django.db.migrations.recorder import MigrationRecorder

from memoryhub import db
from memoryhub.community.models import Guild
from memoryhub.database_url import databases
from memoryhub.db.backups import RESTORED, Damaged, NoBackup, ToolMissing, backups
from memoryhub.db.trouble import explain, is_of_the_database
from notes.models import Message
from tests import postgres
from tests.factories import NOON, make_guild, make_message, minutes
from tests.house.committed import ROOT
from tests.pooler import Pooler

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres_only("the server and the way to it")]
STONES = {"stones": "community_tombstone", "columns": "digest, erased_at, remember, place, names"}


@pytest.fixture
def empty_database():
    """Make a database beside the tests' own, and return its address."""
    name = f"beside_{os.getpid()}"
    _as_superuser(f"CREATE DATABASE {name}")
    yield f"{postgres.address()}/{name}"
    _as_superuser(f"DROP DATABASE {name} WITH (FORCE)")


def _as_superuser(*statements, database="postgres"):
    with psycopg.connect(f"{postgres.address()}/{database}", autocommit=True) as superuser:
        for statement in statements:
            superuser.execute(statement)


def tables_in(url):
    with psycopg.connect(url) as reader:
        return reader.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()[0]


def manage(url, tmp_path, *command):
    environment = {**os.environ, "DATABASE_URL": url, "MEMORYHUB_DATA_DIR": str(tmp_path / "hub")}
    ended = subprocess.run(
        [sys.executable, *(command or ("manage.py", "migrate"))], cwd=ROOT, env=environment, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    return ended.returncode, ended.stdout + ended.stderr


# --- A server that can't be used ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("postgres://hub:secret@127.0.0.1:1/house", "No server answers"),
        ("{server}/nowhere", "no database of this name"),
        ("postgres://hub:secret@nowhere.invalid/house", "is not known"),
        ("postgres://hub@127.0.0.1:port/house", "DATABASE_URL"),
    ],
)
def test_a_database_that_can_not_be_reached_is_one_sentence_at_start(url, told, tmp_path):
    code, words = manage(url.format(server=postgres.address()), tmp_path)
    assert code == 1
    assert told in words
    assert "Traceback" not in words
    assert "secret" not in words


def test_a_user_without_rights_is_told_so_and_nothing_is_made(empty_database, tmp_path):
    name = empty_database.rpartition("/")[2]
    _as_superuser(f"CREATE ROLE weak_{name} LOGIN")
    try:
        weak = empty_database.replace("hub@", f"weak_{name}@")
        code, words = manage(weak, tmp_path)
    finally:
        _as_superuser(f"DROP ROLE weak_{name}")
    assert (code, tables_in(empty_database)) == (1, 0)
    assert "may not make tables" in words
    assert "Traceback" not in words


@pytest.fixture
def owned(empty_database):
    """Return the address of an empty database for its owner, who is no superuser."""
    name = empty_database.rpartition("/")[2]
    _as_superuser(f"CREATE ROLE owner_{name} LOGIN", f"ALTER DATABASE {name} OWNER TO owner_{name}")
    yield empty_database.replace("hub@", f"owner_{name}@")
    _as_superuser(f"ALTER DATABASE {name} OWNER TO hub", f"DROP ROLE owner_{name}")


def test_an_owner_who_may_not_make_pgvector_is_told_who_may(owned, tmp_path):
    code, words = manage(owned, tmp_path)
    assert (code, tables_in(owned)) == (1, 0)
    assert "CREATE EXTENSION vector; CREATE EXTENSION btree_gin" in words
    assert "needs to own the database" not in words


def test_a_server_without_the_modules_that_come_with_it_is_told_so():
    with pytest.raises(NotSupportedError) as missing:
        db.run("CREATE EXTENSION not_there")
    words = str(missing.value).replace("not_there", "btree_gin")
    assert "postgresql-contrib" in explain(NotSupportedError(words))


def test_what_a_database_has_set_otherwise_does_not_hold_for_the_hub(empty_database, tmp_path):
    name = empty_database.rpartition("/")[2]
    _as_superuser(
        f"ALTER DATABASE {name} SET DateStyle = 'SQL, DMY'", f"ALTER DATABASE {name} SET TimeZone = 'Asia/Kolkata'",
        f"ALTER DATABASE {name} SET default_transaction_isolation = 'repeatable read'",
        *(f"ALTER DATABASE {name} SET {each}_timeout = 300" for each in ("statement", "transaction", "idle_session")),
    )  # fmt: skip
    assert manage(empty_database, tmp_path)[0] == 0
    assert manage(empty_database, tmp_path)[0] == 0  # which reads moments
    told = manage(empty_database, tmp_path, "-c", SETTINGS)
    assert told == (0, "('20s', '1min', '0', '0', '0', 'off', 'ISO, DMY', 'read committed', 'UTC')\n")


def test_a_server_that_takes_no_writes_is_told_so(empty_database, tmp_path):
    name = empty_database.rpartition("/")[2]
    _as_superuser(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    code, words = manage(empty_database, tmp_path)
    assert code == 1
    assert "takes no writes" in words


def test_a_migration_that_fails_leaves_an_empty_database_empty(empty_database, tmp_path):
    broken = """
import django; django.setup()
from django.contrib.sessions.backends import db
from django.core.management import call_command
from django.db.migrations.operations import CreateModel
whole = CreateModel.database_forwards
def fail(self, label, *rest):
    if label == "sessions":
        raise RuntimeError("the power went")
    return whole(self, label, *rest)
CreateModel.database_forwards = fail
call_command("migrate", verbosity=0)
"""
    environment = {"DJANGO_SETTINGS_MODULE": "memoryhub.settings"}
    os.environ.update(environment)
    code, words = manage(empty_database, tmp_path, "-c", broken)
    assert code == 1
    assert "the power went" in words
    assert tables_in(empty_database) == 0


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ((False, "UTF8", "public", True, True, None, None), "has no pgvector"),
        ((False, "UTF8", "public", True, True, "0.6.2", None), "needs 0.7"),
        ((False, "UTF8", "public", True, True, "0.8.0", "0.5.1"), "pgvector is 0.5.1"),
        ((False, "UTF8", "public", True, False, "0.8.0", None), "may not make the extension"),
        ((False, "LATIN1", "public", True, True, "0.8.0", "0.8.0"), "encoded in LATIN1"),
        ((True, "UTF8", "public", True, True, "0.8.0", "0.8.0"), "takes no writes"),
    ],
)
def test_what_a_server_lacks_is_told_with_what_to_do(row, told):
    from memoryhub.db.postgres import requirements

    assert told in next(requirements._shortcomings(*row))


def test_this_server_lacks_nothing():
    assert db.why_unusable() == ""
    assert db.why_no_vectors() == ""
    assert db.server_version() >= (16,)


def behind(pooler: Pooler, url: str) -> str:
    """Return the address of a database by way of the pooler."""
    return f"postgres://hub@127.0.0.1:{pooler.port}/{url.rpartition('/')[2]}"


def test_a_pooler_that_gives_each_connection_a_session_of_its_own_may_stand_between(empty_database, tmp_path):
    with Pooler(server_port=int(connection.settings_dict["PORT"]), shared=False) as pooler:
        code, words = manage(behind(pooler, empty_database), tmp_path)
        told = manage(behind(pooler, empty_database), tmp_path, "-c", SETTINGS)
        _, refused = manage(f"{behind(pooler, empty_database)}?options=-cwork_mem%3D8MB", tmp_path)
    assert code == 0, words
    assert told == (0, "('20s', '1min', '0', '0', '0', 'off', 'ISO, MDY', 'read committed', 'UTC')\n")
    assert "leave them out" in refused
    assert tables_in(empty_database) > 50


SETTINGS = """import os; os.environ["DJANGO_SETTINGS_MODULE"] = "memoryhub.settings"
import django; django.setup()
from memoryhub import db
names = (
    "lock_timeout", "idle_in_transaction_session_timeout",
    "statement_timeout", "transaction_timeout", "idle_session_timeout", "jit",
    "DateStyle", "transaction_isolation", "TimeZone",
)
print(tuple(db.select(f"SHOW {name}")[0][0] for name in names))
"""


def test_a_pooler_that_hands_sessions_around_is_refused_before_anything_is_made(empty_database, tmp_path):
    with Pooler(server_port=int(connection.settings_dict["PORT"]), shared=True) as pooler:
        code, words = manage(behind(pooler, empty_database), tmp_path)
    assert code == 1
    assert "pool_mode = session" in words
    assert "Traceback" not in words
    assert tables_in(empty_database) == 0


# --- What befalls a connection -----------------------------------------------------------------------------------


def test_a_pool_that_is_used_up_is_told_apart_from_a_server_that_is_away(monkeypatch):
    from memoryhub.db.postgres.base import DatabaseWrapper

    connect, asked = psycopg.connect, []
    monkeypatch.setattr(psycopg, "connect", lambda **given: asked.append(1) or connect(**given))
    alone = {**connections["default"].settings_dict}
    alone["OPTIONS"] = {**alone["OPTIONS"], "pool": {"min_size": 0, "max_size": 1, "timeout": 0.3}}
    first, second = (DatabaseWrapper(alone, alias="small") for _ in range(2))
    try:
        first.ensure_connection()
        with pytest.raises(OperationalError) as refused:
            second.ensure_connection()
        assert "pool are in use" in explain(refused.value)
        assert len(asked) == 1  # not each time that nothing came free
    finally:
        first.close()
        first.close_pool()


def test_a_connection_that_the_server_ended_is_told_and_the_next_one_works():
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    _as_superuser(f"SELECT pg_terminate_backend({pid})")
    with pytest.raises(OperationalError) as lost:
        db.select("SELECT 1")
    assert is_of_the_database(lost.value)
    assert "Try again" in explain(lost.value)
    connection.close_if_unusable_or_obsolete()
    assert db.select("SELECT 1") == [(1,)]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems name these options otherwise, or lack them")
def test_who_waits_for_a_server_whose_host_is_gone_learns_it_soon():
    connection.ensure_connection()
    ours = socket.socket(fileno=os.dup(connection.connection.fileno()))
    with ours:
        asked = (socket.TCP_USER_TIMEOUT, socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
        unanswered, idle, between, times = (ours.getsockopt(socket.IPPROTO_TCP, each) for each in asked)
        assert ours.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    assert unanswered == 20_000
    assert idle + between * times <= 20


def test_who_waits_too_long_for_a_row_is_told_that_the_database_is_busy():
    guild, has_it, let_go = make_guild(), threading.Event(), threading.Event()

    def hold():
        with transaction.atomic():
            Guild.objects.filter(pk=guild.pk).update(name="held")
            has_it.set()
            let_go.wait(20)
        connection.close()

    holder = threading.Thread(target=hold)
    holder.start()
    try:
        assert has_it.wait(20)
        with pytest.raises(OperationalError) as busy, db.wait_at_most(50):
            Guild.objects.filter(pk=guild.pk).update(name="mine")
    finally:
        let_go.set()
        holder.join()
    assert "keeps the database busy" in explain(busy.value)
    assert db.select("SHOW lock_timeout") == [("20s",)]


def test_somebody_elses_session_that_keeps_others_waiting_is_named(monkeypatch):
    from memoryhub.db.postgres import lock_timeout

    guild, seen = make_guild(), []

    def rename():
        Guild.objects.filter(pk=guild.pk).update(name="mine")
        connection.close()

    waiting = threading.Thread(target=rename)
    url = f"{postgres.address()}/{connection.settings_dict['NAME']}"
    with psycopg.connect(url, application_name="psql") as somebody:
        pid = somebody.info.backend_pid
        somebody.execute("SELECT 1 FROM community_guild FOR UPDATE")
        waiting.start()
        until = time.monotonic() + 10
        while not (found := lock_timeout.keepers()) and time.monotonic() < until:
            time.sleep(0.01)
        seen.append(db.why_busy())
        monkeypatch.setattr(lock_timeout, "LONG", 0)
        seen.append(db.why_busy())
    waiting.join()
    assert [keeper[:3] for keeper in found] == [(pid, "hub", "psql")]
    assert seen[0] == ""  # not for long yet
    assert seen[1].startswith(f"Session {pid} (psql, user hub) has been in a transaction for 0 s")
    assert db.why_busy() == ""


def test_a_connection_given_back_by_who_waits_less_waits_as_usual_again():
    with db.wait_at_most(50):
        connection.close()  # as a request that ends does
        assert db.select("SHOW lock_timeout") == [("20s",)]
    assert db.select("SHOW lock_timeout") == [("20s",)]


def test_a_process_that_says_nothing_in_a_transaction_loses_it_and_is_told():
    assert db.select("SHOW idle_in_transaction_session_timeout") == [("1min",)]
    with pytest.raises(OperationalError) as lost:
        fall_silent()
    assert is_of_the_database(lost.value)
    assert "Try again" in explain(lost.value)
    connection.close_if_unusable_or_obsolete()
    assert not Guild.objects.exists()


@transaction.atomic
def fall_silent() -> None:
    """Make a guild, and say nothing for too long."""
    db.run("SET LOCAL idle_in_transaction_session_timeout = 50")
    make_guild()
    time.sleep(0.5)
    db.select("SELECT 1")


def test_a_server_that_takes_no_writes_just_now_is_one_to_wait_for():
    with transaction.atomic():
        db.run("SET TRANSACTION READ ONLY")
        with pytest.raises(OperationalError) as refused:
            make_guild()
        transaction.set_rollback(True)
    assert is_of_the_database(refused.value)
    assert "takes no writes" in explain(refused.value)
    make_guild()


def test_whoever_stops_with_a_guilds_lock_is_seen_to_do_nothing(monkeypatch):
    """Only then does the server take the lock away after a minute."""
    guild, seen = make_guild(), []

    def look(_guild):
        url = f"{postgres.address()}/{connection.settings_dict['NAME']}"
        with psycopg.connect(url, autocommit=True) as other:
            who = connection.connection.info.backend_pid
            until = time.monotonic() + 10
            while not seen or (seen[-1] == "active" and time.monotonic() < until):
                asked = other.execute("SELECT state FROM pg_stat_activity WHERE pid = %s", [who])
                seen.append(asked.fetchone()[0])

    monkeypatch.setattr("memoryhub.db.transactions._write_beside", look)
    with transaction.atomic():
        db.lock_guild(guild.pk)
    assert seen[-1] == "idle in transaction"


def test_a_missing_column_is_not_taken_for_a_missing_database():
    with pytest.raises(ProgrammingError) as missing:
        db.select("SELECT nothing FROM community_guild")
    assert "A column is missing" in explain(missing.value)


def test_a_forked_child_leaves_its_parents_connection_alone():
    db.select("SELECT 1")
    child = os.fork()
    if child == 0:
        try:
            works = db.select("SELECT 2") == [(2,)]
            connection.close()
        finally:
            os._exit(0 if works else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert db.select("SELECT 3") == [(3,)]


# --- Kept, restored, cleaned -------------------------------------------------------------------------------------


OTHERS = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


def test_moments_are_read_as_they_are_and_years_that_python_does_not_know_are_refused():
    sql = "SELECT '{}+00'::timestamptz"
    for written, moment in (
        ("2025-12-11 13:27:00.5", datetime(2025, 12, 11, 13, 27, 0, 500_000, tzinfo=UTC)),
        ("2026-01-01", datetime(2026, 1, 1, tzinfo=UTC)),
        ("0044-03-15 01:02:03.000004", datetime(44, 3, 15, 1, 2, 3, 4, tzinfo=UTC)),
    ):
        ((read,),) = db.select(sql.format(written))
        assert (read, read.tzinfo) == (moment, connection.timezone)
    for written in ("20000-01-01", "0044-03-15 00:00:00 BC"):
        with pytest.raises(DataError):
            db.select(sql.format(written))


@pytest.fixture
def tools(monkeypatch):
    """Find the wheel's programs, and end what threads of other tests hold: nobody may use what is restored."""
    connection.close()
    connection.close_pool()
    db.select(f"SELECT pg_terminate_backend(pid) {OTHERS}")
    monkeypatch.setenv("PATH", f"{postgres.bin_folder()}{os.pathsep}{os.environ['PATH']}")


def test_a_backup_brings_everything_back_in_one_step_and_keeps_what_was_there(tools, tmp_path):
    make_message("The tide is out.")
    dump = tmp_path / "copy.dump"
    backups().back_up_to(dump)
    Message.objects.update(text="The tide is in.")
    done = backups().restore_from(dump, now=NOON, known_by="notes_message", **STONES)
    assert Message.objects.get().text == "The tide is out."
    assert not db.has_table(RESTORED)
    backups().restore_from(Path(done.kept), now=NOON + minutes(1), known_by="notes_message", **STONES)
    assert Message.objects.get().text == "The tide is in."


def test_who_restores_and_may_not_make_pgvector_is_told_who_may(tools, owned, tmp_path):
    backups().back_up_to(tmp_path / "copy.dump")
    code, words = manage(owned, tmp_path, "manage.py", "restore", str(tmp_path / "copy.dump"))
    assert (code, tables_in(owned)) == (1, 0)
    assert "Nothing was changed: The user in DATABASE_URL may not make an extension" in words
    assert "CREATE EXTENSION btree_gin`.\n" in words


def test_who_was_erased_after_the_backup_is_known_after_the_restore(tools, tmp_path):
    from memoryhub.community.models import Tombstone

    Tombstone.objects.create(digest="before", erased_at=NOON, names=["x"])
    backups().back_up_to(tmp_path / "copy.dump")
    Tombstone.objects.create(digest="after", erased_at=NOON, names=["y\t'"])
    backups().restore_from(tmp_path / "copy.dump", now=NOON, known_by="notes_message", **STONES)
    assert db.select(f"SELECT digest FROM {RESTORED}") == [("after",)]
    db.run(f"DROP TABLE {RESTORED}")
    assert Tombstone.objects.get(digest="after").names == ["y\t'"]


def test_a_dump_says_which_migrations_its_tables_have(tools, tmp_path):
    backups().back_up_to(tmp_path / "copy.dump")
    (tmp_path / "odd.dump").write_bytes(b"PGDMP and then nothing")
    known = backups().migrations_of(tmp_path / "copy.dump")
    assert known == set(MigrationRecorder(connection).applied_migrations())
    assert ("memory", "0001_initial") in known
    assert backups().migrations_of(tmp_path / "odd.dump") == set()


def test_a_damaged_dump_and_another_file_change_nothing(tools, tmp_path):
    make_message("The tide is out.")
    (tmp_path / "odd.dump").write_bytes(b"PGDMP and then nothing")
    with pytest.raises(Damaged):
        backups().restore_from(tmp_path / "odd.dump", now=NOON, known_by="notes_message", **STONES)
    backups().back_up_to(tmp_path / "copy.dump")
    with pytest.raises(NoBackup):
        backups().restore_from(tmp_path / "copy.dump", now=NOON, known_by="another_table", **STONES)
    assert Message.objects.count() == 1


def test_an_older_pg_dump_is_a_sentence_that_says_what_to_install(monkeypatch, tmp_path):
    told = "pg_dump: error: aborting because of server version mismatch"
    more = "pg_dump: detail: server version: 18.6; pg_dump version: 15.18"
    (tmp_path / "pg_dump").write_text(f"#!/bin/sh\necho '{told}\n{more}' >&2\nexit 1\n")
    (tmp_path / "pg_dump").chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(ToolMissing, match=r"server version: 18.6; pg_dump version: 15.18. .* is older than the server"):
        backups().back_up_to(tmp_path / "copy.dump")
    assert not list(tmp_path.glob("copy*"))


@pytest.mark.parametrize(
    ("part", "value", "told"),
    [
        ("PORT", 1, "No server answers"),
        ("NAME", "nowhere", "no database of this name"),
        ("HOST", "h.invalid", "spelled"),
    ],
)
def test_a_server_that_a_dump_does_not_reach_is_a_sentence_that_says_what_to_do(
    tools, monkeypatch, tmp_path, part, value, told
):
    monkeypatch.setitem(connection.settings_dict, part, value)
    with pytest.raises(ToolMissing, match=f"(?s){told}.*manage.py doctor.*pg_dump"):
        backups().back_up_to(tmp_path / "copy.dump")


def test_deleted_rows_are_vacuumed_once_nobody_reads_from_before():
    make_message("The tide is out.")
    Message.objects.all().delete()
    db.select("SELECT pg_stat_force_next_flush()")  # else the server may count the deletion after the vacuum
    assert db.clear_deleted(rewrite=False)
    (dead,) = db.select("SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = 'notes_message'")
    assert dead == (0,)


def test_dead_rows_that_somebody_may_still_read_are_not_called_cleared(monkeypatch):
    from memoryhub.db.postgres import vacuum

    monkeypatch.setattr(vacuum, "READERS_WAITED_FOR", 0.3)
    make_message("The tide is out.")
    url = connection.settings_dict
    with psycopg.connect(f"{postgres.address()}/{url['NAME']}") as reader:
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT 1 FROM notes_message")
        Message.objects.all().delete()
        assert not db.clear_deleted(rewrite=False)


# --- The address -------------------------------------------------------------------------------------------------


def test_what_the_address_says_reaches_the_driver(tmp_path):
    url = "postgresql://anna:p%40ss@db.example:6432/house?sslmode=require&options=-c%20work_mem%3D8MB"
    found = databases(url, folder=tmp_path, sync=False)["default"]
    assert (found["NAME"], found["USER"], found["PASSWORD"], found["HOST"], found["PORT"]) == (
        "house", "anna", "p@ss", "db.example", "6432",
    )  # fmt: skip
    assert found["OPTIONS"]["sslmode"] == "require"
    assert found["OPTIONS"]["options"] == "-c work_mem=8MB"
