"""From a message to what was derived from it: the verb, the page, the route."""

import pytest

from memory.facts.lineage import derived_from
from memoryhub.community.models import Guild
from notes.models import Journal, Message, Question
from profiles.relationships import relationship_store
from profiles.relationships.strength import Counts
from tests.api_client import api_for
from tests.factories import (
    NOON,
    make_channel,
    make_entry,
    make_fact,
    make_guild,
    make_member,
    make_message,
    make_note,
    make_summary,
)  # fmt: skip

pytestmark = pytest.mark.django_db


@pytest.fixture
def said() -> Message:
    """A message of Alice to Bob on which something of every kind rests, and another on which as much rests."""
    make_guild(relationships_on=True)
    alice, bob = make_member(name="Alice"), make_member(name="Bob")
    found, other = [make_message(text, author=alice, mentions=["u-bob"]) for text in ("I moved, Bob!", "Tea?")]
    for message, name in ((found, "moving"), (other, "tea")):
        make_fact(f"Fact of {name}.", subject=alice, evidence=[message])
        note = make_note(f"Note of {name}", messages=[message])
        make_note(f"Topic of {name}", kind="topic_cluster").notes.set([note])
        make_entry(f"Line of {name}", member=alice, notes=[note])
        question = Question.objects.create(
            guild=make_guild(), channel=make_channel(), text=f"Which {name}?", asked_at=NOON
        )
        question.messages.set([message])
    make_summary(text="Summary of moving").messages.set([found])
    make_summary(text="Summary of tea", kind="profile").messages.set([other])
    Journal.objects.create(guild=make_guild(), day=NOON.date(), text="")
    counts = {(alice.pk, bob.pk): Counts(mentions=2), (bob.pk, alice.pk): Counts(replies=1)}
    counts[alice.pk, make_member(name="Mallory").pk] = Counts(replies=1)
    relationship_store.set_day(make_channel(), day=NOON.date(), counts=counts)
    return found


def test_all_that_rests_on_a_message_is_found_and_nothing_else(said):
    found = derived_from(said)
    assert [fact.text for fact in found.facts] == ["Fact of moving."]
    assert [note.title for note in (*found.notes, *found.topics)] == ["Note of moving", "Topic of moving"]
    assert [entry.text for entry in found.entries] == ["Line of moving"]
    assert [each.text for each in (*found.summaries, *found.questions)] == ["Summary of moving", "Which moving?"]
    assert found.journal.day == NOON.date()
    assert [(str(day.source), str(day.target)) for day in found.relationship_days] == [("Alice", "Bob")]


def test_the_page_of_a_message_leads_to_each_of_them(admin_client, said, django_assert_max_num_queries):
    with django_assert_max_num_queries(24):
        shown = admin_client.get(f"/messages/{said.pk}/").content.decode()
    for words in ("Fact of moving.", "Note of moving", "Topic of moving", "Line of moving", "Which moving?"):
        assert words in shown
    assert "of tea" not in shown
    assert f"/journals/{said.guild_id}/{NOON.date()}/" in shown
    assert "/graph/pair/?one=" in shown


def test_the_route_tells_the_same(said):
    told = api_for(make_guild(), "read").get(f"discord:1/messages/{said.platform_id}/derived").json()
    assert [fact["text"] for fact in told["facts"]] == ["Fact of moving."]
    assert [(note["text"], note["kind"]) for note in told["notes"]] == [
        ("Note of moving", "conversation"),
        ("Topic of moving", "topic_cluster"),
    ]
    assert [(each["member"], each["text"]) for each in told["entries"]] == [("u-alice", "Line of moving")]
    assert told["relationships"] == [{"source": "u-alice", "target": "u-bob", "date": str(NOON.date())}]
    assert (told["journal"], [each["kind"] for each in told["summaries"]]) == (str(NOON.date()), ["rolling"])


def test_a_private_message_stands_in_no_journal():
    Journal.objects.create(guild=make_guild(), day=NOON.date(), text="")
    assert derived_from(make_message(channel=make_channel(name="crew", private=True))).journal is None


def test_a_message_on_which_nothing_rests_says_so(admin_client):
    assert not derived_from(make_message())
    assert "it has not been read" in admin_client.get(f"/messages/{make_message().pk}/").content.decode()
    gone = make_message("", deleted_at=NOON)
    assert "it was deleted" in admin_client.get(f"/messages/{gone.pk}/").content.decode()


def test_another_guilds_key_finds_no_message(said):
    other = make_guild("discord:2")
    assert api_for(other, "read").get(f"discord:1/messages/{said.platform_id}/derived").status_code == 404
    assert api_for(other, "read").get(f"discord:2/messages/{said.platform_id}/derived").status_code == 404


def test_the_route_names_no_note_and_no_count_of_who_is_not_to_be_remembered(said):
    blocked = Guild.objects.get()
    blocked.blocked = ["u-bob"]
    blocked.save()
    note = said.notes.get()
    found = derived_from(Message.objects.get(pk=said.pk))
    assert (found.notes, found.relationship_days) == ([note], [])
    note.participants.add(make_member(name="Bob"), through_defaults={"guild_id": note.guild_id})
    shown = api_for(blocked).get(f"discord:1/messages/{said.platform_id}/derived").json()
    assert [row["text"] for row in shown["notes"]] == ["Topic of moving"]
    assert [row["text"] for row in shown["entries"]] == ["Line of moving"]
