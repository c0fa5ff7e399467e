"""Says in an operator's words what befell the database or the data folder, and tells that from faults of our own."""

from __future__ import annotations

import errno
from pathlib import Path

from django.conf import settings

from memoryhub.db.backend import dialect

NOT_OURS = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EIO)


def is_full(error: BaseException) -> bool:
    """Say whether a disk has no room left: the database's, or this machine's."""
    return dialect().is_full(error)


def is_of_the_database(error: BaseException) -> bool:
    """Say whether the database, the data folder or the disk is at fault, and not a statement of ours."""
    return _is_of_the_folder(error) or dialect().is_of_the_database(error)


def is_told(error: BaseException) -> bool:
    """Say whether the log has it already: an outage is told once, however many it meets."""
    return dialect().is_told(error)


def explain(error: BaseException) -> str:
    """Return what happened and what to do."""
    if isinstance(error, OSError) and _is_of_the_folder(error):
        return (
            f"{error.filename} cannot be used: {error.strerror}. Let the user of the hub read and write all that is in "
            f"{settings.DATA_DIR} (chown, chmod), or set MEMORYHUB_DATA_DIR to a folder where it can."
        )
    return dialect().explain(error)


def brief(error: BaseException | None) -> str:
    """Return what befell the database and what to do, without a word of the error's.

    Empty for any other error, and for one that is not known: its place in the code tells more.
    """
    return dialect().brief(error) if error and dialect().is_of_the_database(error) else ""


def _is_of_the_folder(error: BaseException) -> bool:
    """Say whether a file of the data folder may not be used, or can't be."""
    return (
        isinstance(error, OSError)
        and error.errno in NOT_OURS
        and bool(error.filename)
        and Path(str(error.filename)).is_relative_to(settings.DATA_DIR)
    )
