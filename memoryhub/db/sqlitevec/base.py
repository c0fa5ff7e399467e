"""The database wrapper: Django's own, on a driver that can load sqlite-vec, and honest when it can't."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from typing import Any, cast

from django.db.backends.sqlite3 import base as stock
from django.db.backends.sqlite3 import operations
from django.utils.asyncio import async_unsafe

from memoryhub.db.sqlitevec.driver import Database, loads_extensions

PRAGMAS = ("PRAGMA foreign_keys = ON", "PRAGMA legacy_alter_table = OFF")
KEPT, LONGEST_KEPT = 500, 4_000  # statements that are converted once, and the characters of the longest

ANY_CASE = ("iexact", "icontains", "istartswith", "iendswith")
"""Lookups that take a capital letter for a small one, in every alphabet, as they do on PostgreSQL."""
TO_VALUES = dict.fromkeys(ANY_CASE, r"LIKE folded(%s) ESCAPE '\'")
TO_COLUMNS = {name: words.replace("UPPER(", "folded(") for name, words in stock.DatabaseWrapper.pattern_ops.items()}
"""How they compare a column with a value, and with another column."""

LONGEST_PAUSE = 0.1  # seconds; a writer that has waited long looks as often whether it is free

# SQLite looks at what a bare mark of LIMIT stands for to plan, so it plans such a statement anew at each run; behind a
# plus it does not look.
_LIMIT = re.compile(r"\bLIMIT (?=[?:])")


class Cursor(Database.Cursor):
    """Turns Django's `%s` and `%(name)s` into SQLite's marks, on whichever driver was chosen.

    A statement that failed is taken off its cursor at once. The exception's traceback keeps the cursor until Python
    collects garbage, in whichever thread: with the statement still on it that waits for the cursor's own connection,
    and if the collecting thread is the one that writes, and the connection waits for it, both wait until time is out.
    """

    def execute(self, query: str, params: Any = None) -> Cursor:
        """Run one statement; without parameters its percent signs are left alone, as Django promises."""
        try:
            if params is None:
                return super().execute(query)
            return super().execute(_native(query, params), params)
        except Database.Error:
            self._take_off()
            raise

    def executemany(self, query: str, param_list: Iterable[Any]) -> Cursor:
        """Run one statement for each set of parameters, which may come from a generator."""
        rows = iter(param_list)
        first = next(rows, None)
        rows = rows if first is None else chain([first], rows)
        try:
            return super().executemany(_native(query, first), rows)
        except Database.Error:
            self._take_off()
            raise

    def _take_off(self) -> None:
        with suppress(Database.Error):
            super().execute("SELECT 1 WHERE 0")


def _native(query: str, params: object) -> str:
    names = frozenset(params) if isinstance(params, Mapping) else None
    return _converted_once(query, names) if len(query) <= LONGEST_KEPT else _converted(query, names)


@lru_cache(maxsize=KEPT)
def _converted_once(query: str, names: frozenset[str] | None) -> str:
    return _converted(query, names)


def _converted(query: str, names: frozenset[str] | None) -> str:
    # Django's converter asks nothing of its cursor, and its cursor's class belongs to the other driver.
    convert = cast("Any", stock.SQLiteCursorWrapper).convert_query
    converted: str = convert(None, query, param_names=names)
    return _LIMIT.sub("LIMIT +", converted)


class DatabaseOperations(operations.DatabaseOperations):
    """How queries are written for SQLite."""

    compiler_module = "memoryhub.db.sqlitevec.compiler"

    def lookup_cast(self, lookup_type: str, internal_type: str | None = None) -> str:
        """Fold the letters of a column that is compared without regard to their case."""
        cast_of: str = super().lookup_cast(lookup_type, internal_type)
        return f"folded({cast_of})" if lookup_type in ANY_CASE else cast_of


def folded(text: str | None) -> str | None:
    """Return the text without a difference of case: SQLite's own LIKE knows the letters of ASCII alone."""
    return text.casefold() if isinstance(text, str) else text


class DatabaseWrapper(stock.DatabaseWrapper):
    """Django's SQLite wrapper; `OPTIONS["load_vectors"] = False` leaves the extension out.

    `vector_trouble` says why the open connection has no vector extension; it is empty when it has one. Where the class
    `gives_way`, a transaction begins no sooner than others had as long as this connection's last one took: SQLite has
    one writer, and one that goes on at once is never found idle by those who look now and then.
    """

    # Django maps the driver's exceptions to its own by this attribute.
    Database = Database
    ops_class = DatabaseOperations
    operators = stock.DatabaseWrapper.operators | TO_VALUES
    pattern_ops = stock.DatabaseWrapper.pattern_ops | TO_COLUMNS
    vector_trouble = "the database connection was not opened yet"
    gives_way = False
    _began = _ended = 0.0

    @property
    def vector_extension(self) -> bool:
        """Whether `vec0` tables work on the open connection."""
        return not self.vector_trouble

    def get_connection_params(self) -> dict[str, Any]:
        """Take our own option out of what the driver gets."""
        params: dict[str, Any] = super().get_connection_params()
        self.load_vectors = params.pop("load_vectors", True)
        return params

    @async_unsafe
    def get_new_connection(self, conn_params: dict[str, Any]) -> Database.Connection:
        """Open a connection as Django does, and load the vector extension into it."""
        raw: Database.Connection = Database.connect(**conn_params)
        cast("Any", stock).register_functions(raw)
        raw.create_function("folded", 1, folded, deterministic=True)
        self.vector_trouble = load_vectors(raw) if self.load_vectors else "OPTIONS load_vectors switches it off"
        for command in (*PRAGMAS, *filter(None, map(str.strip, cast("Any", self).init_commands))):
            raw.execute(command)
        return raw

    def _start_transaction_under_autocommit(self) -> None:
        if self.gives_way:
            pause = min(self._ended - self._began, LONGEST_PAUSE) - (time.monotonic() - self._ended)
            time.sleep(max(0.0, pause))
        cast("Any", super())._start_transaction_under_autocommit()
        self._began = time.monotonic()

    def _commit(self) -> None:
        cast("Any", super())._commit()
        self._ended = time.monotonic()

    def _rollback(self) -> None:
        cast("Any", super())._rollback()
        self._ended = time.monotonic()

    def create_cursor(self, name: str | None = None) -> Cursor:
        """Return a cursor of the chosen driver."""
        cursor: Cursor = self.connection.cursor(factory=Cursor)
        return cursor


def load_vectors(raw: Database.Connection) -> str:
    """Load sqlite-vec into the connection; return the reason why that can't be, or nothing."""
    if not loads_extensions(Database):
        return (
            "this Python's sqlite3 cannot load extensions. Nothing is lost: search compares every vector of a guild. "
            "`make setup` installs an SQLite that can."
        )
    try:
        import sqlite_vec

        raw.enable_load_extension(True)  # noqa: FBT003
        sqlite_vec.load(raw)
        raw.enable_load_extension(False)  # noqa: FBT003
    except (ImportError, Database.Error) as error:
        return f"sqlite-vec could not be loaded: {error}"
    return ""
