"""What stands between the hub and PostgreSQL, such as PgBouncer: a session of the server has to be ours alone."""

from __future__ import annotations

from typing import Any

from django.db import connection
from psycopg import connect

LOOKS = 3  # others may use the pooler at the same time, and hide for a moment what it does
SESSION = "SELECT pg_backend_pid()"
SHARED = (
    "A pooler between the hub and PostgreSQL hands the sessions of the server around between transactions, but the "
    "hub's waiting times, prepared statements and locks belong to a session. Set pool_mode = session for this database "
    "in pgbouncer.ini (or use the port of your provider's pooler that is for sessions), and reload it."
)


def why_no_session() -> str:
    """Return an operator's sentence on why no session is the hub's own; empty when each connection has one."""
    if connection.in_atomic_block:
        return ""  # it keeps its session until the end of the transaction, whoever hands it out
    if _asked(connection.connection) == connection.connection.info.backend_pid:
        return ""  # who answers is who let us in: nobody is between
    other: Any = connect(**{**connection.get_connection_params(), "autocommit": True})
    with other:
        pairs = [(_asked(connection.connection), _asked(other)) for _ in range(LOOKS)]
    # Each of two sessions of one's own is always the same, and never the other one's.
    return "" if len(set(pairs)) == 1 and len({*pairs[0]}) == 2 else SHARED


def _asked(raw: Any) -> int:
    found: int = raw.execute(SESSION, prepare=False).fetchone()[0]
    return found
