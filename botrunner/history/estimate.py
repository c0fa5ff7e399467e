"""Estimates how long a channel's history is: Discord tells no number, so a few places of it are sampled."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias

import discord

from botrunner.history.page import PAGE, Readable, read_page

Parent: TypeAlias = discord.TextChannel | discord.ForumChannel
Historic: TypeAlias = Readable | discord.ForumChannel

SAMPLES = 4  # pages spread over the history, after the first
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
    def tokens(self) -> int:
        """Return how much a model would read."""
        return round(self.messages * self.characters / CHARACTERS_A_TOKEN)

    def question(self) -> str:
        """Return what it takes, and ask whether to begin."""
        about = "" if self.exact else "About "
        takes = in_words(max(round(self.pages * A_PAGE_TAKES), 1))
        return (
            f"**Read this channel's history?**\n{about}{self.messages:,} messages; reading takes about {takes}. "
            f"With a model, it then reads about {self.tokens:,} tokens of them. Threads come on top."
        )


def in_words(seconds: int) -> str:
    """Return how long that is, in the greatest unit of which there are two or more."""
    count, unit = next(
        ((seconds // size, unit) for unit, size in (("hour", 3600), ("minute", 60)) if seconds >= 2 * size),
        (seconds, "second"),
    )
    return f"{count} {unit}{'' if count == 1 else 's'}"


async def estimate(channel: Historic) -> Estimate:
    """Sample the history and return how long it probably is; raises Forbidden."""
    if isinstance(channel, discord.ForumChannel):
        return Estimate(sum(thread.message_count for thread in channel.threads))
    first, more = await read_page(channel, 0)
    if not more or not first:
        return Estimate(len(first), exact=True, characters=_mean_length(first))
    begin, last = first[-1].created_at, channel.last_message_id
    end = max(begin, discord.utils.snowflake_time(last or 0))
    rates, seen = [], [*first]
    for part in range(SAMPLES):
        start = begin + (end - begin) * (part + 0.5) / SAMPLES
        page, more = await read_page(channel, discord.utils.time_snowflake(start))
        until = discord.utils.snowflake_time(more) if more else end
        rates.append(len(page) / max((until - start).total_seconds(), 1.0))  # messages a second
        seen += page
    rest = fmean(rates) * (end - begin).total_seconds()
    return Estimate(PAGE + round(rest), characters=_mean_length(seen))


async def is_empty(channel: Historic, expected: Estimate) -> bool:
    """Tell whether there is nothing to read, in archived threads neither; raises Forbidden."""
    if expected.messages or not isinstance(channel, Parent):
        return not expected.messages
    archived = [thread async for thread in channel.archived_threads(limit=1)]
    return not [*channel.threads, *archived]


def _mean_length(messages: list[discord.Message]) -> float:
    """Return the characters of a message on average, those of bots aside."""
    return fmean([len(message.content) for message in messages if not message.author.bot] or [0])
