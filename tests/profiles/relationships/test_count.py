"""Counting by channel and day: replies, mentions, conversations, minutes of voice; and the way back to the messages."""

from datetime import timedelta

import pytest

from memory import pipeline
from memory.withdrawal import withdraw
from memoryhub.community.models import Guild
from notes.models import Message
from profiles.models import RelationshipDay
from profiles.relationships import count
from profiles.relationships.evidence import encounters_of_pair
from tests.factories import NOON, make_buffer, make_channel, make_guild, make_member, make_message, make_note, minutes
from tests.incoming import say

pytestmark = pytest.mark.django_db
TODAY = NOON.date()


@pytest.fixture(autouse=True)
def guild():
    return make_guild(relationships_on=True)


@pytest.fixture
def alice():
    return make_member(name="Alice")


@pytest.fixture
def bob():
    return make_member(name="Bob")


def counted(day=TODAY, channel=None):
    """Count the day and return the rows as (source, target, replies, mentions, together, minutes)."""
    count.count_day(channel or make_channel(), day=day)
    rows = RelationshipDay.objects.order_by("source__name", "target__name")
    return [(str(r.source), str(r.target), r.replies, r.mentions, r.together, r.voice_minutes) for r in rows]


def test_a_reply_and_a_mention_count_towards_the_one_they_go_to(alice, bob):
    make_message("Hello.", author=alice, platform_id="m-a")
    make_message("Hello Alice.", author=bob, reply_to="m-a")
    make_message("Look, Alice.", author=bob, mentions=["u-alice", "u-alice"])
    assert counted() == [("Bob", "Alice", 1, 1, 0, 0)]


def test_counting_again_adds_nothing_and_what_is_gone_is_no_longer_counted(alice, bob):
    make_message("Hello.", author=alice, platform_id="m-a")
    reply = make_message("Hello Alice.", author=bob, reply_to="m-a")
    assert counted() == counted() == [("Bob", "Alice", 1, 0, 0, 0)]
    Message.objects.filter(pk=reply.pk).update(text="", deleted_at=NOON, mentions=[])
    assert counted() == []


def test_a_conversation_whose_guild_switched_its_graph_off_meanwhile_is_not_counted(alice, bob):
    make_message("Hello.", author=alice, platform_id="m-a")
    reply = make_message("Hello Alice.", author=bob, reply_to="m-a")
    talk = make_buffer(reply.channel, opened_at=NOON, last_message_at=NOON)
    assert count.count_buffer(talk) == 1
    Guild.objects.update(relationships_on=False)
    RelationshipDay.objects.all().delete()
    assert count.count_buffer(talk) == 0
    assert not RelationshipDay.objects.exists()


def test_answering_and_naming_oneself_counts_nothing(alice):
    make_message("Hello.", author=alice, platform_id="m-a")
    make_message("And another thing.", author=alice, reply_to="m-a", mentions=["u-alice", "u-nobody"])
    assert counted() == []


def test_bots_are_nobodys_friends(alice):
    bot = make_member(name="Helper", is_bot=True)
    make_message("Hello.", author=bot, platform_id="m-b")
    make_message("Thanks.", author=alice, reply_to="m-b", mentions=["u-helper"])
    make_message("You are welcome.", author=bot, mentions=["u-alice"])
    make_note(participants=[alice, bot])
    assert counted() == []


def test_somebody_who_opted_out_is_not_counted(alice, bob):
    make_message("Hello.", author=alice, platform_id="m-a")
    make_message("Hello Alice.", author=bob, platform_id="m-b", reply_to="m-a", mentions=["u-alice"])
    make_message("Hello Bob.", author=alice, reply_to="m-b", mentions=["u-bob"])
    make_note(participants=[alice, bob])
    bob.remember = False
    bob.save()
    assert counted() == []


def test_those_who_took_part_in_a_conversation_were_together(alice, bob):
    make_note(participants=[alice, bob])
    make_note("A topic", kind="topic_cluster", participants=[alice, bob])
    assert counted() == [("Alice", "Bob", 0, 0, 1, 0), ("Bob", "Alice", 0, 0, 1, 0)]


def test_being_in_a_crowd_says_nothing():
    make_note(participants=[make_member(name=f"Member{n}") for n in range(count.MOST_TOGETHER + 1)])
    assert counted() == []


def test_a_day_begins_at_the_guilds_midnight(guild, alice, bob):
    guild.time_zone = "Pacific/Auckland"
    guild.save()
    channel = make_channel()
    make_message("Hello.", author=alice, platform_id="m-a", sent_at=NOON)
    make_message("Hello Alice.", author=bob, reply_to="m-a", sent_at=NOON)  # one in the morning there
    assert counted(TODAY, channel) == []
    assert len(counted(TODAY + timedelta(days=1), channel)) == 1


def test_a_message_at_midnight_belongs_to_one_day_only(alice, bob):
    midnight = NOON.replace(hour=0)
    make_message("Hello.", author=alice, platform_id="m-a", sent_at=midnight)
    make_message("Hello Alice.", author=bob, reply_to="m-a", sent_at=midnight)
    assert counted(TODAY - timedelta(days=1)) == []
    assert len(counted(TODAY)) == 1


def test_each_channel_is_counted_for_itself(alice, bob):
    staff = make_channel(name="staff", private=True)
    for channel in (make_channel(), staff):
        hello = make_message("Hello.", author=alice, channel=channel)
        make_message("Hello Alice.", author=bob, channel=channel, reply_to=hello.platform_id)
        count.count_day(channel, day=TODAY)
    assert {str(row.channel): row.replies for row in RelationshipDay.objects.all()} == {"#general": 1, "#staff": 1}


def test_nothing_is_counted_while_the_graph_is_off(guild, alice, bob):
    make_note(participants=[alice, bob])
    assert counted()
    guild.relationships_on = False
    guild.save()
    assert counted(channel=make_channel()) == []


def speak(author, minute):
    return make_message("Well, as I said.", author=author, source="voice", sent_at=NOON + minutes(minute))


def test_minutes_of_voice_are_those_in_which_both_were_there(alice, bob):
    for author, minute in ((alice, 0), (alice, 4), (bob, 6), (alice, 10), (bob, 14), (alice, 15), (bob, 18)):
        speak(author, minute)
    assert counted() == [("Alice", "Bob", 0, 0, 0, 9), ("Bob", "Alice", 0, 0, 0, 9)]


def test_a_silence_ends_the_round_and_each_round_that_two_shared_counts_a_minute_at_least(alice, bob):
    for author, minute in ((alice, 0), (bob, 1), (alice, 30), (bob, 60), (alice, 61)):
        speak(author, minute)
    assert [row[-1] for row in counted()] == [2, 2]


def test_written_messages_are_no_voice(alice, bob):
    make_message("Hello.", author=alice)
    make_message("Hello.", author=bob)
    assert counted() == []


def test_from_a_count_one_walks_to_the_messages_and_notes_it_rests_on(alice, bob):
    mallory = make_member(name="Mallory")
    first = make_message("Hello.", author=alice)
    reply = make_message("Hello Alice.", author=bob, reply_to=first.platform_id)
    named = make_message("Look, Bob.", author=alice, mentions=["u-bob"])
    make_message("Hello Bob.", author=mallory, mentions=["u-bob"])
    spoken = [speak(alice, 100), speak(bob, 101)]
    speak(mallory, 200)
    note = make_note(participants=[alice, bob])
    make_note("Without Bob", participants=[alice, mallory])
    count.count_day(make_channel(), day=TODAY)
    (found,) = encounters_of_pair(bob, alice)
    assert (found.day, str(found.channel)) == (TODAY, "#general")
    assert found.messages == [reply, named, *spoken]
    assert found.notes == [(note.pk, note.title, note.ended_at)]


def test_the_walk_meets_nothing_deleted_and_no_note_with_somebody_who_opted_out(alice, bob):
    named = make_message("Look, Bob.", author=alice, mentions=["u-bob"])
    make_message("", author=alice, mentions=["u-bob"], deleted_at=NOON)
    note = make_note(participants=[alice, bob])
    make_note("What Carol told", participants=[alice, bob, make_member(name="Carol", remember=False)])
    count.count_day(make_channel(), day=TODAY)
    (found,) = encounters_of_pair(bob, alice)
    assert (found.messages, [each.pk for each in found.notes]) == ([named], [note.pk])


def test_the_walk_stays_within_an_audience(alice, bob):
    staff = make_channel(name="staff", private=True)
    make_message("Look, Bob.", author=alice, channel=staff, mentions=["u-bob"])
    count.count_day(staff, day=TODAY)
    days = RelationshipDay.objects.of(make_guild())
    assert encounters_of_pair(alice, bob, rows=days.heard_in(None)) == []
    assert len(encounters_of_pair(alice, bob, rows=days.heard_in(staff))) == 1


def test_a_deleted_reply_is_counted_no_longer_at_once(alice, bob):
    hello = make_message("Hello.", author=alice)
    reply = make_message("Hello Alice.", author=bob, reply_to=hello.platform_id)
    assert counted()
    pipeline.delete(make_guild(), message_ids=[reply.platform_id], now=NOON)
    assert not RelationshipDay.objects.exists()


def test_a_forgotten_note_is_counted_no_longer_at_once(alice, bob):
    note = make_note(participants=[alice, bob])
    assert counted()
    withdraw.forget_note(note, actor="operator:olga", now=NOON)
    assert not RelationshipDay.objects.exists()


def test_minutes_spoken_together_come_from_a_transcript_that_is_handed_in():
    lounge = {"id": "v1", "name": "Lounge", "kind": "voice"}
    for number, (author, minute) in enumerate([("Alice", 0), ("Bob", 1), ("Alice", 4), ("Bob", 6)]):
        words = f"So this is what I wanted to tell you about the boat, part {number}."
        say(words, author, id=f"voice:call-88:{number}", channel=lounge, source="voice", at=NOON + minutes(minute))
    say("The same again.", "Bob", id="voice:call-88:3", channel=lounge, source="voice", at=NOON + minutes(6))
    pipeline.digest(None, now=NOON + minutes(60))
    rows = RelationshipDay.objects.order_by("source")
    assert [(str(row.source), row.voice_minutes, row.together) for row in rows] == [("Alice", 3, 1), ("Bob", 3, 1)]
    assert len(encounters_of_pair(rows[0].source, rows[0].target)[0].messages) == 4
