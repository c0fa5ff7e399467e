"""Decisions and plans, as text for Discord."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from botrunner.actions.escape import ago, day, plain
from botrunner.actions.listing import Line, Page
from notes.arrangements.telling import Plan
from notes.models import Arrangement

TEXT, BEFORE, NAME, QUERY = 140, 60, 30, 60  # characters; five of them with their links fit into a message
NO_DECISIONS = (
    "No decision that you can read here. I note one when a conversation has ended in which somebody says, for example, "
    "“we decided on the red tent”."
)
NO_PLANS = (
    "Nothing planned that you can read here. I note a plan when a conversation has ended in which somebody says, for "
    "example, “the picnic is on Saturday at 14:00”. Plans whose day has passed: `/memory plans` with `past`."
)
NO_PAST = "No plan whose day has passed that you can read here."
NOTHING_WITH = "Nothing that you can read here holds these words. Try fewer, or others."


def decided(lines: Sequence[str], *, query: str, page: int, last: int) -> Page:
    """Return a page of decisions."""
    return _page("Decided", lines, NO_DECISIONS, query=query, page=page, last=last)


def planned(lines: Sequence[str], *, query: str, past: bool, page: int, last: int) -> Page:
    """Return a page of plans."""
    nothing = NO_PAST if past else NO_PLANS
    return _page("Past plans" if past else "Planned", lines, nothing, query=query, page=page, last=last)


def _page(head: str, lines: Sequence[str], nothing: str, *, query: str, page: int, last: int) -> Page:
    if not lines:
        return Page(NOTHING_WITH if query else nothing)
    words = f" with “{plain(query, QUERY)}”" if query else ""
    return Page(f"{head}{words}", [Line(line) for line in lines], "", page, last)


def decision(row: Arrangement, where: str) -> str:
    """Return a decision in a line: who said it, what it was before, when and where."""
    was = f" (before: {plain(row.words_before[0], BEFORE)})" if row.words_before else ""
    return f"• {plain(str(row.message.author), NAME)}: {plain(row.text, TEXT)}{was} {ago(row.said_at)} {where}"


def plan(told: Plan, where: str) -> str:
    """Return a plan in a line: when it is, as each reader's Discord shows it, what it is, what became of it."""
    when = f"**{_moment(told.due, all_day=told.all_day)}** {ago(told.due)}" if told.due else "**No day yet**"
    was = f", was {_moment(told.was_due, all_day=told.was_all_day)}" if told.was_due else ""
    became = " *called off*" if told.status == "called_off" else f" *moved{was}*" if was else ""
    return f"• {when}{became}: {plain(told.what, TEXT)} {where}".rstrip()


def _moment(at: datetime, *, all_day: bool) -> str:
    return day(at) if all_day else f"<t:{int(at.timestamp())}:f>"
