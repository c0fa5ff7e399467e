"""The three ways in which the domain says no; the JSON API, pages, admin and bot answer by these bases."""

from __future__ import annotations

from typing import ClassVar


class DomainError(Exception):
    """What was asked can't be done; the words are for the person who asked."""

    public: ClassVar[str] = ""
    """What a caller over HTTP is told instead, where the words name ids; empty: the words themselves."""


class NotFound(DomainError):
    """It is not there, or not the caller's to see."""


class Conflict(DomainError):
    """It can be asked, but not of things as they stand now."""


class Refused(DomainError):
    """It can never be done as it was asked."""
