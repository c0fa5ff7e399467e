"""A database on the server that is made, measured and dropped again, and what the server takes for it."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from django.db import connection, connections


@contextmanager
def scratch(_folder: Path) -> Iterator[str]:
    """Point this process at an empty database and back again; yields its address, as DATABASE_URL has it."""
    kept = connections["default"].settings_dict["NAME"]
    name = f"memoryhub_scratch_{secrets.token_hex(6)}"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
    try:
        _use(name)
        yield address()
    finally:
        _use(kept)
        with connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


def address() -> str:
    """Return the address of the database that this process uses."""
    settings = connections["default"].settings_dict
    parts = {key.lower(): settings[key] for key in ("HOST", "PORT", "USER", "PASSWORD") if settings[key]}
    return f"postgresql:///{settings['NAME']}?{urlencode(parts)}"


def _use(name: str) -> None:
    wrapper: Any = connections["default"]
    wrapper.close()
    wrapper.close_pool()
    wrapper.settings_dict["NAME"] = name


def server_cpu() -> float:
    """Return the seconds of processor time that this connection's server process has taken; 0 where it is elsewhere."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        status = Path(f"/proc/{cursor.fetchone()[0]}/stat")
    if not status.exists():
        return 0.0
    # After the name, which may hold spaces: the 12th and 13th field from there on, in ticks of the system.
    fields = status.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
