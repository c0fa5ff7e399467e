"""Which channels are summarised each minute: enough said or enough time, one worker each, waiting after a failure."""

from datetime import timedelta

import pytest

from memoryhub.community.models import Channel, Guild
from memoryhub.db import leases
from memoryhub.db.guild_scope import inside
from notes.models import Summary
from notes.summaries import due, summarize
from tests.factories import NOON, make_channel, minutes
from tests.incoming import SOUTH, north, say
from tests.scripted import scripted

pytestmark = pytest.mark.django_db
LATER = NOON + minutes(30)


def chat(count, start=0, channel="general", guild=None):
    for number in range(start, start + count):
        fields = {"guild": guild} if guild else {}
        say(f"The boat needs plank number {number}.", at=NOON + minutes(number), channel=channel, **fields)


def channel(name="general"):
    return Channel.objects.get(name=name, guild__key="discord:1")


def test_a_channel_is_due_after_ten_messages():
    chat(9)
    assert due.due(NOON + minutes(9)) == []
    chat(1, start=9)
    assert due.due(NOON + minutes(9)) == [channel()]


def test_a_few_messages_of_a_new_channel_wait_a_quarter_of_an_hour():
    chat(1)
    assert due.due(NOON + minutes(14)) == []
    assert due.due(NOON + minutes(15)) == [channel()]


@pytest.mark.parametrize(("later", "count"), [(14, 0), (15, 1)])
def test_a_few_messages_wait_a_quarter_of_an_hour_after_the_last_summary(later, count):
    chat(10)
    now = NOON + minutes(11)
    due.summarize_due(now=now)
    chat(1, start=11)
    assert len(due.due(now + minutes(later))) == count


def test_a_guild_has_its_own_numbers():
    chat(3)
    Guild.objects.update(summary_messages=3)
    assert len(due.due(NOON + minutes(3))) == 1
    Guild.objects.update(summary_messages=100, summary_minutes=60)
    assert due.due(NOON + minutes(59)) == []
    assert len(due.due(NOON + minutes(60))) == 1


def test_what_is_summarised_is_no_longer_due_and_nothing_is_kept_in_memory():
    chat(10)
    assert due.summarize_due(now=LATER) == 1
    assert due.due(LATER + minutes(60)) == []
    assert channel().unsummarized == 0


def test_only_a_few_channels_are_summarised_a_minute_the_busiest_first():
    for number in range(due.A_TICK + 2):
        chat(number + 10, channel=f"c{number}")
    assert due.summarize_due(now=LATER) == due.A_TICK
    assert [str(place) for place in due.due(LATER)] == ["#c1", "#c0"]


def claim():
    return leases.claim(Channel.objects.filter(pk=channel().pk), now=LATER)


def test_a_channel_that_a_worker_holds_is_left_to_it_until_its_lease_ends():
    chat(10)
    assert claim()
    assert due.summarize_due(now=LATER + Channel.policy.length - minutes(1)) == 0
    assert due.summarize_due(now=LATER + Channel.policy.length) == 1


def test_a_channel_whose_worker_died_is_summarised_by_the_next_at_once(monkeypatch):
    chat(10)
    assert claim()
    monkeypatch.setattr(leases, "is_dead", lambda holder: True)
    assert due.summarize_due(now=LATER) == 1


def test_two_workers_never_hold_one_channel():
    chat(10)
    assert [bool(claim()), bool(claim())] == [True, False]


def test_a_channel_whose_summary_ends_its_worker_each_time_waits_and_stops_no_worker_meanwhile(monkeypatch):
    chat(10)
    monkeypatch.setattr(leases, "is_dead", lambda holder: True)
    for _ in range(Channel.policy.most_attempts):
        assert claim()
    assert due.summarize_due(now=LATER) == 0
    assert channel().next_attempt_at == LATER + 16 * Channel.policy.pause
    assert due.summarize_due(now=LATER + 16 * Channel.policy.pause) == 1


def test_a_channel_that_failed_waits_longer_each_time_and_keeps_its_old_summary():
    chat(10)
    due.summarize_due(now=LATER)
    old = Summary.objects.get(kind="rolling").text
    chat(10, start=11)
    now, waits = LATER, []
    with scripted() as model:
        model.fail("summary", times=3)
        for _ in range(3):
            assert due.summarize_due(now=now) == 0
            held = channel()
            assert (held.claimed_until, held.unsummarized) == (None, 10)
            assert "overloaded" in held.last_error
            waits.append(held.next_attempt_at - now)
            assert due.due(held.next_attempt_at - timedelta(seconds=1)) == []
            now = held.next_attempt_at
        assert Summary.objects.get(kind="rolling").text == old
        assert due.summarize_due(now=now) == 1
    assert waits == [minutes(2), minutes(4), minutes(8)]
    assert (channel().attempts, channel().last_error) == (0, "")


def test_a_channel_that_fails_stops_no_other(monkeypatch):
    chat(20, channel="bad")
    chat(10, channel="good")
    real = summarize.summarize
    monkeypatch.setattr(due, "summarize", lambda place, **more: 1 / 0 if place.name == "bad" else real(place, **more))
    assert due.summarize_due(now=LATER) == 1
    assert channel("bad").last_error == "ZeroDivisionError"


@pytest.mark.parametrize("table", [Channel, Guild])
def test_where_memory_is_off_nothing_is_due(table):
    chat(10)
    table.objects.update(memory_on=False)
    assert due.due(LATER) == []


def test_a_thread_is_not_due_where_the_memory_of_its_channel_is_off():
    chat(10, channel={"id": "t-1", "name": "thread", "kind": "thread", "parent_id": "c-general"})
    Channel.objects.filter(platform_id="c-general").update(memory_on=False)
    assert due.due(LATER) == []
    assert due.summarize_due(now=LATER) == 0
    Channel.objects.update(memory_on=True)
    assert due.due(LATER) == [channel("thread")]


def test_what_only_bots_say_makes_no_summary():
    for number in range(12):
        say("I am a bot and I talk.", "Helper", is_bot=True, at=NOON + minutes(number))
    assert due.due(LATER + minutes(60)) == []


def test_everything_that_is_dirty_can_be_summarised_without_waiting():
    chat(1)
    chat(1, guild=SOUTH)
    assert due.due(NOON) == []
    with inside(north()):
        assert due.due(NOON, waiting=False) == [channel()]


def test_nothing_is_due_where_nothing_was_said():
    make_channel()
    assert due.due(LATER) == []
