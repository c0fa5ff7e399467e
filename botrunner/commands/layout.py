"""How a list looks in Discord: one container with its heading, lines, page and buttons, which no setting hides."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from discord.ui import ActionRow, Container, LayoutView, Separator, TextDisplay

from botrunner.actions.escape import cut
from botrunner.actions.listing import Page

LEAF = 0x2F7D68  # the dashboard's green
MOST_TEXT = 4_000  # characters of a whole message, by Discord's rule
MOST_PARTS = 40  # components of a message, by Discord's rule
OWN_PARTS = 4  # the container, the heading, the last line and what sets it apart

Row = ActionRow[Any]


def still(page: Page, *rows: Row) -> LayoutView:
    """Return a page as it stands; of its rows only those that outlive a restart go on working."""
    view = LayoutView(timeout=None)
    return view.add_item(container(page, *rows))


def container(page: Page, *rows: Row) -> Container[Any]:
    """Return a page with rows of buttons; what is beyond Discord's limits of a message is cut off at its end."""
    box: Container[Any] = Container(accent_colour=LEAF)
    head, foot = (f"### {page.head}" if page.lines else page.head), _foot(page)
    head = cut(head, MOST_TEXT - len(foot))
    box.add_item(TextDisplay(head))
    room = MOST_TEXT - len(head) - len(foot)
    parts = MOST_PARTS - OWN_PARTS - sum(1 + len(row.children) for row in rows)
    for text in list(_groups(page))[: parts // 2]:
        if room > 0:
            box.add_item(Separator()).add_item(TextDisplay(cut(text, room)))
            room -= len(text)
    if foot:
        box.add_item(Separator(visible=False)).add_item(TextDisplay(foot))
    for row in rows:
        box.add_item(row)
    return box


def _groups(page: Page) -> Iterator[str]:
    """Yield the lines, those under one heading together."""
    for under, lines in groupby(page.lines, lambda line: line.under):
        yield "\n".join([*([f"__{under}__"] if under else []), *(line.text for line in lines)])


def _foot(page: Page) -> str:
    """Return the small line at the end: which page this is, and what is to be said of the list."""
    which = f"Page {page.number} of {page.last}." if page.last > 1 else ""
    words = " ".join(filter(None, [which, page.foot]))
    return f"-# {words}" if words else ""
