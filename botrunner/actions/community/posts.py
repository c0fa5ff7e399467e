"""What posting needs of the database: the next post in a guild that is here, its text, and how it went."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from botrunner.actions.community import texts_log, texts_recap
from memory.models import ModeratorLog, Recap
from memory.recaps import recap_posting
from memory.records import log_posting, waiting_posts


@dataclass(frozen=True, kw_only=True)
class Post:
    """Something that this process has claimed, to be posted once.

    `mark` ends the text, so that the bot knows its own again; `tried_at` is when another was about to post it, None
    for nobody. One of the last two is called with how it went: the message's id and when; or the error, when, and
    whether it may be better later.
    """

    guild_id: int
    channel_id: str
    text: str
    mark: str
    nonce: str
    tried_at: datetime | None
    posted: Callable[[str, datetime], None]
    not_posted: Callable[[str, datetime, bool], None]


def next_post(is_here: Callable[[int], bool], *, now: datetime) -> Post | None:
    """Claim the next post in a guild that is here; None if there is none. What has nothing left to tell ends."""

    def runs(key: str) -> bool:
        platform, _, number = key.partition(":")
        return platform == "discord" and number.isdigit() and is_here(int(number))

    while row := waiting_posts.claim_next(runs, now=now):
        found = _recap(row, now) if isinstance(row, Recap) else _line(row, now)
        if found is not None:
            return found
    return None


def _recap(recap: Recap, now: datetime) -> Post | None:
    lines, tried_at = recap_posting.begin(recap, now=now)
    if not (lines or recap.intro or tried_at):
        recap_posting.nothing_left(recap)
        return None
    return Post(
        guild_id=_number(recap.guild.key), channel_id=recap.channel_id, text=texts_recap.post(recap, lines),
        mark=texts_recap.mark(recap), nonce=f"recap-{recap.pk}", tried_at=tried_at,
        posted=lambda number, at: recap_posting.posted(recap, message_id=number, now=at),
        not_posted=lambda error, at, again: recap_posting.not_posted(recap, error=error, now=at, again=again),
    )  # fmt: skip


def _line(log: ModeratorLog, now: datetime) -> Post | None:
    line, tried_at = log_posting.begin(log, now=now)
    if line is None:
        return None
    return Post(
        guild_id=_number(log.guild.key), channel_id=log.guild.log_channel, text=texts_log.told(log.guild, line),
        mark=texts_log.mark(line), nonce=f"action-{line.pk}", tried_at=tried_at,
        posted=lambda _number, _at: log_posting.told(log, line=line),
        not_posted=lambda error, at, _again: log_posting.not_told(log, error=error, now=at),
    )  # fmt: skip


def _number(key: str) -> int:
    return int(key.partition(":")[2])
