"""A member's page."""

import pytest
from django.utils import timezone

from memory.views.members import FACTS
from profiles import consent, relationships
from profiles.strength import Counts
from tests.factories import (
    NOON,
    make_channel,
    make_entry,
    make_fact,
    make_guild,
    make_member,
    make_message,
    make_note,
    make_profile,
)  # fmt: skip

pytestmark = pytest.mark.django_db


def content(client, member):
    response = client.get(f"/members/{member.pk}/")
    assert response.status_code == 200
    return response.content.decode()


def test_each_line_of_the_profile_links_to_its_source(admin_client):
    note = make_note("Moving house", messages=[make_message(author=make_member(name="Alice"))])
    make_entry("Lives in Toronto", member=make_member(name="Alice"), notes=[note])
    shown = content(admin_client, make_member(name="Alice"))
    assert "Lives in Toronto" in shown
    assert f'href="/notes/{note.pk}/"' in shown


def test_a_refused_line_stands_apart_from_the_profile(admin_client):
    make_entry("Cannot sing", member=make_member(), status="refused")
    profile, _, refused = content(admin_client, make_member()).partition("Refused lines (1)")
    assert "Cannot sing" not in profile
    assert "Cannot sing" in refused


def test_the_choice_about_being_remembered_is_shown(admin_client):
    alice = make_member()
    assert "Has not chosen" in content(admin_client, alice)
    consent.choose(alice, remember=False, actor="member", now=NOON)
    shown = content(admin_client, alice)
    assert "Said no to being remembered" in shown
    assert "Not remembered" in shown


def test_only_the_newest_facts_are_shown_and_the_others_linked(admin_client):
    alice = make_member()
    for number in range(FACTS + 1):
        make_fact(f"Fact number {number}.", subject=alice)
    shown = content(admin_client, alice)
    assert "Fact number 0." not in shown
    assert f"/memories/?member={alice.pk}" in shown


def test_a_member_of_whom_nothing_is_known_has_a_page(admin_client):
    assert "Nothing is in the profile yet" in content(admin_client, make_member())


def test_a_full_page_asks_few_questions(admin_client, django_assert_max_num_queries):
    alice = make_member()
    make_profile(alice, summary="Sails.")
    for number in range(12):
        said = make_message(author=alice)
        note = make_note(f"Note {number}", messages=[said])
        make_entry(f"Line {number}", member=alice, notes=[note])
        make_fact(f"Fact {number}.", subject=alice, evidence=[said])
    with django_assert_max_num_queries(18):
        content(admin_client, alice)


def test_whom_a_member_has_most_to_do_with_is_shown_where_it_is_counted(admin_client):
    guild = make_guild(relationships_on=True)
    alice, bob = make_member(name="Alice"), make_member(name="Bob")
    day = timezone.now().date()
    relationships.set_day(make_channel(), day=day, counts={(bob.pk, alice.pk): Counts(replies=16)})
    shown = admin_client.get(f"/members/{alice.pk}/").content.decode()
    assert "likely close, 72 %" in shown
    assert f"/graph/pair/?one={alice.pk}&amp;other={bob.pk}" in shown
    relationships.switch(guild, on=False)
    assert "likely close" not in admin_client.get(f"/members/{alice.pk}/").content.decode()
