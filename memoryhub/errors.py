"""The three ways in which the domain says no, by which every door answers; and what is wrong with a field, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

A_NUMBER, A_WHOLE_NUMBER, TRUE_OR_FALSE = "Must be a number.", "Must be a whole number.", "Must be true or false."
A_MOMENT = "Must be a moment with its time zone, such as 2026-02-23T19:04:00Z."
A_DAY = "Must be a day, such as 2026-02-23."
OUR_ID = "Must be an id as the hub gave it."
PLAIN = {
    "bool_parsing": TRUE_OR_FALSE,
    "bool_type": TRUE_OR_FALSE,
    "date_from_datetime_inexact": A_DAY,
    "date_from_datetime_parsing": A_DAY,
    "date_parsing": A_DAY,
    "date_type": A_DAY,
    "datetime_from_date_parsing": A_MOMENT,
    "datetime_object_invalid": A_MOMENT,
    "datetime_parsing": A_MOMENT,
    "datetime_type": A_MOMENT,
    "dict_type": "Must be an object.",
    "extra_forbidden": "There is no such field.",
    "finite_number": A_NUMBER,
    "float_parsing": A_NUMBER,
    "float_type": A_NUMBER,
    "greater_than_equal": "Must be at least {ge}.",
    "int_from_float": A_WHOLE_NUMBER,
    "int_parsing": A_WHOLE_NUMBER,
    "int_parsing_size": "This number is too large.",
    "int_type": A_WHOLE_NUMBER,
    "json_invalid": "Must be JSON.",
    "less_than_equal": "Must be at most {le}.",
    "list_type": "Must be a list.",
    "literal_error": "Must be one of: {expected}.",
    "missing": "This is required.",
    "model_attributes_type": "Must be an object.",
    "model_type": "Must be an object.",
    "string_pattern_mismatch": "Must be {words}.",
    "string_too_long": "Must have at most {max_length} characters.",
    "string_too_short": "Must have at least {min_length} characters.",
    "string_type": "Must be text.",
    "string_unicode": "Must be text.",
    "timezone_aware": A_MOMENT,
    "too_long": "Must have at most {max_length} entries.",
    "too_short": "Needs at least {min_length} entries.",
    "uuid_parsing": OUR_ID,
    "uuid_type": OUR_ID,
    "uuid_version": OUR_ID,
}
"""What is said of a wrong field, by pydantic's name of the error, with what the field allows."""
UNNAMED = "This can't be accepted."
_ALLOWED: dict[str, str] = {}
"""What a pattern allows, in words."""


def pattern(regex: str, words: str) -> str:
    """Return a pattern for a field, of which whoever breaks it is told that it must be what the words say."""
    _ALLOWED[regex] = words
    return regex


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

    A validator that refuses a value in our own code says so in a whole sentence.
    """
    kind, limits = fault["type"], fault.get("ctx", {})
    if kind == "value_error":
        return str(fault["msg"]).removeprefix("Value error, ")
    if limits.get("field_type") == "Value":  # a text that a validator of ours returned is measured without its kind
        kind = f"string_{kind}"
    if limits.get("min_length") == 1:
        return "Must not be empty." if kind == "string_too_short" else "Needs at least one entry."
    allowed = {name: f"{limit:,}" if isinstance(limit, int | float) else limit for name, limit in limits.items()}
    if "expected" in limits:
        allowed["expected"] = limits["expected"].replace(" or ", ", ").replace("'", "")
    if kind == "string_pattern_mismatch":
        allowed["words"] = _ALLOWED.get(limits["pattern"], "written as the API's document says")
    return PLAIN.get(kind, UNNAMED).format(**allowed)
