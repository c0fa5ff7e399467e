"""How far a file is read: a bar on a terminal, elsewhere a line every few seconds; both on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

EVERY = 10.0  # seconds between lines where there is no terminal

Tell = Callable[[int, int], None]
"""Told how many bytes are read and how many messages they held."""


@contextmanager
def file_bar(name: str, size: int | None) -> Iterator[Tell]:
    """Yield a function to tell how far the file is read; cheap enough to call for each message."""
    if sys.stderr.isatty():
        with _bar(name, size) as tell:
            yield tell
    else:
        yield _lines(name, size)


@contextmanager
def _bar(name: str, size: int | None) -> Iterator[Tell]:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    counted = TextColumn("{task.fields[messages]:,} messages")
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), counted, TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(escape(name), total=size, messages=0)
        yield lambda position, messages: progress.update(task, completed=position, messages=messages)


def _lines(name: str, size: int | None) -> Tell:
    last = time.monotonic()

    def tell(position: int, messages: int) -> None:
        nonlocal last
        if time.monotonic() - last < EVERY:
            return
        last = time.monotonic()
        whole = f" of {size / 1e6:,.0f}" if size else ""
        sys.stderr.write(f"{name}: {position / 1e6:,.0f}{whole} MB read, {messages:,} messages\n")

    return tell
