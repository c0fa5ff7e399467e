"""Conversations open, close and are claimed as seed 001 says, from rows alone."""

from datetime import timedelta

import pytest

from notes import turning
from notes.models import ChannelBuffer
from tests.factories import NOON, make_guild, minutes
from tests.incoming import north, say

pytestmark = pytest.mark.django_db


def statuses() -> list[str]:
    return list(ChannelBuffer.objects.order_by("pk").values_list("status", flat=True))


def test_messages_close_together_are_one_conversation():
    for minute in (0, 10, 30):
        say("hello", at=NOON + minutes(minute))
    assert ChannelBuffer.objects.get().message_count == 3


def test_a_message_after_the_silence_starts_the_next_conversation():
    say("hello", at=NOON)
    say("hello", at=NOON + minutes(26))
    assert statuses() == ["closed", "open"]


def test_the_silence_is_the_guilds_setting():
    make_guild(quiet_minutes=60)
    say("hello", at=NOON)
    say("hello", at=NOON + minutes(59))
    assert statuses() == ["open"]


def test_a_conversation_that_never_goes_quiet_ends_after_two_hours():
    for minute in range(0, 130, 10):
        say("hello", at=NOON + minutes(minute))
    assert statuses() == ["closed", "open"]
    assert ChannelBuffer.objects.order_by("pk")[0].message_count == 12


def test_a_hundred_messages_fill_a_conversation():
    for second in range(101):
        say("hello", at=NOON + timedelta(seconds=second))
    assert statuses() == ["closed", "open"]


def test_an_old_message_that_comes_late_is_a_conversation_of_its_own():
    say("hello", at=NOON)
    say("long ago", at=NOON - timedelta(days=300), now=NOON)
    assert statuses() == ["closed", "open"]


def test_two_channels_are_two_conversations():
    say("hello", channel="general")
    say("hello", channel="random")
    assert statuses() == ["open", "open"]


@pytest.mark.parametrize(("later", "closed"), [(24, 0), (25, 1)])
def test_a_quiet_conversation_is_closed_by_the_clock(later, closed):
    say("hello", at=NOON)
    assert turning.close_due(now=NOON + minutes(later)) == closed


def test_an_overdue_conversation_is_closed_at_once_after_a_restart():
    say("hello", at=NOON)
    assert turning.close_due(now=NOON + timedelta(days=3)) == 1


def test_a_buffer_is_claimed_by_one_worker_only():
    say("hello")
    turning.close_all(guild=north(), now=NOON)
    assert turning.claim(now=NOON) is not None
    assert turning.claim(now=NOON) is None


def test_a_killed_workers_claim_expires():
    say("hello")
    turning.close_all(guild=north(), now=NOON)
    turning.claim(now=NOON)
    again = turning.claim(now=NOON + turning.LEASE)
    assert again is not None
    assert again.attempts == 2


def test_a_failing_buffer_waits_longer_each_time_and_is_parked_after_five_attempts():
    say("hello")
    turning.close_all(guild=north(), now=NOON)
    now = NOON
    for _ in range(turning.MOST_ATTEMPTS):
        buffer = turning.claim(now=now)
        turning.fail(buffer, error="the model is away", now=now)
        assert turning.claim(now=now) is None
        now += timedelta(hours=3)
    assert turning.claim(now=now) is None
    assert statuses() == ["parked"]
    assert ChannelBuffer.objects.get().messages.count() == 1


def test_a_step_is_not_advanced_when_the_buffer_was_reopened_meanwhile():
    say("hello")
    turning.close_all(guild=north(), now=NOON)
    buffer = turning.claim(now=NOON)
    assert turning.advance(buffer)
    turning.reopen([buffer.pk], now=NOON)
    assert not turning.advance(buffer)
    turning.finish(buffer)
    assert statuses() == ["closed"]
    assert turning.claim(now=NOON) is not None
