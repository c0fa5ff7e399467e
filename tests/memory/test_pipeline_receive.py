"""Receiving: stored once, in order, by consent, without asking a model."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError

from memory import pipeline
from memoryhub import ai
from memoryhub.community import consent
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.search import keywords
from memoryhub.search.scope import Scope
from notes.models import ChannelBuffer, Message
from tests.factories import NOON, make_guild, make_member, minutes
from tests.incoming import NORTH, SOUTH, incoming, north, say

pytestmark = pytest.mark.django_db


def test_a_message_is_stored_with_its_guild_channel_and_author():
    assert say("I live in Toronto.").status == "stored"
    message = Message.objects.get()
    assert (message.guild.name, message.channel.name, str(message.author)) == ("North", "general", "Alice")


def test_the_same_message_again_is_a_duplicate():
    say("I live in Toronto.", id="m-1")
    assert say("I live in Toronto.", id="m-1").status == "duplicate"
    assert Message.objects.count() == 1


def test_a_duplicate_inside_one_batch_is_stored_once():
    answers = pipeline.receive_many([incoming(id="m-1"), incoming(id="m-1")], guild=NORTH, now=NOON)
    assert [answer.status for answer in answers] == ["stored", "duplicate"]


def test_the_same_id_in_another_guild_is_another_message():
    say("one", id="m-1")
    assert say("two", id="m-1", guild=SOUTH).status == "stored"


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\x00"])
def test_a_message_without_text_is_ignored(text):
    answer = say(text)
    assert (answer.status, answer.reason) == ("ignored", "empty")
    assert not Message.objects.exists()


def test_a_member_who_opted_out_leaves_no_trace():
    member = make_member(make_guild(), "Alice")
    consent.choose(member, remember=False, actor="member", now=NOON)
    answer = say("I live in Toronto.")
    assert (answer.status, answer.reason) == ("ignored", "opted_out")
    assert not Message.objects.exists()
    assert not ChannelBuffer.objects.exists()


def test_a_blocked_member_leaves_no_trace_even_if_never_seen_before():
    consent.block(make_guild(), platform_id="u-mallory", blocked=True)
    answer = say("I live in Toronto.", "Mallory")
    assert (answer.status, answer.reason) == ("ignored", "blocked")
    assert not Message.objects.exists()
    assert not ChannelBuffer.objects.exists()
    assert not Member.objects.exists()


def test_a_blocked_members_yes_does_not_lift_the_block():
    consent.choose(make_member(name="Mallory"), remember=True, actor="member", now=NOON)
    consent.block(make_guild(), platform_id="u-mallory", blocked=True)
    assert say("I live in Toronto.", "Mallory").reason == "blocked"


def test_an_edit_by_who_was_blocked_meanwhile_stores_nothing_and_deletes():
    say("I live in Toronto.", "Mallory", id="m-1")
    consent.block(make_guild(), platform_id="u-mallory", blocked=True)
    pipeline.edit(north(), message_id="m-1", text="I live in Lisbon.", now=NOON)
    assert Message.objects.get().text == ""


def test_an_unblocked_member_is_heard_again_and_the_others_stay_blocked():
    for name in ("u-mallory", "u-bob"):
        consent.block(make_guild(), platform_id=name, blocked=True)
    consent.block(make_guild(), platform_id="u-mallory", blocked=False)
    assert say("I live in Toronto.", "Mallory").status == "stored"
    assert say("I live in Toronto.", "Bob").reason == "blocked"


def test_a_block_ends_at_the_guild():
    consent.block(make_guild(), platform_id="u-mallory", blocked=True)
    assert say("I live in Toronto.", "Mallory", guild=SOUTH).status == "stored"


def test_a_bot_on_the_guilds_list_counts_as_a_person_until_it_is_taken_off():
    say("Beep, said before.", "Helper", is_bot=True)
    Guild.objects.update(heard_bots=["u-helper"])
    say("The build of Monday is green.", "Helper", is_bot=True)
    assert [bool(message.buffer) for message in Message.objects.order_by("pk")] == [False, True]
    assert Message.objects.said().count() == 2
    Guild.objects.update(heard_bots=[])
    say("Beep, said after.", "Helper", is_bot=True)
    assert not Message.objects.said().exists()


def test_a_bot_that_is_handed_this_memory_is_never_heard_whatever_the_list_says():
    make_guild(heard_bots=["u-hub"])
    say("As you told me, you live in Toronto.", "Hub", is_own_bot=True)
    say("You live in Toronto, I remember.", "Hub", is_bot=True)
    say("Toronto it is.", "Hub")
    assert not Message.objects.said().exists()
    assert not ChannelBuffer.objects.exists()


def test_the_hubs_own_bot_cannot_be_put_on_the_list():
    guild = make_guild(own_bots=["u-hub"], heard_bots=["u-hub", "u-helper"])
    with pytest.raises(ValidationError, match="never learned from: take u-hub off"):
        guild.full_clean()


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("quiet_minutes", 19, "20 to 60 minutes"),
        ("quiet_minutes", 61, "20 to 60 minutes"),
        ("time_zone", "Mars/Olympus", "no time zone"),
        ("blocked", "u-bob", "Write a list of ids, as text"),
        ("heard_bots", [7], "Write a list of ids, as text"),
        ("blocked", ["u"] * 1001, "At most 1,000 ids"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_in_words(field, value, told):
    guild = make_guild()
    setattr(guild, field, value)
    with pytest.raises(ValidationError, match=told):
        guild.full_clean()


def test_in_an_opt_in_guild_nobody_is_stored_before_saying_yes():
    make_guild(consent_mode=Guild.ConsentMode.OPT_IN)
    assert say("I live in Toronto.").reason == "opted_out"
    assert not Member.objects.exists()
    consent.choose(make_member(name="Alice"), remember=True, actor="member", now=NOON)
    assert say("I live in Toronto.").status == "stored"


def test_nothing_is_stored_while_the_guilds_memory_is_off():
    make_guild(memory_on=False)
    assert say("I live in Toronto.").reason == "memory_off"


def test_nothing_is_stored_in_a_channel_whose_memory_is_off():
    say("first")
    Channel.objects.update(memory_on=False)
    assert say("second").reason == "channel_off"


@pytest.mark.parametrize("named", [{"parent_id": "c-general"}, {}])
def test_a_thread_has_no_memory_where_its_channel_has_none(named):
    said = {"id": "t-1", "name": "a thread", "kind": "thread"}
    say("first", channel={**said, "parent_id": "c-general"})
    Channel.objects.filter(platform_id="c-general").update(memory_on=False)
    assert say("second", channel={**said, **named}).reason == "channel_off"
    assert say("third", channel={**said, "id": "t-2", "parent_id": "c-general"}).reason == "channel_off"


def test_a_message_from_the_future_was_sent_now():
    say("hello there", at=NOON + timedelta(days=900), now=NOON)
    assert Message.objects.get().sent_at == NOON


def test_a_bots_words_are_kept_but_never_digested_nor_found():
    say("I live in Toronto.", "Helper", is_bot=True)
    message = Message.objects.get()
    assert message.buffer is None
    assert message.processed_at is not None
    assert keywords.search(kind="message", query="Toronto", scope=Scope(guild=north().pk, audiences=[0]), limit=5) == []


def test_a_message_is_found_by_its_words_at_once():
    say("I live in Toronto.")
    found = keywords.search(kind="message", query="toronto", scope=Scope(guild=north().pk, audiences=[0]), limit=5)
    assert [match.id for match in found] == [Message.objects.get().pk]


def test_no_model_is_asked(monkeypatch):
    monkeypatch.setattr(ai, "ask", None)
    assert say("I live in Toronto.").status == "stored"


def test_nothing_of_a_batch_is_stored_when_one_message_breaks_it(monkeypatch):
    monkeypatch.setattr(pipeline.writing, "index_new_messages", lambda rows: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        pipeline.receive_many([incoming(), incoming()], guild=NORTH, now=NOON)
    assert not Message.objects.exists()
    assert not ChannelBuffer.objects.exists()


@pytest.mark.parametrize(
    ("channel", "audience"),
    [
        ({"id": "c"}, "guild"),
        ({"id": "c", "audience": "channel"}, "channel"),
        ({"id": "c", "kind": "direct"}, "channel"),
        ({"id": "c", "kind": "thread"}, "channel"),  # of an unknown parent: unknown means narrow
        ({"id": "c", "kind": "thread", "parent_id": "p"}, "guild"),
    ],
)
def test_a_new_channel_has_the_audience_that_its_door_or_kind_gives(channel, audience):
    say("first, so that the guild is a community")
    say("hello", channel=channel)
    assert Channel.objects.get(platform_id="c").audience == audience


def test_a_thread_of_a_private_channel_is_private():
    say("psst", channel={"id": "p", "audience": "channel"})
    say("hello", channel={"id": "t", "kind": "thread", "parent_id": "p"})
    assert Channel.objects.get(platform_id="t").audience == "channel"


def test_a_later_message_may_close_a_channel():
    say("hello", channel={"id": "c", "name": "staff"})
    say("hello", channel={"id": "c", "audience": "channel"})
    channel = Channel.objects.get(platform_id="c")
    assert (channel.audience, channel.name) == ("channel", "staff")


def test_a_guild_whose_first_channel_is_direct_is_a_direct_line():
    say("hello", channel={"id": "c", "kind": "direct"}, guild=NORTH)
    assert north().kind == "direct"
    assert Channel.objects.get().audience == "guild"


def test_a_guild_made_for_its_key_becomes_a_direct_line_with_its_first_message():
    make_guild()
    say("hello", channel={"id": "c", "kind": "direct"})
    assert (north().kind, Channel.objects.get().audience) == ("direct", "guild")


def test_a_community_stays_one_whatever_is_said_to_it_directly():
    say("hello")
    say("hello", channel={"id": "c", "kind": "direct"})
    assert north().kind == "community"


def test_a_member_keeps_the_newest_name():
    say("one")
    pipeline.receive(incoming(author="Alice", at=NOON), guild=NORTH, now=NOON)
    renamed = incoming("two").model_copy(deep=True)
    renamed.author.display_name = "Alicia"
    pipeline.receive(renamed, guild=NORTH, now=NOON)
    assert str(Member.objects.get()) == "Alicia"


def test_a_batch_costs_a_bounded_number_of_queries(django_assert_max_num_queries):
    say("warm up")
    with django_assert_max_num_queries(40):
        pipeline.receive_many([incoming(at=NOON + minutes(n / 100)) for n in range(90)], guild=NORTH, now=NOON)
