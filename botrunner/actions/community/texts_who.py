"""Who told of something, as text for Discord."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from botrunner.actions.escape import day, plain
from botrunner.actions.listing import Line, Page
from botrunner.actions.texts_members import TOLD_HERE
from memory.expertise.who_knows import Knower
from memory.recall.results import Memory

NAME, FACT, QUOTE, MATTER = 40, 80, 100, 60  # characters; five lines with their links fit into a message
NOBODY = (
    "Nobody told of that themselves, as far as it may be told in this channel. Try another word for it, or "
    "`/memory search`."
)
FOUND = "From now on you are named to members who ask who knows about something that you told of."
NOT_FOUND = (
    "From now on members who ask who knows about something are not told of you. What is remembered of you stays: "
    "`/memory forget` erases it, `/memory optout` stops the storing."
)
IS_FOUND = "Members who ask `/memory who` are told of you; `/memory privacy` with `findable` off ends that."
IS_NOT_FOUND = "Members who ask `/memory who` are not told of you; `/memory privacy` with `findable` on changes that."


def knowers(
    found: Sequence[Knower], links: Mapping[str, str], *, question: str, page: int, last: int
) -> Page:  # fmt: skip
    """Return a page of members with the best of what each told, in their own words, and where they said it."""
    if not found:
        return Page(NOBODY)
    lines = [Line(f"• {plain(str(each.member), NAME)}: {_told(each.told[0], links)}") for each in found]
    return Page(f"Who told of “{plain(question, MATTER)}”", lines, TOLD_HERE, page, last)


def _told(memory: Memory, links: Mapping[str, str]) -> str:
    source = memory.sources[0]
    words = plain(memory.text, FACT)
    if memory.kind == "fact" and source.quote and source.quote != memory.text:
        words = f"{words} “{plain(source.quote, QUOTE)}”"
    ids = [each.message_id for each in memory.sources if each.message_id]
    where = next((links[each] for each in ids if each in links), "")
    return f"{words} {day(source.at or memory.created_at)} {where}".rstrip()
