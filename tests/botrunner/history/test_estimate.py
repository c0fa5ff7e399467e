"""How long a history is, by a few looks at it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from unittest.mock import Mock

import discord
import pytest

from botrunner.history import estimate as estimates
from botrunner.history.estimate import SAMPLES, estimate, in_words
from botrunner.history.page import PAGE

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


class Channel:
    """A channel whose messages were said at these minutes, forty characters each; counts who looks."""

    def __init__(self, minutes):
        self.said = [self._message(BEGIN + timedelta(minutes=each)) for each in minutes]
        self.last_message_id = self.said[-1].id if self.said else None
        self.looks = 0

    @staticmethod
    def _message(at):
        author = SimpleNamespace(bot=False)
        return SimpleNamespace(id=discord.utils.time_snowflake(at), created_at=at, content="x" * 40, author=author)


@pytest.fixture(autouse=True)
def _read_page(monkeypatch):
    async def read_page(channel, after):
        channel.looks += 1
        page = [message for message in channel.said if message.id > after][:PAGE]
        return page, page[-1].id if len(page) == PAGE else None

    monkeypatch.setattr(estimates, "read_page", read_page)


@pytest.mark.parametrize("minutes", [[], range(99)])
async def test_a_short_history_is_counted(minutes):
    found = await estimate(Channel(minutes))
    assert (found.messages, found.exact) == (len(minutes), True)


async def test_an_even_history_is_estimated_well_by_a_handful_of_looks():
    channel = Channel(range(0, 50_000, 5))
    found = await estimate(channel)
    assert found.messages == pytest.approx(10_000, rel=0.02)
    assert channel.looks == 1 + SAMPLES
    assert (found.exact, found.pages, found.tokens) == (False, -(-found.messages // 100), found.messages * 10)
    assert "About 10," in found.question()


async def test_a_history_that_fell_asleep_is_not_taken_for_a_busy_one():
    channel = Channel([*range(1_000), 1_000_000])
    assert 100 < (await estimate(channel)).messages < 2_000


async def test_a_forum_is_as_long_as_its_open_threads():
    forum = Mock(
        spec=discord.ForumChannel, threads=[SimpleNamespace(message_count=3), SimpleNamespace(message_count=4)]
    )
    assert (await estimate(forum)).messages == 7


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(1, "1 second"), (119, "119 seconds"), (120, "2 minutes"), (7_199, "119 minutes"), (7_200, "2 hours")],
)
def test_how_long_it_takes_is_said_in_words(seconds, words):
    assert in_words(seconds) == words
