"""Says in an operator's words what befell the database, and tells its troubles from faults of our own."""

from __future__ import annotations

from memoryhub.db.backend import dialect


def is_full(error: BaseException) -> bool:
    """Say whether a disk has no room left: the database's, or this machine's."""
    return dialect().is_full(error)


def is_of_the_database(error: BaseException) -> bool:
    """Say whether the database or the disk is at fault, and not a statement of ours."""
    return dialect().is_of_the_database(error)


def explain(error: BaseException) -> str:
    """Return what happened and what to do."""
    return dialect().explain(error)
