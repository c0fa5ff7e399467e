"""Reads the old database, which nobody may write meanwhile, and has another process write the new one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from django.db import transaction
from django.db.models import Model, Q

from memory.index.documents import KINDS
from memoryhub import db
from memoryhub.common.long_work import Progress, untold
from memoryhub.search import vectors
from memoryhub.site.moving import writing_process
from memoryhub.site.moving.stored_rows import AT_ONCE, add_up, late_links, models, names

Steps = dict[str, tuple[Any, int]]
"""For each step begun: its last key, and how many rows it has written."""

ENDS_WITHIN = 30.0  # seconds that the writing process has to end once the pipe is closed


class Failed(Exception):
    """The move cannot begin, go on or be trusted; the text says why and what to do."""


class Target:
    """The process that writes the new database, as it looks from here."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._waits = False

    def begin(self, method: str, *arguments: Any) -> None:
        """Have it do something, after it has ended what it does now: meanwhile the next rows can be read here."""
        self.answer()
        self._pipe.send((method, *arguments))
        self._waits = True

    def answer(self) -> Any:
        """Wait until it has done what it was told last; return what that gave. Raises Failed."""
        if not self._waits:
            return None
        self._waits = False
        try:
            said, answer = self._pipe.recv()
        except (EOFError, ConnectionError):
            raise Failed("The process that writes the new database was killed. Run the same command again.") from None
        if said == "refused":
            raise Failed(answer)
        return answer

    def do(self, method: str, *arguments: Any) -> Any:
        """Have it do something, and wait for the answer."""
        self.begin(method, *arguments)
        return self.answer()


def move(url: str, progress: Progress = untold) -> int:
    """Write everything that the hub stores into an empty database, compare, and return how many rows there are.

    Whoever writes to the old database meanwhile waits, and is refused in the end. A move that was killed goes on where
    it was when it is called again. Raises Failed; the old database is never changed.
    """
    with transaction.atomic(), _started(url) as new:
        db.keep_writers_out([model._meta.db_table for model in models()])
        steps = new.do("prepare")
        for model in models():
            _move_rows(model, new, steps, progress)
        for model in models():
            _move_links(model, new, steps, progress)
        sets = vectors.sets()
        for kind, identity in sets:
            _move_vectors(kind, identity, new, steps, progress)
        for kind in KINDS:
            _index_words(kind, new, steps, progress)
        moved = sum(_compare(model, new, place, progress) for place, model in enumerate(models(), 1))
        new.do("finish", sets)
    return moved


def plan(url: str) -> list[tuple[str, int, int]]:
    """Return for each table how many rows it has, and how many of them an unfinished move has written.

    Nothing is written, here or there. Raises Failed where the new database is not empty, or not to be reached.
    """
    with _started(url) as new:
        steps = new.do("look")
    return [
        (label := model._meta.label_lower, model._base_manager.count(), steps.get(label, (None, 0))[1])
        for model in models()
    ]


@contextmanager
def _started(url: str) -> Iterator[Target]:
    """Start the process that writes the new database, and end it."""
    context = get_context("spawn")  # a process of its own, with settings of its own
    here, there = context.Pipe()
    writer = context.Process(target=writing_process.run, args=(there, url), daemon=True)
    writer.start()
    there.close()
    try:
        yield Target(here)
    finally:
        here.close()
        writer.join(ENDS_WITHIN)
        writer.kill()


def _move_rows(model: type[Model], new: Target, steps: Steps, progress: Progress) -> None:
    label, late = model._meta.label_lower, late_links(model)
    rows, columns = model._base_manager.all(), names(model)
    key = columns.index(model._meta.pk.attname)
    empty = {columns.index(name) for name in late}
    last, done = steps.get(label, (None, 0))
    total = rows.count()
    while block := list(_after(rows, model, last).values_list(*columns)[:AT_ONCE]):
        last = block[-1][key]
        if empty:
            block = [tuple(None if at in empty else value for at, value in enumerate(row)) for row in block]
        new.begin("put_rows", label, block, last)
        done += len(block)
        progress(label, done, total)
    new.answer()


def _move_links(model: type[Model], new: Target, steps: Steps, progress: Progress) -> None:
    label, late = model._meta.label_lower, late_links(model)
    if not late:
        return
    step, linked = f"links of {label}", Q()
    for name in late:
        linked |= Q(**{f"{name}__isnull": False})
    rows, total = model._base_manager.filter(linked), model._base_manager.filter(linked).count()
    last, done = steps.get(step, (None, 0))
    while block := list(_after(rows, model, last).values_list(model._meta.pk.attname, *late)[:AT_ONCE]):
        last = block[-1][0]
        new.begin("put_links", step, label, block, last)
        done += len(block)
        progress(step, done, total)
    new.answer()


def _after(rows: Any, model: type[Model], last: Any) -> Any:
    """Return the rows behind a key, in the order of keys."""
    key = model._meta.pk.attname
    return (rows if last is None else rows.filter(**{f"{key}__gt": last})).order_by(key)


def _move_vectors(kind: str, identity: str, new: Target, steps: Steps, progress: Progress) -> None:
    step = f"vectors of {kind}s, {identity}"
    last, done = steps.get(step, ((0, 0), 0))
    total = vectors.count(kind=kind, model=identity)
    for block in vectors.stored(kind=kind, model=identity, size=AT_ONCE, after=(last[0], last[1])):
        new.begin("put_vectors", step, kind, identity, block)
        done += len(block)
        progress(step, done, total)
    new.answer()


def _index_words(kind: str, new: Target, steps: Steps, progress: Progress) -> None:
    step = f"words of {kind}s"
    last, done = steps.get(step, (0, 0))
    total = KINDS[kind].rows().count()
    while indexed := new.do("put_words", step, kind, last):
        last, count = indexed
        done += count
        progress(step, done, total)


def _compare(model: type[Model], new: Target, place: int, progress: Progress) -> int:
    """Count and add up a table's rows in both databases at once; raises Failed when they differ."""
    label = model._meta.label_lower
    new.begin("add_up", label)
    here = add_up(model._base_manager.values_list(*names(model)).iterator(AT_ONCE))
    there = new.answer()
    if here != there:
        counts = f"{here[0]:,} rows here, {there[0]:,} there" if here[0] != there[0] else "other values"
        raise Failed(
            f"The two databases differ in {model._meta.db_table} ({counts}): was the hub running between two calls? "
            "The new database is not complete. Stop the hub, empty the new database, and begin again."
        )
    progress("tables compared", place, len(models()))
    return here[0]
