"""The SQLite backend: extension, pragmas, types and transactions on whichever driver was found."""

import datetime
import decimal
import gc
import sqlite3
import sys
import threading
import types

import pytest
from django.db import DEFAULT_DB_ALIAS, DatabaseError, IntegrityError, connection, connections, transaction
from django.db.models import F

from memoryhub import db
from memoryhub.community.models import Guild
from memoryhub.db.sqlitevec import base, driver

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite_only("the backend and its driver")]


@pytest.fixture
def opened():
    """Open a wrapper of our own with other options, on a database in memory."""
    wrappers = []

    def open_with(*, name=":memory:", **options) -> base.DatabaseWrapper:
        settings = {**connections[DEFAULT_DB_ALIAS].settings_dict, "NAME": name}
        settings["OPTIONS"] = {**settings["OPTIONS"], **options}
        wrapper = base.DatabaseWrapper(settings, alias="scratch")
        wrapper.connect()
        wrappers.append(wrapper)
        return wrapper

    yield open_with
    for wrapper in wrappers:
        wrapper.connection.close()


def ask(wrapper, sql, params=None):
    with wrapper.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchall()


def test_the_default_connection_has_the_vector_extension():
    assert db.why_no_vectors() == ""
    assert db.can_load_vectors()
    assert db.select("SELECT vec_length(vec_f32('[1, 2, 3]'))") == [(3,)]


def test_the_settings_pragmas_hold_on_every_connection():
    pragmas = {name: db.select(f"PRAGMA {name}")[0][0] for name in ("journal_mode", "synchronous", "foreign_keys")}
    assert pragmas == {"journal_mode": "wal", "synchronous": 1, "foreign_keys": 1}
    assert db.select("PRAGMA busy_timeout")[0][0] >= 5000


def test_the_extension_can_be_switched_off(opened):
    wrapper = opened(load_vectors=False)
    assert not wrapper.vector_extension
    assert "load_vectors" in wrapper.vector_trouble
    assert ask(wrapper, "SELECT count(*) FROM pragma_module_list WHERE name = 'vec0'") == [(0,)]


def test_a_driver_that_cannot_load_extensions_gives_the_reason(opened, monkeypatch):
    monkeypatch.setattr(base, "loads_extensions", lambda module: False)
    wrapper = opened()
    assert "cannot load extensions" in wrapper.vector_trouble
    assert ask(wrapper, "SELECT 1") == [(1,)]


def test_a_missing_extension_package_gives_the_reason(opened, monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlite_vec", None)
    assert "sqlite-vec could not be loaded" in opened().vector_trouble


def test_another_engine_gives_the_reason(monkeypatch):
    monkeypatch.setattr(
        "memoryhub.db.sqlitevec.sqlite_dialect.connection", types.SimpleNamespace(ensure_connection=lambda: None)
    )
    assert "not memoryhub.db.sqlitevec" in db.why_no_vectors()


def test_pythons_own_driver_is_the_last_resort(monkeypatch):
    monkeypatch.setattr(driver, "loads_extensions", lambda module: False)
    monkeypatch.setitem(sys.modules, "pysqlite3", None)
    monkeypatch.setitem(sys.modules, "pysqlite3.dbapi2", None)
    assert driver.pick() is sqlite3.dbapi2


def test_pythons_own_driver_is_preferred_when_it_loads_extensions(monkeypatch):
    monkeypatch.setattr(driver, "loads_extensions", lambda module: True)
    assert driver.pick() is sqlite3.dbapi2


def test_dates_decimals_and_booleans_come_back_as_they_went_in(opened):
    wrapper = opened()
    values = [
        datetime.datetime.fromisoformat("2023-05-08T13:56:00.000250"),
        datetime.date(2023, 5, 8),
        datetime.time(13, 56),
        decimal.Decimal("1.50"),
        True,
    ]
    ask(wrapper, "CREATE TABLE kept (moment datetime, day date, hour time, price text, flag bool)")
    ask(wrapper, "INSERT INTO kept VALUES (%s, %s, %s, %s, %s)", [*values[:2], str(values[2]), *values[3:]])
    in_utc = values[0].replace(tzinfo=datetime.UTC)
    assert ask(wrapper, "SELECT * FROM kept") == [(in_utc, *values[1:3], "1.50", True)]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2023-05-08 13:56:00", datetime.datetime(2023, 5, 8, 13, 56, tzinfo=datetime.UTC)),
        ("2023-05-08T13:56:00.5", datetime.datetime(2023, 5, 8, 13, 56, 0, 500_000, tzinfo=datetime.UTC)),
        ("2023-05-08 13:56:00+00:00", datetime.datetime(2023, 5, 8, 13, 56, tzinfo=datetime.UTC)),
        ("2023-5-8 1:56", datetime.datetime(2023, 5, 8, 1, 56, tzinfo=datetime.UTC)),
        ("yesterday", None),
    ],
)
def test_a_moment_is_read_however_it_was_written(written, read):
    assert driver.moment(written.encode()) == read


def test_every_style_of_parameters_reaches_sqlite(opened):
    wrapper = opened()
    assert ask(wrapper, "SELECT '100%'") == [("100%",)]
    assert ask(wrapper, "SELECT %s || '100%%'", ["is "]) == [("is 100%",)]
    assert ask(wrapper, "SELECT %(a)s + %(b)s", {"a": 1, "b": 2}) == [(3,)]


@pytest.mark.parametrize("params", [lambda most: [most], lambda most: {"most": most}])
def test_a_statement_is_planned_once_whatever_its_limit_is(opened, params):
    wrapper, planned = opened(), []
    statement = f"SELECT value FROM json_each('[1, 2, 3]') LIMIT {'%s' if isinstance(params(1), list) else '%(most)s'}"
    wrapper.connection.set_authorizer(lambda *what: planned.append(what) or sqlite3.SQLITE_OK)
    assert ask(wrapper, statement, params(1)) == [(1,)]
    assert planned
    planned.clear()
    assert ask(wrapper, statement, params(2)) == [(1,), (2,)]
    assert not planned


@pytest.mark.parametrize("lookup", ["iexact", "icontains", "istartswith", "iendswith"])
@pytest.mark.parametrize(("kept", "asked"), [("Ökotag 100%", "ÖKOTAG 100%"), ("ИВАН", "иван"), ("Straße", "STRASSE")])
def test_letters_are_compared_without_their_case_in_any_alphabet(lookup, kept, asked):
    Guild.objects.create(key="discord:1", name=kept)
    Guild.objects.create(key="discord:2", name="Else 100")
    found = Guild.objects.filter(**{f"name__{lookup}": asked})
    assert [guild.name for guild in found] == [kept]
    assert list(Guild.objects.filter(**{f"name__{lookup}": F("name")}).order_by("pk")) == list(
        Guild.objects.order_by("pk")
    )


def test_many_rows_may_come_from_a_generator_in_either_style(opened):
    wrapper = opened()
    with wrapper.cursor() as cursor:
        cursor.execute("CREATE TABLE kept (number)")
        cursor.executemany("INSERT INTO kept VALUES (%s)", ((number,) for number in range(3)))
        cursor.executemany("INSERT INTO kept VALUES (%(n)s)", ({"n": number} for number in range(3, 5)))
        cursor.executemany("INSERT INTO kept VALUES (%s)", iter(()))
    assert ask(wrapper, "SELECT number FROM kept") == [(0,), (1,), (2,), (3,), (4,)]


def test_the_drivers_errors_arrive_as_djangos():
    db.run("CREATE TABLE scratch_backend (number INTEGER UNIQUE)")
    db.run("INSERT INTO scratch_backend VALUES (1)")
    with pytest.raises(IntegrityError), transaction.atomic():
        db.run("INSERT INTO scratch_backend VALUES (1)")
    assert db.select("SELECT count(*) FROM scratch_backend") == [(1,)]


def test_an_inner_rollback_keeps_the_outer_work():
    db.run("CREATE TABLE scratch_backend (number)")
    with db.atomic():
        db.run("INSERT INTO scratch_backend VALUES (1)")
        with transaction.atomic():
            db.run("INSERT INTO scratch_backend VALUES (2)")
            transaction.set_rollback(True)
    assert db.select("SELECT number FROM scratch_backend") == [(1,)]


@pytest.mark.django_db(transaction=True)
def test_threads_that_read_and_then_write_wait_for_each_other():
    db.run("CREATE TABLE scratch_backend (number INTEGER)")
    db.run("INSERT INTO scratch_backend VALUES (0)")
    trouble = []

    def count_up() -> None:
        try:
            for _ in range(20):
                with db.atomic():
                    ((number,),) = db.select("SELECT number FROM scratch_backend")
                    db.run("UPDATE scratch_backend SET number = %s", [number + 1])
        except DatabaseError as error:
            trouble.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=count_up) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    total = db.select("SELECT number FROM scratch_backend")
    db.run("DROP TABLE scratch_backend")
    assert trouble == []
    assert total == [(80,)]


def test_a_cursor_that_failed_is_collected_while_its_connection_works_in_another_thread(opened, tmp_path):
    """If not, who writes waits for who waits to write: each message got a 503 after 20 seconds."""
    writer, waiter = (opened(name=tmp_path / "two.sqlite3", check_same_thread=False) for _ in range(2))
    inside, go_on, went_on = threading.Event(), threading.Event(), []

    def hold() -> int:
        inside.set()
        went_on.append(go_on.wait(10))
        return 1

    ask(writer, "CREATE TABLE words (word text)")
    ask(writer, "PRAGMA busy_timeout = 0")
    ask(waiter, "PRAGMA busy_timeout = 0")
    ask(writer, "BEGIN IMMEDIATE")
    gc.disable()
    try:
        _fail_and_leave_it_to_the_collector(waiter)
        waiter.connection.create_function("hold", 0, hold)
        working = threading.Thread(target=waiter.connection.execute, args=["SELECT hold()"])
        working.start()
        assert inside.wait(10)
        gc.collect()
        go_on.set()
        working.join(20)
    finally:
        gc.enable()
    assert went_on == [True]


def _fail_and_leave_it_to_the_collector(wrapper: base.DatabaseWrapper) -> None:
    cursor = wrapper.create_cursor()
    with pytest.raises(base.Database.OperationalError, match="locked"):
        cursor.execute("BEGIN IMMEDIATE")
    ring = [cursor]
    ring.append(ring)
