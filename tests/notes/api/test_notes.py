from datetime import date

import pytest

from memoryhub.community.models import Guild
from profiles.models import ProfileEntry
from tests.api_client import api_for
from tests.factories import (
    make_channel,
    make_entry,
    make_guild,
    make_member,
    make_message,
    make_note,
    make_profile,
)  # fmt: skip

pytestmark = pytest.mark.django_db


@pytest.fixture
def api():
    return api_for(make_guild())


def titles(api, **filters):
    return [note["title"] for note in api.get("discord:1/notes", **filters).json()["items"]]


def test_notes_are_listed_the_newest_first(api):
    for title in ("First", "Second"):
        make_note(title)
    assert titles(api) == ["Second", "First"]


def test_a_note_says_who_took_part_and_who_may_know(api):
    private = make_channel(name="staff", private=True)
    make_note("Plans", channel=private, participants=[make_member(name="Alice")])
    note = api.get("discord:1/notes").json()["items"][0]
    assert (note["channel"], note["audience"]) == ("c-staff", "c-staff")
    assert note["participants"] == [{"id": "u-alice", "name": "Alice"}]


def test_notes_are_narrowed_by_kind_member_channel_and_days(api):
    alice, bob = make_member(name="Alice"), make_member(name="Bob")
    make_note("Cats", participants=[alice], note_date=date(2026, 3, 1))
    make_note("Dogs", participants=[bob], note_date=date(2026, 3, 2), channel=make_channel(name="pets"))
    make_note("Animals", participants=[alice, bob], kind="topic_cluster", note_date=date(2026, 3, 3))
    assert titles(api, kind="topic_cluster") == ["Animals"]
    assert titles(api, member="u-bob") == ["Animals", "Dogs"]
    assert titles(api, channel="c-pets") == ["Dogs"]
    assert titles(api, **{"from": "2026-03-02"}) == ["Animals", "Dogs"]
    assert titles(api, to="2026-03-02") == ["Dogs", "Cats"]


@pytest.mark.parametrize("filters", [{"member": "nobody"}, {"channel": "nowhere"}])
def test_notes_of_what_is_not_there_are_not_there(api, filters):
    assert api.get("discord:1/notes", **filters).status_code == 404


@pytest.mark.parametrize(
    "filters", [{"kind": "dream"}, {"from": "soon"}, {"to": "2026-13-01"}, {"to": "0"}, {"from": "20260301"}]
)
def test_a_filter_that_makes_no_sense_is_refused(api, filters):
    assert api.get("discord:1/notes", **filters).status_code == 422


def test_a_note_is_shown_with_what_it_rests_on(api):
    message = make_message(platform_id="m-7")
    part = make_note("Moving house", messages=[message])
    topic = make_note("Houses", kind="topic_cluster")
    topic.notes.add(part)
    assert api.get(f"discord:1/notes/{part.pk}").json()["messages"] == ["m-7"]
    assert api.get(f"discord:1/notes/{topic.pk}").json()["notes"] == [str(part.pk)]


def test_a_profile_cites_the_notes_of_each_line(api):
    note = make_note("Moving house")
    entry = make_entry("Lives in Toronto", notes=[note])
    profile = api.get("discord:1/members/u-alice/profile").json()
    assert profile["sections"]["bio"] == [
        {
            "id": str(entry.pk), "section": "bio", "text": "Lives in Toronto", "pinned": False, "status": "shown",
            "audience": None,
            "sources": [
                {"note_id": str(note.pk), "message_id": None, "title": "Moving house", "date": str(note.note_date)}
            ],
        }
    ]  # fmt: skip


def test_a_profile_has_every_section(api):
    make_profile(summary="A Canadian.")
    profile = api.get("discord:1/members/u-alice/profile").json()
    assert (set(profile["sections"]), profile["summary"]) == (set(ProfileEntry.Section.values), "A Canadian.")


def test_a_member_without_a_profile_has_an_empty_one(api):
    make_member()
    profile = api.get("discord:1/members/u-alice/profile").json()
    assert (profile["summary"], profile["updated_at"]) == ("", None)


def test_a_member_who_said_no_is_described_to_nobody(api):
    make_profile(make_member(remember=False), summary="A Canadian.")
    make_entry("Lives in Toronto")
    profile = api.get("discord:1/members/u-alice/profile").json()
    assert (profile["summary"], profile["sections"]["bio"]) == ("", [])


def test_a_note_with_a_member_who_said_no_is_not_there(api):
    alice, bob = make_member(), make_member(name="Bob", remember=False)
    told, untold = make_note(participants=[alice]), make_note("Bob's secret", participants=[alice, bob])
    assert [row["id"] for row in api.get("discord:1/notes").json()["items"]] == [str(told.pk)]
    assert api.get(f"discord:1/notes/{untold.pk}").status_code == 404


def lines(api, **query):
    profile = api.get("discord:1/members/u-alice/profile", **query).json()
    return [entry["text"] for entry in profile["sections"]["bio"]]


def test_a_line_from_a_private_channel_is_told_only_there(api):
    make_entry("Lives in Toronto")
    make_entry("Is ill", audience=make_channel(name="staff", private=True))
    make_channel(name="general")
    assert lines(api) == ["Lives in Toronto"]
    assert lines(api, channel="c-general") == ["Lives in Toronto"]
    assert lines(api, channel="c-staff") == ["Lives in Toronto", "Is ill"]


def test_a_direct_line_needs_no_channel_to_be_told_in(api):
    Guild.objects.update(kind="direct")
    make_entry("Lives in Toronto", audience=make_channel(name="sms", kind="direct", private=True))
    assert lines(api) == ["Lives in Toronto"]


def test_a_refused_line_is_not_told(api):
    make_entry("Lives in Toronto", status="refused")
    assert lines(api) == []
