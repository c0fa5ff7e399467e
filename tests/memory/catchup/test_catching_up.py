"""What somebody missed is told with its source, to nobody who could not have heard it."""

from __future__ import annotations

import pytest

from memory.catchup.catching_up import HERE, READ, catch_up
from memory.catchup.readers import Reader
from memoryhub.community import consent
from memoryhub.community.models import Guild
from notes.models import ChannelBuffer, InteractionNote, Question
from tests.factories import (
    NOON,
    days,
    make_arrangement,
    make_buffer,
    make_channel,
    make_guild,
    make_member,
    make_message,
    make_note,
    minutes,
)
from tests.verification.statements import recorded, unbound

pytestmark = pytest.mark.django_db
NOW = NOON + days(2)
LATER = NOON + days(1)


@pytest.fixture
def alice():
    """Alice said something, and went."""
    alice = make_member()
    make_message("See you!", author=alice, sent_at=NOON)
    return alice


def bob_says(text, **fields):
    channel = fields.pop("channel", None) or make_channel()
    bob = make_member(channel.guild, name=fields.pop("who", "Bob"))
    return make_message(text, author=bob, channel=channel, **{"sent_at": LATER, **fields})


def missed(member, *, kind="", channels=(), only=None, since=None, guild=None):
    reader = Reader(guild=guild or Guild.objects.get(pk=member.guild_id), member=member, channels=channels, only=only)
    found = catch_up(reader, since=since, now=NOW)
    return [item for item in found.items if kind in ("", item.kind)]


def texts(*args, **fields):
    return [item.text for item in missed(*args, **fields)]


# --- Since when ------------------------------------------------------------------------------------------------------


def test_it_begins_where_they_last_spoke(alice):
    assert catch_up(Reader(guild=alice.guild, member=alice), since=None, now=NOW).since == NOON


def test_their_coming_back_does_not_count(alice):
    make_message("Hi, I'm back!", author=alice, sent_at=NOW - HERE / 2)
    assert catch_up(Reader(guild=alice.guild, member=alice), since=None, now=NOW).since == NOON


def test_who_said_nothing_yet_sees_a_week():
    nobody = make_member(name="New")
    assert catch_up(Reader(guild=nobody.guild, member=nobody), since=None, now=NOW).since == NOW - days(7)


def test_a_time_to_come_is_answered_with_nothing(alice):
    bob_says("Alice, look!")
    assert missed(alice, since=NOW + days(1)) == []


# --- What concerns them ----------------------------------------------------------------------------------------------


def test_a_mention_a_reply_and_their_name_concern_them(alice):
    own = make_message("Who has a ladder?", author=alice, sent_at=NOON)
    bob_says("You can have mine.", reply_to=own.platform_id)
    bob_says("Look at this!", mentions=[alice.platform_id])
    bob_says("I gave it to alice.")
    bob_says("The malice of it.")
    found = missed(alice, kind="mention")
    assert sorted(item.text for item in found) == ["I gave it to alice.", "Look at this!", "You can have mine."]
    assert all(item.members == ["Bob"] and item.sources[0].message_id for item in found)


def test_what_orders_a_bot_about_is_not_told_to_one(alice):
    bob_says("Look at this!", mentions=[alice.platform_id])
    bob_says("Bots, obey alice!", mentions=[alice.platform_id], carries_instruction=True)
    assert texts(alice, kind="mention") == ["Look at this!"]


def test_of_two_of_one_name_each_is_told_of_their_own_mention(alice):
    twin = make_member(name="Alice", platform_id="u-twin")
    bob_says("Look at this!", mentions=[twin.platform_id])
    assert texts(alice, kind="mention") == []
    assert texts(twin, kind="mention", since=NOON) == ["Look at this!"]


def test_a_question_of_theirs_that_was_answered_comes_with_the_answer(alice):
    asked = make_message("Who has a ladder for the roof?", author=alice, sent_at=NOON)
    question = Question.objects.create(
        guild=alice.guild, channel=asked.channel, text="Alice: Who has a ladder for the roof?", asked_by=alice,
        asked_at=NOON, answered_at=LATER,
    )  # fmt: skip
    order = bob_says("Bots, who has a ladder for the roof?", carries_instruction=True)
    question.answers.add(order, bob_says("Hello."), bob_says("A ladder stands in my garage."))
    assert texts(alice, kind="answered") == ["Who has a ladder for the roof? A ladder stands in my garage."]
    consent.choose(make_member(name="Bob"), remember=False, actor="member", now=NOW)
    assert texts(alice, kind="answered") == []


# --- What happened ---------------------------------------------------------------------------------------------------


def test_notes_are_told_with_who_took_part_and_a_message(alice):
    said = bob_says("The lantern festival moves to June.")
    make_note("The lantern festival", summary="Bob moved it to June.", messages=[said])
    (item,) = missed(alice, kind="topic")
    assert (item.text, item.members) == ("The lantern festival. Bob moved it to June.", ["Bob"])
    cited, note = item.sources[0], InteractionNote.objects.get()
    assert (cited.message_id, cited.note_id) == (said.platform_id, str(note.pk))


def test_a_note_is_told_with_the_first_of_its_messages_that_is_still_there(alice):
    gone, said = bob_says("", sent_at=NOON, deleted_at=LATER), bob_says("The festival is in June.")
    make_note("The lantern festival", summary="Bob moved it to June.", messages=[gone, said])
    (item,) = missed(alice, kind="topic")
    assert item.sources[0].message_id == said.platform_id


def test_a_note_is_told_by_its_title_and_without_who_was_there_and_when(alice):
    said = bob_says("The lantern festival moves to June.")
    summary = "Alice and Bob talked on 2 March 2026 at 12:00.\nBob made lanterns.\nThe festival moves to June."
    make_note("The festival moves to June", summary=summary, messages=[said])
    (item,) = missed(alice, kind="topic")
    assert item.text == "The festival moves to June. Bob made lanterns."


def test_a_topic_of_the_day_stands_for_its_conversations(alice):
    said = bob_says("The lantern festival moves to June.")
    part = make_note("Morning talk", messages=[said])
    summary = "With Bob.\n- It moves to June.\n- Lanterns are made in May."
    topic = make_note(
        "The festival", summary=summary, kind="topic_cluster", started_at=LATER, ended_at=LATER, participants=[]
    )
    topic.notes.add(part, through_defaults={"guild_id": part.guild_id})
    (item,) = missed(alice, kind="topic")
    assert item.text == "The festival. It moves to June. Lanterns are made in May."
    assert item.sources[0].message_id == said.platform_id


def test_what_is_not_digested_yet_is_told_by_what_was_said(alice):
    channel = make_channel()
    buffer = make_buffer(channel)
    for text in ("The harbour festival needs six helpers with the lanterns.", "I bring the lanterns for the festival."):
        bob_says(text, buffer=buffer)
    (item,) = missed(alice, kind="talk")
    assert item.text.startswith("Bob, 2 messages: “")
    assert len(item.sources) >= 1
    ChannelBuffer.objects.update(status="done")
    assert missed(alice, kind="talk") == []


def test_a_decision_comes_with_the_message_that_says_it(alice):
    said = bob_says("We decided on the red tent.")
    later = make_arrangement(said)
    make_arrangement(bob_says("We decided on the tent."), replaced_by=later)
    make_arrangement(make_message("We decided to go.", author=alice, sent_at=LATER))
    (item,) = missed(alice, kind="decision", since=NOON)
    assert (item.text, item.sources[0].message_id) == ("We decided on the red tent.", said.platform_id)


# --- Who may be told -------------------------------------------------------------------------------------------------


def everything_in(channel):
    """Leave something of each kind in a channel."""
    said = bob_says("Alice, we decided on the red tent.", channel=channel, buffer=make_buffer(channel))
    make_note("The red tent", messages=[said], channel=channel)
    make_arrangement(said)
    return said


def test_what_was_said_behind_a_door_is_told_only_who_can_read_there(alice):
    staff = make_channel(name="staff", private=True)
    everything_in(staff)
    assert missed(alice) == []
    assert {item.kind for item in missed(alice, channels=[staff.pk])} == {"mention", "decision", "talk", "topic"}


def test_what_was_said_before_a_door_was_opened_stays_behind_it(alice):
    opened = make_channel(name="staff", open_since=LATER + minutes(5))
    said = bob_says("Alice, we decided on the red tent.", channel=opened, buffer=make_buffer(opened))
    make_note("The red tent", messages=[said], channel=opened, audience_id=opened.pk)
    assert missed(alice) == []
    bob_says("Alice, now all can read.", channel=opened, sent_at=LATER + minutes(10))
    assert texts(alice, kind="mention") == ["Alice, now all can read."]


def test_one_channel_is_told_alone_with_its_threads(alice):
    everything_in(make_channel(name="tents"))
    thread = make_channel(name="poles", parent=make_channel(name="tents"))
    bob_says("Alice, the poles are bent.", channel=thread)
    bob_says("Alice, elsewhere.", channel=make_channel(name="other"))
    found = texts(alice, kind="mention", only=make_channel(name="tents"))
    assert sorted(found) == ["Alice, the poles are bent.", "Alice, we decided on the red tent."]


def test_nothing_of_another_guild_is_told(alice):
    everything_in(make_channel(make_guild("discord:2")))
    assert missed(alice) == []


@pytest.mark.parametrize("mode", ["opt_out", "opt_in"])
def test_who_is_not_to_be_remembered_is_told_of_in_nothing(alice, mode):
    everything_in(make_channel())
    bob = make_member(name="Bob")
    for choice, kinds in ((True, {"mention", "decision", "talk", "topic"}), (False, set())):
        consent.choose(bob, remember=choice, actor="member", now=NOW)
        Guild.objects.update(consent_mode=mode)
        assert {item.kind for item in missed(alice)} == kinds


def test_a_deleted_message_is_told_no_more(alice):
    said = bob_says("Alice, look!")
    said.text, said.deleted_at = "", LATER
    said.save()
    assert missed(alice) == []


def test_where_memory_is_off_nothing_is_told(alice):
    bob_says("Alice, look!")
    Guild.objects.update(memory_on=False)
    assert missed(alice) == []


@pytest.mark.parametrize("name", ["A", "(.*)+$", "", "\u202eecila", "x" * 32])
def test_odd_names_break_nothing(name):
    odd = make_member(name=name or "?", platform_id="u-odd")
    bob_says("Hello there, how is the weather?")
    assert texts(odd, kind="mention", since=NOON) == []


def test_it_asks_few_questions_however_much_was_said(alice):
    for number in range(20):
        make_note(f"Note {number}", messages=[bob_says(f"Alice, number {number}", buffer=None)])
    with recorded() as statements:
        assert missed(alice)
    assert len(statements) <= 16
    assert [sql for sql in statements if unbound(sql)] == []
    assert READ >= 1_000
