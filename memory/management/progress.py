"""Progress of commands, on standard error: a bar for each thing under way, and one for how far a file is read."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from memoryhub.common.long_work import Progress

EVERY = 10.0  # seconds between lines where there is no terminal

FileProgress = Callable[[int, int], None]
"""Called with how many bytes are read and how many messages they held."""


@contextmanager
def bars() -> Iterator[Progress]:
    """Yield a function that is told what is done, how much of it, and out of how much; it draws to standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    name = TextColumn("{task.description}", markup=False)  # a guild's key may read like markup or an emoji's name
    columns = (name, BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Bars(*columns, console=Console(stderr=True)) as progress:
        tasks: dict[str, TaskID] = {}

        def advance(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = progress.add_task(what, total=total)
            progress.update(tasks[what], completed=done)

        yield advance


@contextmanager
def file_bar(name: str, size: int | None) -> Iterator[FileProgress]:
    """Yield a function to call for each message read: a bar on a terminal, elsewhere a line every few seconds."""
    if not sys.stderr.isatty():
        yield _lines(name, size)
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    counted = TextColumn("{task.fields[messages]:,} messages")
    named = TextColumn("{task.description}", markup=False)
    columns = (named, BarColumn(), DownloadColumn(), counted, TimeRemainingColumn())
    with Bars(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(name, total=size, messages=0)
        yield lambda position, messages: progress.update(task, completed=position, messages=messages)


def _lines(name: str, size: int | None) -> FileProgress:
    last = time.monotonic()

    def print_line(position: int, messages: int) -> None:
        nonlocal last
        if time.monotonic() - last < EVERY:
            return
        last = time.monotonic()
        whole = f" of {size / 1e6:,.0f}" if size else ""
        sys.stderr.write(f"{name}: {position / 1e6:,.0f}{whole} MB read, {messages:,} messages\n")

    return print_line
