"""A throw-away database and data folder for measuring: migrated, empty, never the operator's own."""

from __future__ import annotations

import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.core.management import call_command

from memoryhub.db import throwaway


@dataclass(frozen=True, slots=True)
class Scratch:
    """The database's address, as DATABASE_URL has it, and the data folder."""

    address: str
    folder: Path


@contextmanager
def scratch_database() -> Iterator[Scratch]:
    """Point Django at an empty migrated database and a folder of their own, and back again.

    The database is on the server that the settings name, or a file in the folder. It goes also when SIGTERM ends the
    command.
    """
    kept = settings.DATA_DIR
    with _unwound_by_sigterm(), tempfile.TemporaryDirectory(prefix="memoryhub-") as name:
        folder = Path(name)
        with throwaway.scratch(folder) as address:
            settings.DATA_DIR = folder
            try:
                call_command("migrate", verbosity=0)
                yield Scratch(address, folder)
            finally:
                settings.DATA_DIR = kept


@contextmanager
def _unwound_by_sigterm() -> Iterator[None]:
    """Have SIGTERM leave what is open in turn, as Ctrl-C does, where it would end the process at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    kept = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, kept)
