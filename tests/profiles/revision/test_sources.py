"""A talk that is too short for a note still tells what somebody is like: its lines rest on the messages themselves."""

from __future__ import annotations

import pytest
from django.urls import reverse

from memory import pipeline
from memory.models import Fact
from memory.withdrawal.close_channel import change_audience
from memoryhub.community.models import Channel, Member
from notes.messages.schemas import GuildRef, IncomingMessage
from notes.models import InteractionNote
from profiles.models import EntrySource, Profile, ProfileEntry
from profiles.revision import rules
from profiles.revision.schemas import ProfileFact, RevisionInput, StoredEntry
from profiles.revision.visible_entries import entries_for
from tests.api_client import api_for
from tests.factories import NOON, minutes
from tests.incoming import north, say

pytestmark = pytest.mark.django_db
LATER = NOON + minutes(60)


def meet(**fields) -> None:
    say("My name is John, and I like sci-fi.", "John", id="m-john", **fields)
    say("Nice to meet you, John!", "Hubert", at=NOON + minutes(1), is_bot=True, **fields)
    pipeline.digest(None, now=LATER)


def test_a_short_talk_gives_lines_and_a_summary_without_a_note():
    meet()
    assert not InteractionNote.objects.exists()
    assert [entry.text for entry in ProfileEntry.objects.all()] == ["Is called John", "Likes sci-fi"]
    assert {source.message.platform_id for source in EntrySource.objects.all()} == {"m-john"}
    assert Profile.objects.get().summary == "John likes sci-fi."


def test_the_example_of_the_readme_makes_a_profile():
    message = {
        "message_id": "m-1", "channel": {"id": "line", "kind": "direct"}, "author": {"id": "u1", "name": "alice"},
        "text": "I moved to Toronto last spring", "sent_at": "2026-02-23T19:04:00Z",
    }  # fmt: skip
    pipeline.receive(IncomingMessage.model_validate(message), guild=GuildRef(key="sms:+15550100"), now=NOON)
    pipeline.digest(None, now=LATER)
    assert "Toronto" in Profile.objects.get().summary
    assert [source.title for source in EntrySource.objects.all()] == ["A message"]


def test_the_line_goes_with_its_message():
    meet()
    pipeline.delete(north(), message_ids=["m-john"], now=LATER)
    assert not ProfileEntry.objects.exists()
    assert Profile.objects.get().summary == ""


def test_what_a_model_wrote_of_it_goes_with_the_message_too():
    meet()
    ProfileEntry.objects.filter(section="bio").delete()
    ProfileEntry.objects.update(text="A fan of science fiction", normalized="x", written_by="model")
    pipeline.delete(north(), message_ids=["m-john"], now=LATER)
    assert not ProfileEntry.objects.exists()


def test_what_was_said_in_a_closed_channel_is_told_only_there():
    meet(channel={"id": "c-staff", "name": "staff", "audience": "channel"})
    staff, john = Channel.objects.get(), [Member.objects.get(platform_id="u-john")]
    assert entries_for(north(), john, channel=None) == []
    assert [entry.audience for entry in entries_for(north(), john, channel=staff)] == [staff, staff]


def test_the_line_is_narrowed_with_the_channel_that_it_comes_from():
    meet()
    channel = Channel.objects.get()
    change_audience(channel, "channel", now=LATER)
    assert [entry.audience for entry in ProfileEntry.objects.all()] == [channel, channel]


def test_a_refused_line_does_not_come_back_from_the_same_message():
    meet()
    ProfileEntry.objects.filter(section="bio").delete()
    ProfileEntry.objects.update(status="refused", refused_at=LATER)
    say("I really like sci-fi", "John", at=NOON - minutes(200), now=LATER)
    pipeline.digest(None, now=LATER + minutes(60))
    assert [entry.status for entry in ProfileEntry.objects.filter(text="Likes sci-fi")] == ["refused"]


def test_a_talk_that_is_still_going_has_no_lines_of_its_own():
    say("My name is John, and I like sci-fi.", "John")
    pipeline.learn_waiting("batch", now=NOON + minutes(6))
    pipeline.tick(now=NOON + minutes(7))
    assert Fact.objects.exists()
    assert not ProfileEntry.objects.exists()


def test_the_api_shows_the_message_that_a_line_rests_on():
    meet()
    [line] = api_for(north()).get("discord:1/members/u-john/profile").json()["sections"]["interests"]
    assert line["text"] == "Likes sci-fi"
    assert line["sources"] == [{"note_id": None, "message_id": "m-john", "title": "A message", "date": "2026-03-02"}]


def test_the_page_of_the_member_links_the_message_that_a_line_rests_on(client, django_user_model):
    meet()
    client.force_login(django_user_model.objects.create_superuser("olga"))
    page = client.get(reverse("member", args=[Member.objects.get(platform_id="u-john").pk])).content.decode()
    assert reverse("message", args=[EntrySource.objects.first().message_id]) in page


def test_beside_the_lines_of_a_model_stands_what_it_has_not_seen_yet():
    entry = StoredEntry(section="bio", text="Lives by the sea in Porto", notes=[3], id=1, by_model=True)
    facts = [ProfileFact(text="Lives in Porto.", notes=[3]), ProfileFact(text="Likes sci-fi.", notes=[-7])]
    given = RevisionInput(member="John", entries=[entry], facts=facts)
    assert [e.text for e in rules.revise(given).entries] == ["Lives by the sea in Porto", "Likes sci-fi"]
    entry.notes.append(-7)
    assert [e.text for e in rules.revise(given).entries] == ["Lives by the sea in Porto"]
