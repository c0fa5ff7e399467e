"""What somebody missed, as text for Discord."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from botrunner.actions.escape import ago, plain
from botrunner.actions.listing import Line, Page
from memory.catchup.catching_up import Kind, Missed

NOTHING = "You missed nothing here: nothing was said that I have heard and you can read."
NOT_READABLE = "Name a channel that you can read yourself."
TEXT, NAME, CHANNEL = 150, 40, 40  # characters; five of them with their links fit into a message
HEADINGS: dict[Kind, str] = {
    "mention": "To you, or about you",
    "answered": "Your questions, answered",
    "decision": "Decided",
    "talk": "Being talked about",
    "topic": "Talked about",
}


def missed(
    items: Sequence[Missed], links: Mapping[str, str], *, since: datetime, page: int, last: int
) -> Page:  # fmt: skip
    """Return a page of what was missed, each kind under its heading, with where it was said."""
    if not items:
        return Page(f"{NOTHING} Looked at: since {ago(since)}.")
    lines = [Line(_line(item, links), HEADINGS[item.kind]) for item in items]
    return Page(f"What you missed since {ago(since)}", lines, "", page, last)


def _line(item: Missed, links: Mapping[str, str]) -> str:
    said = item.kind in ("mention", "decision")
    who = f"{plain(item.members[0], NAME)}: " if said and item.members else ""
    ids = [source.message_id for source in item.sources if source.message_id]
    where = next((links[each] for each in ids if each in links), "")
    return f"• {who}{plain(item.text, TEXT)} {ago(item.at)} {where}".rstrip()
