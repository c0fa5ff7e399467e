"""A flood costs what the guild's budget allows, and nobody else waits for it."""

import pytest

from memory import pipeline
from memory.learning import batches
from memory.models import Action, Fact
from memory.records import skipped
from memoryhub.community.models import Guild
from notes.models import ChannelBuffer, Message
from tests.factories import NOON, make_guild, minutes
from tests.incoming import NORTH, SOUTH, incoming, north, say
from tests.scripted import scripted

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def small_budget():
    make_guild(member_hourly=3)


def flood(count, **fields):
    messages = [incoming(f"Spam number {n}, and more of it.", "Mallory", **fields) for n in range(count)]
    return pipeline.receive_many(messages, guild=NORTH, now=NOON + minutes(1))


def test_what_is_above_the_budget_is_stored_and_read_by_nobody():
    assert {answer.status for answer in flood(10)} == {"stored"}
    assert Message.objects.count() == 10
    assert Message.objects.filter(processed_at=None).exclude(buffer=None).count() == 3
    assert ChannelBuffer.objects.get().message_count == 3
    assert [(each.reason, each.count) for each in skipped.counts_since(NOON.date())] == [("flood", 7)]


def test_messages_that_come_one_by_one_are_counted_all_the_same():
    for number in range(5):
        say(f"Spam number {number}.", "Mallory", at=NOON + minutes(number))
    assert Message.objects.filter(processed_at=None).count() == 3


def test_the_action_log_names_who_floods_once():
    flood(5), flood(5)
    assert Action.objects.get(kind="flood").detail["read"] == 3


def test_nobody_else_waits_for_it():
    flood(50)
    say("I moved to Toronto last spring.", "Alice", at=NOON + minutes(2))
    (batch,) = batches.waiting(Guild.ExtractionMode.BATCH, now=NOON + minutes(30))
    assert sorted(str(message.author) for message in batch.messages) == ["Alice", "Mallory", "Mallory", "Mallory"]


def test_a_flood_costs_no_more_calls_than_its_budget():
    def calls(most):
        Guild.objects.update(member_hourly=most)
        flood(250, at=NOON + minutes(1), channel=f"c{most}")
        with scripted() as model:
            pipeline.digest(north(), now=NOON + minutes(60))
        return len(model.asked)

    assert calls(None) > 3 * calls(3)


def test_the_next_hour_is_read_again():
    flood(10)
    say("I moved to Toronto last spring.", "Mallory", at=NOON + minutes(60))
    pipeline.digest(north(), now=NOON + minutes(90))
    assert Fact.objects.get().text == "Moved to Toronto in spring 2025."


def test_an_import_is_read_whole():
    flood(10, source="import")
    assert Message.objects.filter(processed_at=None).count() == 10


def test_an_edit_does_not_smuggle_a_message_past_the_budget():
    flood(5)
    last = Message.objects.filter(buffer=None).first()
    pipeline.edit(north(), message_id=last.platform_id, text="I moved to Rome.", now=NOON + minutes(5))
    last.refresh_from_db()
    assert last.processed_at is not None
    assert last.text == "I moved to Rome."


def test_without_a_budget_all_is_read():
    Guild.objects.update(member_hourly=None)
    flood(10)
    assert Message.objects.filter(processed_at=None).count() == 10


def test_another_guild_s_flood_is_its_own():
    flood(10)
    say("Hello there, I live in Oslo.", "Mallory", guild=SOUTH)
    assert Message.objects.filter(guild__key="discord:2", processed_at=None).count() == 1
