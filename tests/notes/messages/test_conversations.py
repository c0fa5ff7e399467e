"""Conversations open, close and are claimed, from rows alone."""

from datetime import UTC, datetime, timedelta

import pytest

from memoryhub.community import consent
from memoryhub.community.models import Member
from memoryhub.db import leases
from notes.messages import conversations
from notes.models import ChannelBuffer
from notes.writing import writer
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
    assert conversations.close_due(now=NOON + minutes(later)) == closed


def test_an_overdue_conversation_is_closed_at_once_after_a_restart():
    say("hello", at=NOON)
    assert conversations.close_due(now=NOON + timedelta(days=3)) == 1


def test_a_buffer_is_claimed_by_one_worker_only():
    say("hello")
    conversations.close_all(guild=north(), now=NOON)
    assert conversations.claim(now=NOON) is not None
    assert conversations.claim(now=NOON) is None


def test_a_killed_workers_claim_expires():
    say("hello")
    conversations.close_all(guild=north(), now=NOON)
    conversations.claim(now=NOON)
    ChannelBuffer.objects.update(claimed_by="another-machine:1")
    assert conversations.claim(now=NOON + ChannelBuffer.policy.length - minutes(1)) is None
    again = conversations.claim(now=NOON + ChannelBuffer.policy.length)
    assert again is not None
    assert again.attempts == 2


def test_the_claim_of_a_process_of_this_machine_that_is_gone_ends_at_once(monkeypatch):
    say("hello")
    conversations.close_all(guild=north(), now=NOON)
    conversations.claim(now=NOON)
    monkeypatch.setattr(leases, "is_dead", lambda holder: True)
    assert conversations.claim(now=NOON) is not None


def test_a_claim_that_another_took_over_changes_nothing_any_more():
    say("hello")
    conversations.close_all(guild=north(), now=NOON)
    slept = conversations.claim(now=NOON)
    later = NOON + ChannelBuffer.policy.length
    awake = conversations.claim(now=later)
    before = ChannelBuffer.objects.values().get()
    assert not conversations.advance(slept, now=later)
    leases.fail(slept, error="too late", now=later)
    leases.release(slept)
    leases.finish(slept, status="done")
    assert ChannelBuffer.objects.values().get() == before
    assert conversations.advance(awake, now=later)


def test_each_step_renews_the_lease():
    say("hello")
    conversations.close_all(guild=north(), now=NOON)
    buffer = conversations.claim(now=NOON)
    conversations.advance(buffer, now=NOON + minutes(10))
    assert conversations.claim(now=NOON + ChannelBuffer.policy.length) is None
    assert conversations.claim(now=NOON + minutes(10) + ChannelBuffer.policy.length) is not None


def test_what_is_given_back_is_taken_up_at_its_step_as_if_nobody_had_begun():
    say("hello")
    conversations.close_all(guild=north(), now=NOON)
    buffer = conversations.claim(now=NOON)
    conversations.advance(buffer, now=NOON)
    leases.release(buffer)
    again = conversations.claim(now=NOON)
    assert (again.step, again.attempts) == ("note", 1)


def test_a_failure_that_comes_after_the_buffer_was_reopened_does_not_park_it():
    say("hello")
    conversations.close_all(guild=north(), now=NOON)
    ChannelBuffer.objects.update(attempts=ChannelBuffer.policy.most_attempts - 1)
    buffer = conversations.claim(now=NOON)
    conversations.reopen([buffer.pk], now=NOON)
    leases.fail(buffer, error="the model is away", now=NOON)
    assert statuses() == ["closed"]
    assert conversations.claim(now=NOON) is not None


def test_a_provider_that_asks_for_a_longer_wait_gets_it():
    say("hello")
    conversations.close_all(guild=north(), now=NOON)
    leases.fail(conversations.claim(now=NOON), error="wait", now=NOON, wait=minutes(50))
    assert conversations.claim(now=NOON + minutes(49)) is None
    assert conversations.claim(now=NOON + minutes(50)) is not None


def test_after_a_restart_a_conversation_has_the_time_that_it_had_left():
    say("hello", "Alice", channel="general", at=NOON)
    say("hello", "Alice", channel="random", at=NOON + minutes(20))
    # The hub is down from 12:21 to 12:30: nothing is kept but the rows.
    assert conversations.close_due(now=NOON + minutes(30)) == 1
    assert conversations.close_due(now=NOON + minutes(44)) == 0
    assert conversations.close_due(now=NOON + minutes(45)) == 1


def test_a_message_that_comes_while_the_conversation_is_digested_opens_the_next_one():
    say("hello", at=NOON)
    conversations.close_all(guild=north(), now=NOON)
    conversations.claim(now=NOON)
    say("one more", at=NOON + minutes(1))
    assert statuses() == ["closed", "open"]
    assert [buffer.messages.count() for buffer in ChannelBuffer.objects.order_by("pk")] == [1, 1]


def test_a_failing_digest_takes_nothing_from_what_was_said_meanwhile():
    say("hello", at=NOON)
    conversations.close_all(guild=north(), now=NOON)
    failing = conversations.claim(now=NOON)
    say("one more", at=NOON + minutes(1))
    leases.fail(failing, error="the model is away", now=NOON + minutes(2))
    say("and one", at=NOON + minutes(3))
    assert statuses() == ["closed", "open"]
    assert [buffer.messages.count() for buffer in ChannelBuffer.objects.order_by("pk")] == [1, 2]


def test_a_clock_that_jumps_back_an_hour_loses_and_doubles_nothing():
    say("before", at=NOON)
    say("after the jump", at=NOON + minutes(1), now=NOON - minutes(59))
    say("later", at=NOON - minutes(50))
    conversations.close_due(now=NOON + minutes(60))
    assert sum(buffer.messages.count() for buffer in ChannelBuffer.objects.all()) == 3
    assert set(statuses()) == {"closed"}


@pytest.mark.parametrize("zone", ["Europe/Berlin", "Australia/Lord_Howe"])
def test_a_change_of_the_clocks_shortens_no_conversation(zone):
    make_guild(time_zone=zone)
    for before in (datetime(2026, 3, 29, 0, 55, tzinfo=UTC), datetime(2026, 4, 4, 14, 55, tzinfo=UTC)):
        first = ChannelBuffer.objects.count()
        say("before the change", at=before)
        say("after it", at=before + minutes(10))
        assert ChannelBuffer.objects.count() == first + 1
        assert conversations.close_due(now=before + minutes(34)) == 0
        assert conversations.close_due(now=before + minutes(35)) == 1


def test_a_failing_buffer_waits_longer_each_time_and_is_parked_after_five_attempts():
    say("hello")
    conversations.close_all(guild=north(), now=NOON)
    now = NOON
    waits = []
    for _ in range(ChannelBuffer.policy.most_attempts):
        buffer = conversations.claim(now=now)
        leases.fail(buffer, error="the model is away", now=now)
        assert conversations.claim(now=now) is None
        waits.append(ChannelBuffer.objects.get().next_attempt_at - now)
        now += timedelta(hours=3)
    assert waits == sorted(set(waits))
    assert conversations.claim(now=now) is None
    assert statuses() == ["parked"]
    assert ChannelBuffer.objects.get().messages.count() == 1


def test_a_step_is_not_advanced_when_the_buffer_was_reopened_meanwhile():
    say("hello")
    conversations.close_all(guild=north(), now=NOON)
    buffer = conversations.claim(now=NOON)
    assert conversations.advance(buffer, now=NOON)
    conversations.reopen([buffer.pk], now=NOON)
    assert not conversations.advance(buffer, now=NOON)
    leases.finish(buffer, status="done")
    assert statuses() == ["closed"]
    assert conversations.claim(now=NOON) is not None


def test_a_long_step_goes_on_behind_what_it_reached_and_keeps_its_lease_meanwhile():
    say("hello")
    conversations.close_all(guild=north(), now=NOON)
    buffer = conversations.claim(now=NOON)
    assert leases.checkpoint(buffer, reached="7", now=NOON + minutes(10))
    assert conversations.claim(now=NOON + ChannelBuffer.policy.length) is None
    again = conversations.claim(now=NOON + minutes(10) + ChannelBuffer.policy.length)
    assert (again.reached, again.step) == ("7", "extract")
    assert not leases.checkpoint(buffer, reached="8", now=NOON + minutes(30))
    assert conversations.advance(again, now=NOON + minutes(30))
    assert ChannelBuffer.objects.get().reached == ""


def test_the_words_of_who_said_no_or_was_blocked_meanwhile_enter_no_note():
    words = "I painted the boat {0} and moored it at the pier behind the old mill by the river bridge last week. " * 2
    for name, colour in (("Alice", "blue"), ("Bob", "green"), ("Mallory", "crimson")):
        say(words.format(colour), name)
    consent.choose(Member.objects.get(display_name="Bob"), remember=False, actor="member", now=NOON)
    consent.block(north(), platform_id="u-mallory", blocked=True)
    conversations.close_all(guild=north(), now=NOON)
    note = writer.write_note(conversations.claim(now=NOON))
    assert [str(member) for member in note.participants.all()] == ["Alice"]
    assert "green" not in note.summary
    assert "crimson" not in note.summary
