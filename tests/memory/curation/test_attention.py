"""Open pages ask again when the mark of the work differs; the pace says how long what waits will take."""

from __future__ import annotations

import pytest

from memory.curation.attention import pace, work_mark
from memory.models import JobRun
from notes.models import ChannelBuffer
from tests.factories import NOON, make_buffer, make_channel, make_guild, minutes

pytestmark = pytest.mark.django_db


def test_the_mark_stays_while_nothing_happens_and_differs_after_each_step():
    guilds = [make_guild()]
    marks = [work_mark(guilds)]
    assert marks == [work_mark(guilds)]
    buffer = make_buffer()
    marks.append(work_mark(guilds))
    ChannelBuffer.objects.filter(pk=buffer.pk).update(message_count=2)
    marks.append(work_mark(guilds))
    run = JobRun.objects.create(guild=guilds[0], day=NOON.date(), phase="cluster")
    marks.append(work_mark(guilds))
    JobRun.objects.filter(pk=run.pk).update(reached="3")
    marks.append(work_mark(guilds))
    assert len(set(marks)) == 5


def test_the_work_of_another_guild_leaves_the_mark_as_it_was():
    before = work_mark([make_guild()])
    make_buffer(make_channel(make_guild("discord:2")))
    assert work_mark([make_guild()]) == before


def test_the_pace_of_ten_minutes_says_how_long_the_rest_takes():
    for _ in range(4):
        make_buffer(status="done", digested_at=NOON - minutes(5))
    make_buffer(status="done", digested_at=NOON - minutes(50))
    for number in range(6):
        make_buffer(make_channel(name=f"c{number}"), status="closed", closed_at=NOON)
    found = pace([make_guild()], now=NOON)
    assert (found.waiting, found.done, found.minutes_left) == (6, 4, 15)
    assert pace([make_guild("discord:2")], now=NOON).minutes_left is None
