"""The key that signs receipts and sessions, where none is set: made at the first start, kept in the data folder."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.core.management.utils import get_random_secret_key

NAME = "secret_key"
UNUSABLE = "The secret key {path} cannot be {used}: {why}. Let the user of the hub do so (chown, chmod)."
EMPTY = (
    "The secret key {path} is empty. Put back the one that you keep apart from the backups; "
    "delete the file only where there is none: then old receipts cannot be verified."
)


def kept_in(folder: Path) -> str:
    """Return the key of a data folder, made where there is none: whole or not at all, and the same for all who come.

    Raises ImproperlyConfigured where it can't be read or made.
    """
    path = folder / NAME
    if not path.exists():
        try:
            _make(path)
        except OSError as error:
            raise ImproperlyConfigured(UNUSABLE.format(path=path, used="made", why=error.strerror)) from error
    try:
        key = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ImproperlyConfigured(UNUSABLE.format(path=path, used="read", why=error.strerror)) from error
    if not key.strip():
        raise ImproperlyConfigured(EMPTY.format(path=path))
    return key


def _make(path: Path) -> None:
    """Write it under another name first: who is killed, or finds the disk full, leaves no half of a key."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        fresh.touch(mode=0o600)
        with fresh.open("w", encoding="utf-8") as file:
            file.write(get_random_secret_key())
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):  # another process made one meanwhile
            os.link(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)
