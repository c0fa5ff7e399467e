"""The three ways in which the domain says no, by which every door answers; and what is wrong with a field, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

PLAINER = {
    "extra_forbidden": "There is no such field.",
    "missing": "This is required.",
    "model_attributes_type": "This should be an object.",
    "model_type": "This should be an object.",
}
"""What is said of a wrong field instead of pydantic's words, which name classes of ours or nothing a caller knows."""


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


def wrong_in_field(fault: Mapping[str, Any]) -> str:
    """Return what is wrong with a field, of one of pydantic's errors, without repeating what was sent.

    Pydantic speaks of "items" wherever it measures what a validator of ours returned, a text or a list.
    """
    kind, limits = fault["type"], fault.get("ctx", {})
    if limits.get("field_type") == "Value":
        if kind == "too_long":
            most, length = limits["max_length"], limits["actual_length"]
            return f"This is too long: at most {most:,} characters or entries are taken, not {length:,}."
        if kind == "too_short":
            return "This must not be empty."
    return PLAINER.get(kind) or str(fault["msg"]).removeprefix("Value error, ")
