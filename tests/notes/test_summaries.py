"""Channel summaries: due by count or time, newest kept, with their messages; a failure keeps the old one."""

from datetime import timedelta

import pytest

from memoryhub.ai import ModelFailed
from notes import summaries
from notes.models import Message, Summary
from profiles.models import Channel
from tests.factories import NOON, days, make_channel, make_message, minutes
from tests.incoming import say
from tests.scripted import scripted

pytestmark = pytest.mark.django_db


def chat(count, start=0):
    for number in range(start, start + count):
        say(f"The boat needs plank number {number}.", at=NOON + minutes(number))


def channel():
    return Channel.objects.get(name="general")


def test_a_channel_is_due_after_ten_messages():
    chat(10)
    assert summaries.due(NOON + minutes(11)) == [channel()]


def test_a_channel_without_a_summary_is_due_with_its_first_message():
    chat(1)
    assert summaries.due(NOON) == [channel()]


@pytest.mark.parametrize(("later", "due"), [(14, 0), (15, 1)])
def test_a_few_messages_wait_a_quarter_of_an_hour(later, due):
    chat(10)
    now = NOON + minutes(11)
    summaries.summarize_due(now=now)
    chat(1, start=11)
    assert len(summaries.due(now + minutes(later))) == due


def test_what_is_summarised_is_no_longer_due_and_a_restart_forgets_nothing():
    chat(10)
    assert summaries.summarize_due(now=NOON + minutes(11)) == 1
    assert summaries.due(NOON + minutes(11)) == []
    assert channel().unsummarized == 0


def test_a_summary_names_the_messages_and_the_time_it_covers():
    chat(10)
    summary = summaries.summarize(channel(), now=NOON + minutes(11))
    assert summary.messages.count() == 10
    assert (summary.from_at, summary.to_at) == (NOON, NOON + minutes(9))


def test_the_newest_messages_are_kept_when_it_must_be_cut():
    place = make_channel()
    rows = [make_message(f"Plank {n} is done.", channel=place, sent_at=NOON + timedelta(seconds=n)) for n in range(130)]
    summary = summaries.summarize(place, now=NOON + minutes(5))
    assert set(summary.messages.all()) == set(rows[-summaries.MOST_MESSAGES :])


def test_what_is_older_than_two_hours_is_left_out():
    place = make_channel()
    make_message("Long ago.", channel=place, sent_at=NOON - timedelta(hours=3))
    make_message("The boat is ready now.", channel=place, sent_at=NOON)
    assert summaries.summarize(place, now=NOON).messages.count() == 1


def test_bots_are_left_out():
    chat(3)
    say("I am a bot and I talk.", "Helper", is_bot=True, at=NOON + minutes(4))
    assert summaries.summarize(channel(), now=NOON + minutes(5)).messages.count() == 3


def test_a_failing_model_keeps_the_old_summary_and_the_channel_stays_due():
    chat(10)
    old = summaries.summarize(channel(), now=NOON + minutes(10))
    chat(10, start=11)
    with scripted() as model:
        model.fail("summary")
        assert summaries.summarize_due(now=NOON + minutes(21)) == 0
        model.fail("summary")
        with pytest.raises(ModelFailed):
            summaries.summarize(channel(), now=NOON + minutes(21))
    assert Summary.objects.get(kind="rolling").text == old.text
    assert channel().unsummarized == 10


def test_the_channels_profile_is_renewed_every_six_hours_at_most():
    chat(10)
    summaries.summarize(channel(), now=NOON)
    first = Summary.objects.get(kind="profile").generated_at
    summaries.summarize(channel(), now=NOON + timedelta(hours=5))
    assert Summary.objects.get(kind="profile").generated_at == first
    summaries.summarize(channel(), now=NOON + timedelta(hours=6))
    assert Summary.objects.get(kind="profile").generated_at == NOON + timedelta(hours=6)


def test_a_summary_goes_with_a_message_it_rests_on_and_is_made_anew():
    chat(10)
    summaries.summarize(channel(), now=NOON + minutes(11))
    summaries.withdraw(list(Message.objects.all()[:1]))
    assert not Summary.objects.exists()
    assert summaries.due(NOON + days(1)) == [channel()]
