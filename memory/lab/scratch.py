"""A throw-away database and data folder for measuring: migrated, empty, never the operator's own."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connections


@contextmanager
def scratch_database() -> Iterator[Path]:
    """Point Django at an empty migrated database in a temporary folder, and back again; yields its file."""
    connection = connections["default"]
    kept = (connection.settings_dict["NAME"], settings.DATA_DIR)
    with tempfile.TemporaryDirectory(prefix="memoryhub-") as folder:
        try:
            _use(Path(folder) / "scratch.sqlite3", Path(folder))
            call_command("migrate", verbosity=0)
            yield Path(folder) / "scratch.sqlite3"
        finally:
            _use(*kept)


def _use(database: Path | str, data: Path) -> None:
    connection = connections["default"]
    connection.close()
    connection.settings_dict["NAME"] = str(database)
    settings.DATA_DIR = data
