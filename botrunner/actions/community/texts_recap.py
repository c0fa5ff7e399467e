"""A recap as text for Discord: one message, which pings nobody and formats nothing that members wrote."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from zoneinfo import ZoneInfo

from botrunner.actions.escape import MESSAGE, ago, cut, plain
from memory.models import Recap, RecapLine
from memoryhub.community.discord_links import message_url
from memoryhub.community.models import Guild

NAME, TEXT, INTRO = 60, 200, 600  # characters
IN_A_ROW = {RecapLine.Section.JOINED}  # told in one line
NONE_SET = "No recap comes by itself: the dashboard's settings, under Recaps, have one come each week or month."
NONE_YET = "There was none yet. `/memory-admin recap` with `days` writes a draft of the last days."
NOTHING_TO_TELL = "There is nothing to tell of the last {days} that everybody in this server may read."


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


# --- For who manages the server --------------------------------------------------------------------------------------


def state(guild: Guild, last: Recap | None, *, next_at: datetime | None) -> str:
    """Return how recaps are set in a guild, and where its last one stands."""
    how = guild.get_recap_as_display().lower()
    rows = [f"Recaps: {guild.get_recap_display()}, {how}. The next one: {ago(next_at)}." if next_at else NONE_SET]
    if last is None:
        return "\n".join([*rows, NONE_YET])
    rows.append(f"The last one, {_days(last)}: {last.get_status_display().lower()}{_there(last)}")
    if last.status == Recap.Status.WAITING and last.last_error:
        rows.append(f"It could not be posted. {last.last_error}")
    return "\n".join(rows)


def written(recap: Recap, *, days: int) -> str:
    """Return where the draft stands that was asked for."""
    if recap.status == Recap.Status.EMPTY:
        return NOTHING_TO_TELL.format(days=_so_many(days))
    return f"A draft of the last {_so_many(days)} is written, to be edited and posted{_there(recap)}"


def _so_many(days: int) -> str:
    return "day" if days == 1 else f"{days} days"


def _there(recap: Recap) -> str:
    """Return where it is found: the bot does not know the dashboard's address, only the way there."""
    if recap.status == Recap.Status.EMPTY:
        return "."
    if recap.status == Recap.Status.POSTED:
        return f": {message_url(recap.guild.key, channel=recap.channel_id, message=recap.message_id)}"
    return f" in the dashboard, under Recaps: `/recaps/{recap.pk}/`."
