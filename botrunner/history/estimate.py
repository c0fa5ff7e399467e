"""Estimates how long a channel's history is: Discord tells no number, so a few places of it are looked at."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import fmean
from typing import TypeAlias

import discord

from botrunner.history.catch_up import PAGE, Readable

Parent: TypeAlias = discord.TextChannel | discord.ForumChannel
Historic: TypeAlias = Readable | discord.ForumChannel

LOOKS = 4  # pages spread over the history, after the first
CHARACTERS_A_TOKEN = 4
A_PAGE_TAKES = 1.2  # seconds: the pause and the request


@dataclass(frozen=True)
class Estimate:
    """How many messages there are, the threads' not counted; exact if all were seen."""

    messages: int
    exact: bool = False
    characters: float = 0.0
    """Of a message, on average."""

    @property
    def pages(self) -> int:
        """Return how often Discord will be asked."""
        return -(-self.messages // PAGE)

    @property
    def seconds(self) -> int:
        """Return how long it will take to read."""
        return round(self.pages * A_PAGE_TAKES)

    @property
    def tokens(self) -> int:
        """Return how much a model would read."""
        return round(self.messages * self.characters / CHARACTERS_A_TOKEN)

    def words(self) -> str:
        """Return it as a sentence."""
        about = "" if self.exact else "about "
        lasts = timedelta(seconds=max(self.seconds, 1))
        return (
            f"{about}{self.messages:,} messages, read in about {lasts} (h:mm:ss); with a model, it then reads about "
            f"{self.tokens:,} tokens of them. Threads come on top."
        ).capitalize()


async def estimate(channel: Historic) -> Estimate:
    """Look at the history here and there; raises Forbidden."""
    if isinstance(channel, discord.ForumChannel):
        return Estimate(sum(thread.message_count for thread in channel.threads))
    first = await _page(channel, discord.Object(0))
    if len(first) < PAGE:
        return Estimate(len(first), exact=True, characters=_length(first))
    begin, end = first[-1].created_at, _newest(channel, first)
    starts = [begin + (end - begin) * (part + 0.5) / LOOKS for part in range(LOOKS)]
    looks = [await _page(channel, discord.Object(discord.utils.time_snowflake(start))) for start in starts]
    rate = fmean(_rate(look, start, end) for look, start in zip(looks, starts, strict=True))
    seen = [message for look in (first, *looks) for message in look]
    return Estimate(PAGE + round(rate * (end - begin).total_seconds()), characters=_length(seen))


async def _page(channel: Readable, after: discord.Object) -> list[discord.Message]:
    return [message async for message in channel.history(limit=PAGE, after=after, oldest_first=True)]


def _newest(channel: Readable, first: list[discord.Message]) -> datetime:
    last = channel.last_message_id
    return discord.utils.snowflake_time(last) if last else first[-1].created_at


def _rate(page: list[discord.Message], start: datetime, end: datetime) -> float:
    """Return messages a second from `start` on."""
    until = page[-1].created_at if len(page) == PAGE else end
    return len(page) / max((until - start).total_seconds(), 1.0)


def _length(messages: list[discord.Message]) -> float:
    texts = [len(message.content) for message in messages if not message.author.bot]
    return fmean(texts) if texts else 0.0
