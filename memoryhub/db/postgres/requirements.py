"""What a PostgreSQL server must be and allow before the hub makes its first table in it."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import Error, connection
from psycopg import OperationalError, connect

from memoryhub.db.postgres.poolers import why_no_session
from memoryhub.db.postgres.server_trouble import brief, explain, is_away

OLDEST_PGVECTOR = (0, 7)  # the first with halves of floats
LOOK = """SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool,
    current_setting('server_encoding'), current_schema(),
    current_schema() IS NOT NULL AND has_schema_privilege(current_schema(), 'CREATE'),
    has_database_privilege(current_database(), 'CREATE'), default_version, installed_version
    FROM (SELECT 1) AS one LEFT JOIN pg_available_extensions ON name = 'vector'"""
NO_PGVECTOR = (
    "The PostgreSQL server has no pgvector. Install it there (Debian: apt install postgresql-17-pgvector, for your "
    "version; containers: the image pgvector/pgvector), and start again."
)


def why_unusable() -> str:
    """Return an operator's sentence on why the hub can't run on this server; empty when it can. Changes nothing."""
    if reason := why_server_unusable():
        return reason
    try:
        with connection.wrap_database_errors:
            return why_no_session()
    except Error as error:
        return explain(error)


def why_away() -> str:
    """Return why the server takes no connection just now; empty when it does. Raises Error for what stays so."""
    with connection.wrap_database_errors:
        try:
            connect(**connection.get_connection_params()).close()
        except OperationalError as error:
            if is_away(error):
                return brief(error)
            raise
    return ""


def why_server_unusable() -> str:
    """Return the same of the server alone, by one statement: health is asked every few seconds."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(LOOK)
            row = cursor.fetchone()
    except Error as error:
        return explain(error)
    return next(_shortcomings(*row), "")


def _shortcomings(
    replica: bool, encoding: str, schema: str | None, may_make_tables: bool, may_extend: bool,  # noqa: FBT001
    available: str | None, installed: str | None,
) -> Iterator[str]:  # fmt: skip
    version = installed or available
    if replica:
        yield "The server takes no writes: it is a replica, or read-only. Let DATABASE_URL name the primary."
    if encoding != "UTF8":
        yield f"The database is encoded in {encoding}. Make one in UTF8: `CREATE DATABASE ... ENCODING 'UTF8'`."
    if schema is None or not may_make_tables:
        yield (
            "The user in DATABASE_URL may not make tables. As the database's owner: "
            "`GRANT CREATE, USAGE ON SCHEMA public TO user`; or let the user own the database."
        )
    if version is None:
        yield NO_PGVECTOR
    elif tuple(int(part) for part in version.split(".")[:2]) < OLDEST_PGVECTOR:
        yield (
            f"pgvector is {version}; the hub needs 0.7 or newer. Install a newer one on the server, then "
            "`ALTER EXTENSION vector UPDATE`."
        )
    if installed is None and not may_extend:
        yield (
            "The user in DATABASE_URL may not make the extension pgvector. As the database's owner or a superuser: "
            "`CREATE EXTENSION vector; CREATE EXTENSION btree_gin`, or `GRANT CREATE ON DATABASE name TO user`."
        )
