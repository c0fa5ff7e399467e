"""Pages of channels: what each is about, what it left open, what can be done there, and for whom."""

import pytest
from django.contrib.auth.models import User

from memoryhub.ai import ModelFailed
from memoryhub.community.models import Channel
from memoryhub.models import Role
from notes.models import ChannelBuffer, Summary
from notes.summaries import summarize
from tests.factories import (
    NOON,
    days,
    make_buffer,
    make_channel,
    make_guild,
    make_member,
    make_message,
    make_note,
    make_summary,
)  # fmt: skip
from tests.incoming import say
from tests.scripted import ASKED

pytestmark = pytest.mark.django_db


def page(client, path, **query):
    answer = client.get(path, query)
    assert answer.status_code == 200
    return answer.content.decode()


def of(channel, deed=""):
    return f"/channels/{channel.pk}/{deed}"


@pytest.fixture
def moderator(client):
    """Return somebody who moderates the northern guild only."""
    mona = User.objects.create_user("mona")
    Role.objects.create(user=mona, kind=Role.Kind.MODERATOR).guilds.set([make_guild()])
    client.force_login(mona)
    return client


def test_channels_are_listed_with_what_they_are_about(admin_client):
    make_summary(make_channel(), "They build a boat.")
    make_message(channel=make_channel())
    make_channel(name="staff", private=True, memory_on=False, last_error="It failed.")
    text = page(admin_client, "/channels/")
    assert all(words in text for words in ("They build a boat.", "Private", "Memory off", "The last summary failed"))


def test_the_channel_talked_in_last_stands_first(admin_client):
    for name, day in (("old", 1), ("new", 3), ("middle", 2)):
        make_message(channel=make_channel(name=name), sent_at=NOON.replace(day=day))
    text = page(admin_client, "/channels/")
    assert text.index("#new") < text.index("#middle") < text.index("#old")


def test_channels_are_found_by_a_part_of_their_name(admin_client):
    make_channel(name="boats"), make_channel(name="cats")
    text = page(admin_client, "/channels/", q="OAT")
    assert "#boats" in text
    assert "#cats" not in text


def test_there_are_as_many_pages_as_it_takes(admin_client):
    for number in range(35):
        make_channel(name=f"room-{number:02}")
    first = page(admin_client, "/channels/")
    assert "Older" in first
    answer = admin_client.get("/channels/", headers={"HX-Request": "true"})
    assert b"<html" not in answer.content


def test_a_channel_shows_both_summaries_its_lists_and_its_messages(admin_client):
    said = make_message("We start on Sunday.")
    rolling = make_summary(
        text="They build a boat.", topics=["planks"], decisions=["Start on Sunday"], glossary=["U: you"]
    )
    rolling.messages.add(said)
    make_summary(text="A shed for boats.", kind="profile")
    text = page(admin_client, of(make_channel()))
    assert all(
        words in text
        for words in ("They build a boat.", "planks", "Start on Sunday", "U: you", "A shed for boats.", said.text)
    )


def test_of_topics_and_who_spoke_of_them_one_is_shown(admin_client):
    make_summary(text="They build a boat.", topics=["planks"], threads=["Alice and Bob: planks"])
    text = page(admin_client, of(make_channel()))
    assert text.count("planks") == 1
    assert "Alice and Bob: planks" in text


def test_a_channel_lists_the_questions_it_left_open_with_their_messages(admin_client):
    say("When does the next raid start?", "Bob", id="m-1", at=NOON)
    channel = Channel.objects.get()
    summarize.summarize(channel, now=NOON)
    text = page(admin_client, of(channel))
    assert "Bob: When does the next raid start?" in text
    assert f"/messages/{channel.messages.get().pk}/" in text


def test_a_channel_shows_its_open_conversation_and_what_waits(admin_client):
    make_buffer(message_count=7)
    make_buffer(status="parked", last_error="The model is away.", message_count=3)
    text = page(admin_client, of(make_channel()))
    assert "End it now" in text
    assert "The model is away." in text


def test_a_channel_shows_who_writes_there_how_much_and_what_happened(admin_client):
    for number in range(3):
        make_message(author=make_member(name="Alice"), sent_at=NOON.replace(day=number + 1))
    make_note("Moving house", messages=[make_message(author=make_member(name="Bob"))])
    text = page(admin_client, of(make_channel()))
    who = text.split('aria-label="Who writes here"')[1].split("</ul>")[0]
    assert who.index("Alice") < who.index("Bob")
    assert "Messages by day by day: 4 in all" in text
    assert "Moving house" in text
    assert f"/notes/?channel={make_channel().pk}" in text


def test_a_description_that_is_a_list_reads_as_one(admin_client):
    make_summary(kind="profile", text="Regulars: Alice; Bob\nThey said: we sail.")
    text = page(admin_client, of(make_channel()))
    assert "<h3>Regulars</h3>" in text
    assert "Alice, Bob" in text
    assert "They said: we sail." in text


def test_a_full_channel_asks_few_questions(admin_client, django_assert_max_num_queries):
    for number in range(20):
        said = make_message(author=make_member(name=f"Member {number}"))
        make_note(f"Note {number}", messages=[said])
    page(admin_client, of(make_channel()))  # the look is written to the audit log once
    with django_assert_max_num_queries(22):
        page(admin_client, of(make_channel()))


def test_a_summary_is_written_at_once_when_asked_and_confirmed(admin_client):
    make_message("The boat needs planks and paint.")
    channel = make_channel()
    assert "Summarise this channel now?" in page(admin_client, of(channel, "summarize/"))
    assert not Summary.objects.exists()
    answer = admin_client.post(of(channel, "summarize/"), follow=True)
    assert "The summary is written anew." in answer.content.decode()
    assert Summary.objects.filter(channel=channel).count() == 2


def test_a_failing_model_is_told_on_the_page(admin_client, monkeypatch):
    def fail(*_, **__):
        raise ModelFailed("unavailable")

    monkeypatch.setattr(ASKED, fail)
    make_message("The boat needs planks and paint.")
    answer = admin_client.post(of(make_channel(), "summarize/"), follow=True)
    assert "overloaded. What was written before stays." in answer.content.decode()


def test_a_conversation_is_ended_when_asked_and_confirmed(admin_client):
    buffer = make_buffer()
    page(admin_client, of(buffer.channel, "flush/"))
    assert ChannelBuffer.objects.get().status == "open"
    admin_client.post(of(buffer.channel, "flush/"))
    assert ChannelBuffer.objects.get().status == "closed"


def test_a_thread_says_that_the_memory_of_its_channel_is_off(admin_client):
    thread = make_channel(name="thread", kind="thread", parent=make_channel(memory_on=False))
    shown = page(admin_client, of(thread))
    assert "Nothing that is said here is remembered: the memory of its channel, #general, is off." in shown
    assert "Memory off" in shown


def test_memory_is_switched_off_and_on(admin_client):
    channel = make_channel()
    for on in (False, True):
        admin_client.post(of(channel, "memory/"))
        assert Channel.objects.get().memory_on is on


def test_a_deed_asks_in_a_dialog_for_htmx(admin_client):
    answer = admin_client.get(of(make_channel(), "flush/"), headers={"HX-Request": "true"})
    assert b"<html" not in answer.content
    assert b"End this conversation now?" in answer.content


def test_a_moderator_sees_the_channels_of_their_guilds_only(moderator):
    other = make_channel(make_guild("discord:2"), name="hidden")
    make_channel(name="shown")
    text = page(moderator, "/channels/")
    assert "#shown" in text
    assert "#hidden" not in text
    for deed in ("", "summarize/", "flush/", "memory/"):
        assert moderator.get(of(other, deed)).status_code == 404
        assert deed == "" or moderator.post(of(other, deed)).status_code == 404


def test_an_auditor_reads_and_changes_nothing(client):
    ada = User.objects.create_user("ada")
    Role.objects.create(user=ada, kind=Role.Kind.AUDITOR).guilds.set([make_guild()])
    client.force_login(ada)
    channel = make_buffer().channel
    text = page(client, of(channel))
    assert "Summarise now" not in text
    assert "End it now" not in text
    for deed in ("summarize/", "flush/", "memory/"):
        assert client.post(of(channel, deed)).status_code == 403


def test_the_list_asks_as_much_for_one_channel_as_for_many(admin_client, django_assert_max_num_queries):
    for number in range(20):
        make_note(channel=make_channel(name=f"room-{number}"), participants=[make_member()])
    with django_assert_max_num_queries(12):
        page(admin_client, "/channels/")


def test_a_switch_of_memory_is_undone_from_its_message_unless_it_stands_otherwise(admin_client):
    general = make_channel()
    switched = admin_client.post(of(general, "memory/"), follow=True).content.decode()
    assert f'action="{of(general, "memory/")}"' in switched
    assert 'name="stands" value="off"' in switched
    undone = admin_client.post(of(general, "memory/"), {"stands": "off"}, follow=True).content.decode()
    assert Channel.objects.get().memory_on
    assert 'name="stands"' not in undone
    again = admin_client.post(of(general, "memory/"), {"stands": "off"}, follow=True).content.decode()
    assert "changed it meanwhile" in again
    assert Channel.objects.get().memory_on


def test_what_can_not_be_taken_back_offers_no_undo(admin_client):
    say("Anybody there?")
    general = Channel.objects.get()
    assert 'name="stands"' not in admin_client.post(of(general, "flush/"), follow=True).content.decode()


def test_what_the_summary_said_before_is_told_newest_first(admin_client):
    general = make_channel()
    make_summary(general, text="They plan the launch.", to_at=NOON)
    for number in (1, 2):
        text = f"Talk {number} was of <b>planks</b>."
        make_summary(general, kind="past", text=text, to_at=NOON - days(3 - number))
    text = page(admin_client, of(general))
    assert "What it said before: 2 earlier talks" in text
    assert text.index("Talk 2 was of &lt;b&gt;planks") < text.index("Talk 1 was of &lt;b&gt;planks")
    assert text.index("They plan the launch.") < text.index("Talk 2")
