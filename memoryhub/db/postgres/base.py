"""The database wrapper: Django's own with its pool of connections, which a forked process does not carry on."""

from __future__ import annotations

import atexit
import json
import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import cache, partial
from typing import Any

from django.db import DEFAULT_DB_ALIAS, OperationalError, connections
from django.db.backends.postgresql import base as stock
from django.db.backends.postgresql import features, operations
from django.db.models import Model
from django.db.utils import DatabaseErrorWrapper
from django.utils.asyncio import async_unsafe
from django.utils.functional import cached_property
from psycopg import _queries
from psycopg.adapt import AdaptersMap
from psycopg.pq import Format
from psycopg.types.json import Jsonb
from psycopg.types.string import StrDumperUnknown
from psycopg_pool import PoolTimeout

from memoryhub.database_url import COMES_FREE
from memoryhub.db.guild_scope import is_of_a_guild
from memoryhub.db.postgres.outage import Outage
from memoryhub.db.postgres.schema import DatabaseSchemaEditor
from memoryhub.db.postgres.server_trouble import is_crowded

PREPARED = 250  # statements that the server keeps for a connection; a context alone runs thirty
ASKED_WITHIN = 2  # seconds
PASSING = ("25006", "25P03", "25P04")  # read-only; a transaction that said nothing, or took, too long
OLDEST = 16  # the first release that is tested
SET_ALL = """SELECT set_config(name, value, false) FROM unnest(%s::text[], %s::text[]) AS given(name, value)
    WHERE current_setting(name, true) IS NOT NULL"""  # releases before 17 know no transaction_timeout
UNSTORABLE = re.compile(r"(\\\\|\\ud[89ab]..\\ud[c-f]..)|\\u0000|\\ud[89a-f]..")
"""In JSON as text: null characters and halves of surrogate pairs; what only looks alike is the first group."""


class DatabaseFeatures(features.DatabaseFeatures):
    """What PostgreSQL can do, from the oldest release on that the hub runs on."""

    minimum_database_version = (OLDEST,)

    def allows_group_by_selected_pks_on_model(self, model: type[Model]) -> bool:
        """Say whether a row's id settles its other columns: not to PostgreSQL where the key begins with the guild."""
        allowed: bool = super().allows_group_by_selected_pks_on_model(model)
        return allowed and not is_of_a_guild(model)


class DatabaseOperations(operations.DatabaseOperations):
    """How queries are written for PostgreSQL."""

    compiler_module = "memoryhub.db.postgres.compiler"

    def adapt_json_value(self, value: Any, encoder: Any) -> Any:
        """Return a value of a JSON column without what PostgreSQL cannot hold in it."""
        return Jsonb(value, dumps=_json_dumper(encoder))


class ErrorWrapper(DatabaseErrorWrapper):
    """Django's, but what the server calls an error of its own and a later try does not meet is an OperationalError.

    So is all else that passes: who waits for the database, or tells a caller to come back, knows it by that.
    """

    wrapper: DatabaseWrapper

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        """Raise Django's error in place of the driver's."""
        if getattr(error, "sqlstate", None) in PASSING:
            self.wrapper.errors_occurred = True
            raise OperationalError(*error.args).with_traceback(traceback) from error
        super().__exit__(kind, error, traceback)


class DatabaseWrapper(stock.DatabaseWrapper):
    """Django's PostgreSQL wrapper."""

    features_class = DatabaseFeatures
    ops_class = DatabaseOperations
    SchemaEditorClass = DatabaseSchemaEditor

    @cached_property
    def wrap_database_errors(self) -> ErrorWrapper:
        """Return what turns the driver's errors into Django's."""
        return ErrorWrapper(self)

    def get_connection_params(self) -> dict[str, Any]:
        """Have texts written without null characters, which PostgreSQL cannot hold, and moments read quickly."""
        params: dict[str, Any] = super().get_connection_params()
        params.pop("session", None)
        params["context"] = _own(params["context"])
        return params

    def _configure_connection(self, connection: Any) -> bool:
        """Set what holds for the session; the pool calls it for each connection that it opens. True: to be committed.

        What the address itself says in `options` came with the request for the connection, and has the last word.
        """
        given = self.settings_dict["OPTIONS"].get("options", "")
        session = self.settings_dict["OPTIONS"].get("session", {})
        session = {name: value for name, value in session.items() if name not in given}
        connection.execute(SET_ALL, [list(session), list(session.values())])
        super()._configure_connection(connection)  # type: ignore[misc]
        return True

    @async_unsafe
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Take a connection from the pool; while the server is away, fail at once where another has just tried."""
        server = "PostgreSQL" if self.alias == DEFAULT_DB_ALIAS else f"PostgreSQL ({self.alias})"
        outage = _outages.setdefault(self.alias, Outage(server))
        connection = outage.connect(partial(self._from_pool, conn_params))
        connection.prepared_max = PREPARED
        return connection

    def _from_pool(self, conn_params: dict[str, Any]) -> Any:
        """Return a connection; where none comes soon, the server itself is asked why.

        The pool connects in the background and only says that it took too long.
        """
        until = time.monotonic() + COMES_FREE
        while True:
            try:
                return super().get_new_connection(conn_params)
            except PoolTimeout:
                is_late = time.monotonic() > until
                self.pool.check()  # else it tries those that the server ended one after the other
                sizes = self.pool.get_stats()
                if not is_late and sizes["pool_size"] >= sizes["pool_max"]:
                    continue  # all are in use: the server is not asked for more, by each who waits, before it must be
                try:
                    self.Database.connect(**{**conn_params, "connect_timeout": ASKED_WITHIN}).close()
                except self.Database.OperationalError as error:
                    if is_late or not is_crowded(error):
                        raise
                else:
                    if is_late:  # the server answers: all connections of the pool are in use
                        raise


class TextDumper(StrDumperUnknown):
    """Writes a text without its null characters, in Python: the driver's own in C can't be built on."""

    def dump(self, text: str) -> Any:
        """Return the text in the connection's encoding."""
        return super().dump(text.replace("\x00", ""))


# Our longest statements, too, are taken apart once: the one that stores a new fact has more values than the driver
# expects of a statement that comes again.
_queries.MAX_CACHED_STATEMENT_LENGTH, _queries.MAX_CACHED_STATEMENT_PARAMS = 16_384, 300


class MomentLoader:
    """Stands before Django's loader of moments, which is in Python: what is written as usual needs no taking apart."""

    timezone: Any

    def load(self, data: Any) -> Any:
        """Return the moment; years that Python does not know, and other offsets, are left to the driver."""
        text = bytes(data).decode()
        if text.endswith("+00"):
            with suppress(ValueError):
                return datetime.fromisoformat(text[:-3]).replace(tzinfo=self.timezone)
        return super().load(data)  # type: ignore[misc]


@cache
def _json_dumper(encoder: Any) -> Callable[[Any], str]:
    return lambda value: UNSTORABLE.sub(r"\1", json.dumps(value, cls=encoder))


@cache
def _own(adapters: AdaptersMap) -> AdaptersMap:
    """Return Django's adapters with ours; it reads moments into the time zone of the connection, which is UTC."""
    own = AdaptersMap(adapters)
    own.register_dumper(str, TextDumper)
    loader: Any = own.get_loader(own.types["timestamptz"].oid, Format.TEXT)
    own.register_loader("timestamptz", type("MomentLoader", (MomentLoader, loader), {}))
    return own


_outages: dict[str, Outage] = {}
"""By alias."""


def _close_pools() -> None:
    """Stop the threads of the pools: left to the interpreter's end, they hold it up."""
    pools: dict[str, Any] = vars(stock.DatabaseWrapper)["_connection_pools"]
    for pool in list(pools.values()):
        pool.close()
    pools.clear()


def _forget_pools() -> None:
    """Leave the parent's connections to the parent: a child has neither the pool's threads nor a right to its sockets.

    The driver knows the process that opened a connection and does not end it here.
    """
    _outages.clear()  # one of the parent's threads may hold its lock
    vars(stock.DatabaseWrapper)["_connection_pools"].clear()
    for wrapper in connections.all(initialized_only=True):
        if isinstance(wrapper, DatabaseWrapper):
            wrapper.connection = None


atexit.register(_close_pools)
os.register_at_fork(after_in_child=_forget_pools)
