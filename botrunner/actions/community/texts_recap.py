"""A recap as text for Discord: one message, which pings nobody and formats nothing that members wrote."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from zoneinfo import ZoneInfo

from botrunner.actions.escape import MESSAGE, cut, plain
from memory.models import Recap
from memory.recap_tables import RecapLine

NAME, TEXT, INTRO = 60, 200, 600  # characters
IN_A_ROW = {RecapLine.Section.JOINED}  # told in one line


def mark(recap: Recap) -> str:
    """Return the last line of a post, by which the bot knows its own again."""
    return f"-# Recap {recap.pk}, from what everybody here can read. `/memory privacy` says what is kept."


def post(recap: Recap, lines: Sequence[RecapLine]) -> str:
    """Return the post; where it would be longer than a message, its last lines go, never the mark."""
    shown = list(lines)
    text = _post(recap, shown)
    while len(text) > MESSAGE and shown:
        shown.pop()
        text = _post(recap, shown)
    return text


def _post(recap: Recap, lines: Sequence[RecapLine]) -> str:
    rows = [f"**{plain(str(recap.guild), NAME)}: {_days(recap)}**"]
    if recap.intro:
        rows.append(cut(plain(recap.intro, INTRO), INTRO))
    for section, group in groupby(lines, lambda line: line.section):
        texts = [plain(line.text, TEXT) for line in group]
        rows.append(f"__{RecapLine.Section(section).label}__")
        rows += [", ".join(texts)] if section in IN_A_ROW else [f"• {text}" for text in texts]
    return "\n".join([*rows, mark(recap)])


def _days(recap: Recap) -> str:
    """Return the days that it tells of, in the guild's zone; the last one is whole."""
    zone = ZoneInfo(recap.guild.time_zone)
    first, last = recap.since.astimezone(zone), recap.until.astimezone(zone)
    if recap.every == Recap.Every.MONTH:
        return f"{first:%B %Y}"
    return f"{first:%-d %B} to {last:%-d %B %Y}"
