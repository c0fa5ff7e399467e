"""What one call of a model reads: a channel's talk, fair over members, and what failed a member at a time."""

import pytest

from memory.learning import batches
from memoryhub.community.models import Guild
from notes.models import Message
from tests.factories import NOON, make_buffer, make_channel, make_guild, make_member, make_message, minutes
from tests.memory.learning.conftest import BATCH, LATER

pytestmark = pytest.mark.django_db


def said(text="I like tea.", name="Alice", channel="general", **fields):
    guild = make_guild()
    return make_message(text, channel=make_channel(guild, channel), author=make_member(guild, name), **fields)


def waiting(now=LATER, mode=BATCH):
    return [[str(m.author) for m in batch.messages] for batch in batches.waiting(mode, now=now)]


@pytest.fixture
def model(settings):
    settings.MEMORYHUB_MODEL, settings.OPENAI_API_KEY = "openai:small", "test-key"


def test_a_channel_s_talk_is_one_batch_and_another_channel_s_another():
    for name, channel in (("Alice", "general"), ("Bob", "general"), ("Alice", "tea"), ("Alice", "general")):
        said(name=name, channel=channel)
    assert waiting() == [["Alice", "Bob", "Alice"], ["Alice"]]


def test_what_failed_before_comes_last_and_a_member_at_a_time():
    for name in ("Alice", "Bob", "Alice"):
        said(name=name, attempts=1)
    said(name="Charlie")
    assert waiting() == [["Charlie"], ["Alice", "Alice"], ["Bob"]]


def test_nobody_s_flood_holds_the_others_up():
    for _ in range(120):
        said(name="Mallory")
    said(name="Bob")
    [names] = waiting()
    assert (names.count("Mallory"), names.count("Bob")) == (batches.MOST_A_MEMBER, 1)


def test_a_run_takes_the_oldest_and_not_all():
    for number in range(batches.MOST_A_RUN + 10):
        said(name=f"Member {number}")
    found = waiting()
    assert sum(map(len, found)) == batches.MOST_A_RUN
    assert max(map(len, found)) == batches.MOST_A_CALL
    assert "Member 0" in found[0]


def test_members_whose_words_fail_each_time_never_fill_the_run():
    for name in ("Mallory", "Dave", "Erin", "Frank"):
        for _ in range(batches.MOST_A_MEMBER):
            said(name=name, attempts=3, sent_at=NOON - minutes(60))
    said(name="Bob")
    assert waiting()[0] == ["Bob"]


def test_long_messages_make_more_calls_and_the_longest_stands_alone():
    for size in (30_000, 30_000, 5_000, 100_000, 10):
        said("x" * size)
    assert [len(names) for names in waiting()] == [1, 2, 1, 1]


def test_what_is_left_of_a_conversation_is_read_whole():
    buffer = make_buffer(make_channel(make_guild()))
    for number in range(60):
        said(name="Alice" if number % 2 else "Bob", buffer=buffer)
    Message.objects.filter(pk__in=Message.objects.values("pk")[:5]).update(processed_at=NOON)
    Message.objects.filter(pk__in=Message.objects.values("pk")[5:10]).update(parked_at=NOON)
    assert [len(batch.messages) for batch in batches.of_buffer(buffer, now=NOON)] == [50]


def test_a_batch_falls_apart_between_its_members_and_then_within_what_one_said():
    for name in ("Alice", "Bob", "Alice"):
        said(name=name)
    [batch] = batches.waiting(BATCH, now=LATER)
    alice, bob = batch.halves()
    assert [{str(message.author) for message in part.messages} for part in (alice, bob)] == [{"Alice"}, {"Bob"}]
    assert [len(part.messages) for part in alice.halves()] == [1, 1]
    assert [str(member) for member in batch.authors.values()] == ["Alice", "Bob"]


@pytest.mark.parametrize(
    ("spoken", "read"),
    [([-4, -1], False), ([-9, -5], True), ([-16, -9, -1], True), ([-1] * 19, False), ([-1] * 20, True)],
    ids=["a talk that goes on", "a pause", "a long talk", "nearly enough", "enough"],
)
def test_where_calls_cost_a_talk_is_read_when_it_pauses(model, spoken, read):
    for minute in spoken:
        said(sent_at=NOON + minutes(minute))
    assert bool(waiting(NOON)) == read


def test_the_rules_cost_nothing_and_read_at_once():
    said(sent_at=NOON)
    assert waiting(NOON) == [["Alice"]]


def test_a_guild_that_learns_at_each_message_waits_for_no_pause(model):
    Guild.objects.filter(pk=make_guild().pk).update(extraction_mode="message")
    said(sent_at=NOON)
    assert waiting(NOON, Guild.ExtractionMode.MESSAGE) == [["Alice"]]
