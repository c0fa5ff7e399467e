"""mem0's filters as conditions on facts: AND, OR, NOT, ids, times, words, metadata; an unknown name is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.db.models import Exists, OuterRef, Q, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast, Coalesce, StrIndex
from django.db.models.lookups import GreaterThan

from memory.models import ClientData
from memoryhub.common.schemas import no_deeper
from memoryhub.community.querysets import same_guild
from memoryhub.errors import Refused

ENTITIES = ("user_id", "agent_id", "app_id", "run_id")
DEEPEST, MOST = 8, 300  # how deep filters may stand in filters, and how many conditions there may be
OPERATORS = {"eq": "exact", "ne": "exact", "in": "in"} | {
    name: name for name in ("gt", "gte", "lt", "lte", "contains", "icontains")
}
LARGEST = 2**63 - 1  # of a whole number that SQLite compares with
ANY = "*"
Read = Callable[[Any, str], Any]


class FilterRefused(Refused):
    """The filters can't be understood; nothing is taken for no filter at all."""


@dataclass
class Filter:
    """A condition on facts, and which ids it names: those decide what may be told, and whom it is about."""

    condition: Q = field(default_factory=Q)
    named: bool = False
    runs: set[str] = field(default_factory=set)
    every_run: bool = False
    user: str | None = None
    """The one member whom all of it is about, where the filter says nothing else."""


def parse(filters: Mapping[str, Any]) -> Filter:
    """Return the filter; raises FilterRefused, also where no member, bot, run or app is named."""
    found = Filter()
    _refuse_what_is_no_json(filters)
    found.condition = _Reader(found).all_of(filters, depth=0, negated=False)
    if not found.named:
        raise FilterRefused("Name at least one of user_id, agent_id, app_id and run_id in the filters.")
    parts = filters.get("AND", filters)
    flat = {name: value for part in (parts if isinstance(parts, list) else [parts]) for name, value in part.items()}
    if len(filters) == len(flat) == 1 and isinstance(flat.get("user_id"), str) and flat["user_id"] != ANY:
        found.user = flat["user_id"]
    return found


def _refuse_what_is_no_json(filters: Mapping[str, Any]) -> None:
    """Raise FilterRefused for what a client's Python can write and JSON can't, and for halves of surrogate pairs."""
    try:
        json.dumps(no_deeper(filters), allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError):
        raise FilterRefused(
            "Filters hold texts, finite numbers, true, false, null, lists and objects only, and not too deep."
        ) from None


def with_data(condition: Q, **computed: Combinable) -> Q:
    """Return the condition on facts that what a client handed over with them is so.

    That is what it told of the fact itself, else what came with the messages that the fact was learned from.
    """
    rows = ClientData.objects.filter(same_guild())
    met = rows.alias(**computed).filter(condition)
    own = rows.filter(fact=OuterRef("pk"))
    learned = met.filter(message__evidence__fact=OuterRef("pk"))
    return Q(Exists(met.filter(fact=OuterRef("pk")))) | Q(~Exists(own), Exists(learned))


def moment(value: object) -> datetime:
    """Return the time that is meant, in UTC where it names no offset; raises ValueError."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return datetime.fromtimestamp(value, UTC)
    at = datetime.fromisoformat(str(value))
    return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)


def _text(value: Any, _operator: str) -> str:
    if not isinstance(value, str | int):
        raise FilterRefused("An id or a text in a filter is written as a text.")
    if "\x00" in str(value):
        raise FilterRefused("A text in a filter holds no null characters.")
    return str(value)


def _moment(value: Any, operator: str) -> datetime:
    """A day that something is compared with counts to its end where what lies in it is meant."""
    if operator in ("contains", "icontains"):
        raise FilterRefused("A time in a filter is compared as a whole: contains and icontains take texts.")
    try:
        at = moment(value)
        whole = isinstance(value, str) and len(value) == len("2026-03-02") and operator in ("lte", "gt")
        return at + timedelta(days=1, microseconds=-1) if whole else at
    except (ValueError, OverflowError, OSError) as error:
        raise FilterRefused("A time in a filter is written as 2026-03-02 or 2026-03-02T12:00:00Z.") from error


def _day(value: Any, operator: str) -> date:
    return _moment(value, operator).date()


def _any(value: Any, operator: str) -> Any:
    """Anything can be the same as a value; only numbers and texts can be put in order, and only texts hold others."""
    if operator in ("contains", "icontains"):
        return _text(value, operator)
    if operator in ("gt", "gte", "lt", "lte"):
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not (number or isinstance(value, str)) or (isinstance(value, int) and abs(value) > LARGEST):
            raise FilterRefused("gt, gte, lt and lte take a text, or a number of 64 bits at most.")
    return value


def _compare(column: str, value: Any, read: Read, *, words: str | None = None) -> Q:
    """Return the condition that a column compares so with the value: itself, a list, `*`, or operators.

    `words` is where the column's text is, if that is another one.
    """
    if value == ANY:
        return Q(**{f"{column}__isnull": False}) & (~Q(**{column: ""}) if read is _text else Q())
    if isinstance(value, list):
        value = {"in": value}
    if not isinstance(value, dict):
        value = {"eq": value}
    condition = Q()
    for operator, operand in value.items():
        if operator not in OPERATORS:
            raise FilterRefused(f"There is no operator {str(operator)[:40]} in filters.")
        if (operator == "in") != isinstance(operand, list) and (operator == "in" or read is not _any):
            raise FilterRefused("`in` takes a list, and no other operator does.")
        found = [read(each, operator) for each in operand] if operator == "in" else read(operand, operator)
        if operator == "contains":  # by its place: SQLite's LIKE does not tell capitals from small letters
            part = Q(GreaterThan(StrIndex(Coalesce(words or column, Value("")), Value(str(found))), 0))
        else:
            part = Q(**{f"{column}__{OPERATORS[operator]}": found})
        condition &= ~part if operator == "ne" else part
    return condition


def _agent(value: Any) -> Q:
    """A bot is what a client spoke with, or whom a fact is about."""
    return with_data(_compare("agent_id", value, _text)) | Q(subject__is_bot=True) & _compare(
        "subject__platform_id", value, _text
    )


def _user(value: Any) -> Q:
    return _compare("subject__platform_id", value, _text) & ~Q(subject__is_bot=True)


def _categories(value: Any) -> Q:
    """A category is one that a client gave, or the kind of the fact."""
    given = value if isinstance(value, dict) else {"in": value if isinstance(value, list) else [value]}
    condition = Q()
    for operator, operand in given.items():
        if operator not in ("in", "contains", "eq", "ne"):
            raise FilterRefused("Categories are compared by in, contains, eq and ne.")
        names = [_text(each, operator) for each in (operand if isinstance(operand, list) else [operand])]
        places = {
            f"place_{n}": StrIndex(Cast("categories", TextField()), Value(json.dumps(name)))
            for n, name in enumerate(names)
        }
        held = Q(*(Q(**{f"{place}__gt": 0}) for place in places), _connector=Q.OR)
        part = Q(kind__in=names) | with_data(held, **places)
        condition &= ~part if operator == "ne" else part
    return condition


class _Name(str):
    """The name of a field, also where it is written as a number, which Django takes for a place in a list."""

    __slots__ = ()

    def __int__(self) -> int:
        raise ValueError


def _metadata(value: Any) -> Q:
    if not isinstance(value, dict):
        raise FilterRefused("Metadata in a filter is an object of names and values.")
    condition = Q()
    for name, wanted in value.items():
        there = {"value": KeyTransform(name, "metadata"), "words": KeyTextTransform(name, "metadata")}
        for each in there.values():
            each.key_name = _Name(name)
        condition &= with_data(_compare("value", wanted, _any, words="words"), **there)
    return condition


CONDITIONS: Mapping[str, Callable[[Any], Q]] = {
    "user_id": _user,
    "agent_id": _agent,
    "app_id": lambda value: with_data(_compare("app_id", value, _text)),
    "run_id": lambda value: _compare("channel__platform_id", value, _text),
    "created_at": lambda value: _compare("said_at", value, _moment),
    "timestamp": lambda value: _compare("said_at", value, _moment),
    "updated_at": lambda value: _compare("updated_at", value, _moment),
    "expiration_date": lambda value: with_data(_compare("expires_on", value, _day)),
    "text": lambda value: _compare("text", value, _text),
    "keywords": lambda value: _compare("text", value if isinstance(value, dict) else {"icontains": value}, _text),
    "categories": _categories,
    "metadata": _metadata,
    "memory_ids": lambda value: Q(pk__in=_ids(value)),
}
CONDITIONS = {**CONDITIONS, "keywords_search": CONDITIONS["keywords"]}


def _ids(value: Any) -> list[int]:
    given = value.get("in") if isinstance(value, dict) else value
    if not isinstance(given, list):
        raise FilterRefused("memory_ids is a list of ids.")
    return [int(each) for each in map(str, given) if each.isascii() and each.isdigit() and len(each) < 19]


@dataclass
class _Reader:
    """Reads a filter from the outside in, and notes whom it names."""

    found: Filter
    count: int = 0

    def all_of(self, filters: Any, *, depth: int, negated: bool) -> Q:
        """Return the condition that everything in the object holds."""
        if not isinstance(filters, dict) or depth > DEEPEST:
            raise FilterRefused(f"Filters are objects, at most {DEEPEST} deep.")
        condition = Q()
        for name, value in filters.items():
            self.count += 1
            if self.count > MOST:
                raise FilterRefused(f"There are more than {MOST} conditions.")
            condition &= self._one(str(name), value, depth=depth, negated=negated)
        return condition

    def _one(self, name: str, value: Any, *, depth: int, negated: bool) -> Q:
        if name not in ("AND", "OR", "NOT"):
            if name not in CONDITIONS:
                raise FilterRefused(f"There is no {name[:60]} to filter by.")
            if name in ENTITIES and not negated:
                self._note(name, value)
            return CONDITIONS[name](value)
        inside = value if isinstance(value, list) else [value]
        turned = negated != (name == "NOT")
        parts = [self.all_of(each, depth=depth + 1, negated=turned) for each in inside]
        if name == "NOT":
            return ~Q(*parts, _connector=Q.OR) if parts else Q()
        if name == "OR" and not parts:
            raise FilterRefused("An OR needs something in it.")
        return Q(*parts, _connector=name)

    def _note(self, name: str, value: Any) -> None:
        operators = value if isinstance(value, dict) else {"eq": value}
        positive = [operators[each] for each in ("eq", "in") if each in operators]
        self.found.named |= bool(positive)
        if name == "run_id":
            names = [name for each in positive for name in (each if isinstance(each, list) else [each])]
            self.found.every_run |= ANY in names
            self.found.runs |= {str(each) for each in names if each != ANY}
