"""Reads DATABASE_URL: a file of SQLite's, or a PostgreSQL server."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

SERVERS = ("postgres", "postgresql")
FORMS = "postgres://user:password@host/database, or sqlite:///path"
WRITE = f"Write {FORMS}, or nothing for the file in the data folder."
REPLICA = "replica"  # the name of Django's second database, where there is one
PATIENCE = 20_000  # milliseconds that a statement waits for a row that another transaction holds
LOST_AFTER = 60_000  # milliseconds that a process which says nothing more keeps its locks: its host may be gone
POOLED = 16  # connections of one process at most: its 8 threads, and the few that work beside them
PREPARED_AFTER = 3  # times that a connection ran a statement
GONE_AFTER = 20  # seconds that the host of the server, or the way to it, is silent: its kernel answers at once
COMES_FREE = 4  # seconds that a thread waits for a connection of the pool, where the server answers
SEEN_AFTER = 0.5  # seconds without one until it asks the server


def databases(url: str, *, folder: Path, sync: bool, replica: str = "") -> dict[str, dict[str, Any]]:
    """Return Django's DATABASES; `sync` has SQLite wait for the disk at each commit. Raises ImproperlyConfigured.

    `replica` is the address of a server that replays what the first one writes, or nothing.
    """
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise ImproperlyConfigured(f"DATABASE_URL cannot be read: {error}. {WRITE}") from error
    if parts.scheme in SERVERS:
        return {"default": _server(url), **({REPLICA: _replica(replica)} if replica else {})}
    if replica:
        raise ImproperlyConfigured("DATABASE_REPLICA_URL needs a DATABASE_URL that names a PostgreSQL server.")
    if parts.scheme != "sqlite" or parts.netloc:
        raise ImproperlyConfigured(f"DATABASE_URL names no database that the hub knows. {WRITE}")
    return {"default": _file(folder / parts.path.removeprefix("/"), folder=folder, sync=sync)}


def _replica(url: str) -> dict[str, Any]:
    """Return the settings of a replica, which is never written to, not even where it became a primary."""
    try:
        found = _server(url)
    except ImproperlyConfigured as error:
        raise ImproperlyConfigured(str(error).replace("DATABASE_URL", "DATABASE_REPLICA_URL")) from None
    found["OPTIONS"]["session"]["default_transaction_read_only"] = "on"
    return {**found, "TEST": {"MIRROR": "default"}}


def _file(path: Path, *, folder: Path, sync: bool) -> dict[str, Any]:
    return {
        "ENGINE": "memoryhub.db.sqlitevec",
        "NAME": path,
        # Closing the last connection of a WAL database checkpoints and syncs it; kept open, a write is 7 times quicker.
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "timeout": 20,
            # A deferred transaction that turns into a writer fails at once while another writes, whatever the timeout.
            "transaction_mode": "IMMEDIATE",
            # A search of 100,000 facts reads 20 MB: mapped, no page is copied, which takes a fifth off its time.
            "init_command": (
                f"PRAGMA journal_mode=WAL;PRAGMA synchronous={'FULL' if sync else 'NORMAL'};PRAGMA busy_timeout=20000;"
                "PRAGMA mmap_size=1073741824;PRAGMA secure_delete=ON"
            ),
        },
        # A file: the default in-memory test database locks between threads.
        "TEST": {"NAME": folder / "test.sqlite3"},
    }


SESSION = {
    "lock_timeout": str(PATIENCE),
    "idle_in_transaction_session_timeout": str(LOST_AFTER),
    # What a role or a database may have set: the pool's sessions are idle, and the above end what waits too long.
    "statement_timeout": "0",
    "transaction_timeout": "0",
    "idle_session_timeout": "0",
    "jit": "off",  # our statements are short: compiling them takes longer
    # As well: the driver reads only these moments, and who waited for a guild's lock must see what was committed
    # meanwhile.
    "DateStyle": "ISO",
    "default_transaction_isolation": "read committed",
}
"""What the server is told of a session once it is there: PgBouncer takes no settings with the request for one."""


def _server(url: str) -> dict[str, Any]:
    """Return the settings of a server; what the address says beyond host, name and password goes to the driver."""
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        found: dict[str, Any] = dict(conninfo_to_dict(url))
    except (ProgrammingError, UnicodeError):
        # Not with the driver's words: they may repeat the address, and with it the password.
        raise ImproperlyConfigured(f"DATABASE_URL is no address of a PostgreSQL server. {WRITE}") from None
    if not found.get("dbname"):
        raise ImproperlyConfigured(f"DATABASE_URL names no database on the PostgreSQL server. {WRITE}")
    return {
        "ENGINE": "memoryhub.db.postgres",
        "NAME": found.pop("dbname"),
        "USER": found.pop("user", ""),
        "PASSWORD": found.pop("password", ""),
        "HOST": found.pop("host", ""),
        "PORT": str(found.pop("port", "")),
        "CONN_MAX_AGE": 0,  # the pool keeps them
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {
            "application_name": "memoryhub",
            "connect_timeout": 5,
            # Otherwise who waits for a host that is gone waits for a quarter of an hour, or two hours.
            "tcp_user_timeout": GONE_AFTER * 1000,
            "keepalives_idle": GONE_AFTER // 2,
            "keepalives_interval": GONE_AFTER // 4,
            "keepalives_count": 2,
            # What a connection ran a few times the server keeps with its plan: a search is planned as long as it runs.
            "server_side_binding": True,
            "prepare_threshold": PREPARED_AFTER,
            **found,
            "session": dict(SESSION),
            # It gives up soon, so that the next who asks makes it try at once when the server is back.
            "pool": {"min_size": 0, "max_size": POOLED, "timeout": SEEN_AFTER, "reconnect_timeout": SEEN_AFTER},
        },
    }
