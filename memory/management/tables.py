"""Tables of commands as text, for whatever a command's output is."""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Iterable

ELSEWHERE = 160  # columns


def as_table(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return the rows as a table; nothing in a cell is taken for markup, and numbers stand on the right."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table()
    lines = [list(row) for row in rows]
    for number, name in enumerate(columns):
        right = bool(lines) and all(isinstance(line[number], int) for line in lines)
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    for line in lines:
        table.add_row(*(Text(f"{cell:,}" if isinstance(cell, int) else str(cell)) for cell in line))
    text = io.StringIO()
    # A file or a pipe takes what a cell needs, within reason.
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else ELSEWHERE
    Console(file=text, width=width).print(table)
    return text.getvalue()
