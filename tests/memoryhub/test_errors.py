"""What is said of a wrong field is in our own words, whatever the doors' schemas can refuse."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest
from django.http import Http404
from ninja import NinjaAPI
from pydantic import BaseModel, ValidationError

from memory.importing.json_lines import Line
from memory.model_context.tools import TOOLS
from memoryhub import errors
from memoryhub.site.api import api
from memoryhub.site.mem0_api import mem0_api

PLACES = {
    "any", "chain", "default", "function-after", "function-before", "function-wrap", "model-field", "model-fields",
    "no-info", "nullable",
}  # fmt: skip
"""Parts that only hold others, or refuse nothing themselves."""
RAISES = {
    "bool": "bool_type bool_parsing",
    "date": "date_type date_parsing date_from_datetime_parsing date_from_datetime_inexact",
    "datetime": "datetime_type datetime_parsing datetime_object_invalid datetime_from_date_parsing timezone_aware",
    "dict": "dict_type",
    "float": "float_type float_parsing finite_number",
    "int": "int_type int_parsing int_parsing_size int_from_float finite_number",
    "list": "list_type too_long too_short",
    "literal": "literal_error",
    "model": "model_type model_attributes_type missing extra_forbidden",
    "str": "string_type string_unicode string_too_long string_too_short string_pattern_mismatch",
    "uuid": "uuid_type uuid_parsing uuid_version",
}
"""By kind of a field: the errors that pydantic has for it, without those of limits."""
LIMITS = {"ge": "greater_than_equal", "le": "less_than_equal", "gt": "greater_than", "lt": "less_than"}
HOSTILE: list[Any] = [
    None, "", "x" * 100_001, "one\ntwo", "\0", "zz", "-1", "9" * 30, "1" * 5_000, "2026-02-30", "2026-13-01T00:00:00Z",
    "2026-02-23T19:04:00", "1969-01-01T00:00:00Z", "9999-12-31T23:59:59-23:59", "yesterday", "\ud800", 1.5, -1, 10**30,
    1e300, float("nan"), float("inf"), True, [], ["zz"], [None] * 1_001, {}, {"a": 1}, {"a": "x" * 70_000},
    [{"type": "image_url"}], ["a" * 200] * 20,
]  # fmt: skip


def schemas() -> Iterator[type[BaseModel]]:
    """Yield what the doors take: the JSON API, mem0's, the one for models, and files."""
    for door in (api, mem0_api):
        yield from _of(door)
    yield from (tool.given for tool in TOOLS.values())
    yield Line


def _of(door: NinjaAPI) -> Iterator[type[BaseModel]]:
    for router in door._get_bound_routers():
        for path in router.path_operations.values():
            yield from chain.from_iterable(operation.models for operation in path.operations)


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield every part of one of pydantic's schemas."""
    if isinstance(schema, dict):
        if isinstance(schema.get("type"), str):
            yield schema
        yield from chain.from_iterable(map(parts, schema.values()))
    elif isinstance(schema, list | tuple):
        yield from chain.from_iterable(map(parts, schema))


PARTS = [part for model in schemas() for part in parts(model.__pydantic_core_schema__)]
MODELS = list(dict.fromkeys(part["cls"] for part in PARTS if part["type"] == "model"))


def test_every_error_that_the_schemas_can_raise_has_words():
    kinds = {part["type"] for part in PARTS} - PLACES
    assert kinds <= RAISES.keys(), "say which errors a field of this kind raises"
    raised = {name for kind in kinds for name in RAISES[kind].split()}
    raised |= {LIMITS[limit] for part in PARTS for limit in LIMITS.keys() & part.keys()}
    assert raised <= errors.PLAIN.keys()
    assert {part["pattern"] for part in PARTS if "pattern" in part} <= errors._ALLOWED.keys()


@pytest.mark.parametrize("model", MODELS, ids=lambda each: each.__name__)
def test_whatever_is_sent_is_refused_in_our_words(model):
    for name, field in model.model_fields.items():
        for value in HOSTILE:
            try:
                model.model_validate({field.alias or name: value})
            except Http404:
                pass
            except ValidationError as refused:
                for fault in refused.errors():
                    said = errors.wrong_in_field(fault)
                    assert said not in (fault["msg"], errors.UNNAMED), (name, fault["type"], said)
                    assert said[0].isupper(), (name, said)
                    assert said.endswith("."), (name, said)
                    assert "{" not in said


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"type": "too_long", "ctx": {"field_type": "List", "max_length": 1_000}}, "Must have at most 1,000 entries."),
        ({"type": "too_long", "ctx": {"field_type": "Value", "max_length": 200}}, "Must have at most 200 characters."),
        ({"type": "too_short", "ctx": {"field_type": "List", "min_length": 1}}, "Needs at least one entry."),
        ({"type": "string_too_short", "ctx": {"min_length": 1}}, "Must not be empty."),
        ({"type": "greater_than_equal", "ctx": {"ge": 1}}, "Must be at least 1."),
        ({"type": "literal_error", "ctx": {"expected": "'text', 'thread' or 'direct'"}},
         "Must be one of: text, thread, direct."),
        ({"type": "something_new", "ctx": {}}, "This can't be accepted."),
    ],
)  # fmt: skip
def test_what_a_field_allows_is_named(fault, words):
    assert errors.wrong_in_field(fault) == words
