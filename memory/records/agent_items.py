"""Keeps what agents hand over for themselves: objects under a namespace and a key, found by filters and by meaning."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count, islice, takewhile
from operator import ge, gt, itemgetter, le, lt
from typing import Any, TypeVar

import numpy as np
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Left

from memory.models import AgentItem
from memory.records.item_vectors import found_by, meaning, words
from memoryhub import db
from memoryhub.ai import ModelFailed, embedder
from memoryhub.community.models import Guild, Member
from memoryhub.community.querysets import remembered
from memoryhub.db.guild_scope import in_its_guild
from memoryhub.errors import Refused
from memoryhub.safety import carries_secret

Row = TypeVar("Row")
MOST_SEARCHED = 10_000  # of the newest items under a prefix
MOST_NAMESPACES = 100_000  # under the labels that a prefix names
AT_ONCE = 200  # items, or namespaces, read at a time
SEPARATOR = "."
ANY = "*"
ORDERS = {"$gt": gt, "$gte": ge, "$lt": lt, "$lte": le}
OPERATORS = ("$eq", "$ne", *ORDERS)
OFF = "Memory is switched off in this guild, so nothing was stored."
HELD = "This holds a password, a key or a number of an account or card, so it was not stored. Leave that out."
NO = "A member whose id stands in this namespace is not to be remembered, so nothing was stored."


class ItemRefused(Refused):
    """The item, or the filter, can't be taken."""


@dataclass(frozen=True)
class Found:
    """An item, and how well it answers; None where nothing was asked."""

    item: AgentItem
    score: float | None


@dataclass(frozen=True)
class Answer:
    """The items found, and how many older ones under the prefix were not looked at: there are too many."""

    items: list[Found]
    not_searched: int


@in_its_guild
def put(
    guild: Guild, *, namespace: Sequence[str], key: str, value: Mapping[str, Any], text: str | None, now: datetime
) -> AgentItem:
    """Keep the value, in place of what was under the key; `text` is what it is found by. Raises ItemRefused."""
    if not guild.memory_on:
        raise ItemRefused(OFF)
    if any(map(carries_secret, (*words(value), text or "", key, *namespace))):
        raise ItemRefused(HELD)
    vector, identity = meaning(found_by(value, text))
    fields = {"value": dict(value), "text": text, "vector": vector, "embedder": identity, "updated_at": now}
    with transaction.atomic():
        db.lock_guild(guild.pk)
        if untold(guild, namespace):
            raise ItemRefused(NO)
        row, _ = AgentItem.objects.update_or_create(
            guild=guild, namespace=SEPARATOR.join(namespace), key=key, defaults=fields,
            create_defaults={**fields, "created_at": now},
        )  # fmt: skip
    return row


def untold(guild: Guild, labels: Collection[str]) -> set[str]:
    """Return which of these labels are ids of who is not to be remembered: what has one is not told."""
    rows = Member.objects.of(guild).filter(platform_id__in=labels).exclude(remembered(guild))
    return set(guild.blocked) & set(labels) | set(rows.values_list("platform_id", flat=True))


def told(guild: Guild, *, namespace: str) -> QuerySet[AgentItem]:
    """Return the items of a namespace that may be told: all, or none."""
    rows = AgentItem.objects.of(guild).filter(namespace=namespace)
    return rows.none() if untold(guild, namespace.split(SEPARATOR)) else rows


def labels(item: AgentItem) -> list[str]:
    """Return the labels that an item lies under."""
    return item.namespace.split(SEPARATOR)


def only_told(guild: Guild, rows: Iterator[Row], labels_of: Callable[[Row], Sequence[str]]) -> Iterator[Row]:
    """Yield those of the rows that may be told; each label is asked about once, and of the members only they."""
    asked, left_out = set[str](), set[str]()
    while block := list(islice(rows, AT_ONCE)):
        new = {label for row in block for label in labels_of(row)} - asked
        left_out |= untold(guild, new)
        asked |= new
        yield from (row for row in block if left_out.isdisjoint(labels_of(row)))


@transaction.atomic
@in_its_guild
def remove(guild: Guild, *, namespace: str, key: str) -> None:
    """Remove an item; one that is not there is fine."""
    db.lock_guild(guild.pk)
    AgentItem.objects.of(guild).filter(namespace=namespace, key=key).delete()


def search(
    guild: Guild, *, prefix: Sequence[str], query: str, wanted: Mapping[str, Any], limit: int, offset: int
) -> Answer:
    """Return the items under a prefix that a filter lets through: best first for a question, else the newest first.

    An item without a vector of the embedder's own comes after those that have one. Raises ItemRefused.
    """
    _refuse_unknown(wanted)
    rows = under(AgentItem.objects.of(guild), prefix).order_by("-updated_at", "-pk")
    looked_at = count()
    # One after the other: ten thousand of the largest would fill the memory of a process.
    each = zip(rows[:MOST_SEARCHED].iterator(AT_ONCE), looked_at, strict=False)
    shown = only_told(guild, (row for row, _ in each), labels)
    kept = (row for row in shown if matches(row.value, wanted))
    if query:
        best = sorted(_scored(kept, query), key=itemgetter(0))[offset : offset + limit]
        items = rows.in_bulk([pk for _, pk in best])
        found = [Found(items[pk], round(-score, 4)) for score, pk in best if pk in items]
    else:
        found = [Found(row, None) for row in islice(kept, offset, offset + limit)]
    whole = next(looked_at) < MOST_SEARCHED or (not query and len(found) == limit)  # no further was asked for
    return Answer(found, not_searched=0 if whole else max(0, rows.count() - MOST_SEARCHED))


def under(rows: QuerySet[AgentItem], prefix: Sequence[str]) -> QuerySet[AgentItem]:
    """Return the items whose namespace begins with these labels."""
    if not prefix:
        return rows
    path = SEPARATOR.join(prefix)
    # Not by LIKE, for which SQLite takes capitals and small letters for the same: one id would find another's.
    below = Left("namespace", len(path) + len(SEPARATOR))
    return rows.alias(below=below).filter(Q(namespace=path) | Q(below=path + SEPARATOR))


def labelled(rows: QuerySet[AgentItem], label: str) -> list[int]:
    """Return the ids of the items in whose namespace the label stands."""
    named = rows.order_by().values_list("pk", "namespace").iterator(2000)
    return [pk for pk, namespace in named if label in namespace.split(SEPARATOR)]


def namespaces(
    guild: Guild, *, prefix: Sequence[str], suffix: Sequence[str], max_depth: int | None, limit: int, offset: int
) -> list[list[str]]:
    """Return the namespaces that begin and end so (`*` stands for any label), in order, each cut to a depth once."""
    fixed = list(takewhile(ANY.__ne__, prefix))
    rows = under(AgentItem.objects.of(guild), fixed).order_by("namespace").values_list("namespace", flat=True)
    every = (name.split(SEPARATOR) for name in rows.distinct()[:MOST_NAMESPACES])
    fitting = (path for path in every if _fits(path, prefix) and _fits(path[::-1], suffix[::-1]))
    found = {tuple(path[:max_depth]) for path in only_told(guild, fitting, lambda path: path)}
    return [list(path) for path in sorted(found)[offset : offset + limit]]


def _fits(labels: Sequence[str], pattern: Sequence[str]) -> bool:
    same = (wanted in (ANY, label) for label, wanted in zip(labels, pattern, strict=False))
    return len(labels) >= len(pattern) and all(same)


# --- Filters -----------------------------------------------------------------------------------------------------


def matches(value: Any, wanted: Any) -> bool:
    """Say whether a value is as wanted: equal, part by part for objects, or by $eq, $ne, $gt, $gte, $lt, $lte.

    What can't be put in order with what is wanted is not let through.
    """
    if not isinstance(wanted, Mapping):
        return bool(value == wanted)
    if any(str(name).startswith("$") for name in wanted):
        return all(_compared(value, name, bound) for name, bound in wanted.items())
    return isinstance(value, Mapping) and all(matches(value.get(name), part) for name, part in wanted.items())


def _refuse_unknown(wanted: Any) -> None:
    """Raise ItemRefused for an operator that there is not, whatever items there are."""
    left = [wanted]
    while left:
        part = left.pop()
        if not isinstance(part, Mapping):
            continue
        if not any(name.startswith("$") for name in part):
            left.extend(part.values())
        elif unknown := next((name for name in part if name not in OPERATORS), ""):
            raise ItemRefused(f"There is no operator {unknown[:20]}: write {', '.join(OPERATORS)}.")


def _compared(value: Any, name: str, bound: Any) -> bool:
    if name in ("$eq", "$ne"):
        return bool((value == bound) == (name == "$eq"))
    try:
        return bool(ORDERS[name](value, bound))
    except TypeError:
        return False


# --- Meaning -----------------------------------------------------------------------------------------------------


def _scored(rows: Iterable[AgentItem], query: str) -> Iterator[tuple[float, int]]:
    """Yield how badly each item answers, from 0 for not at all down to -1, and its id."""
    model = embedder()
    try:
        asked = model.query(query) if model else None
    except ModelFailed:
        asked = None
    terms = set(query.casefold().split())
    for row in rows:
        if model is not None and asked is not None and row.vector and row.embedder == model.identity:
            score = float(np.frombuffer(bytes(row.vector), np.float16).astype(np.float32) @ asked)
        else:  # by words, which say less
            said = json.dumps(row.value, ensure_ascii=False).casefold()
            score = sum(term in said for term in terms) / (2 * len(terms)) if terms else 0.0
        yield -score, row.pk
