"""A database file that is made, measured and thrown away."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connections


@contextmanager
def scratch(folder: Path) -> Iterator[str]:
    """Point this process at an empty file in the folder and back again; yields its address, as DATABASE_URL has it."""
    kept = connections["default"].settings_dict["NAME"]
    try:
        _use(str(folder / "scratch.sqlite3"))
        yield address()
    finally:
        _use(kept)


def address() -> str:
    """Return the address of the database that this process uses."""
    return f"sqlite:///{connections['default'].settings_dict['NAME']}"


def _use(name: str) -> None:
    wrapper = connections["default"]
    wrapper.close()
    wrapper.settings_dict["NAME"] = name


def server_cpu() -> float:
    """Return 0: SQLite works in the process that asks."""
    return 0.0
