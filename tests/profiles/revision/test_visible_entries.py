"""Which lines of profiles are told where."""

from __future__ import annotations

import pytest

from profiles.revision.schemas import LIMITS
from profiles.revision.visible_entries import SHOWN, entries_for
from tests.factories import NOON, days, make_channel, make_entry, make_guild, make_member, make_note

pytestmark = pytest.mark.django_db


def told(channel=None, *names: str, guild=None) -> list[str]:
    place = guild or make_guild()
    members = [make_member(place, name) for name in names or ("Alice",)]
    return [entry.text for entry in entries_for(place, members, channel=channel)]


def private(name: str, **fields):
    return make_channel(name=name, private=True, **fields)


def test_a_line_of_a_private_channel_is_told_there_and_in_its_threads_only():
    staff, other = private("staff"), private("other")
    thread = private("plans", parent=staff, kind="thread")
    make_entry("Lives in Oslo")
    make_entry("Is tired", audience=staff)
    assert told(staff) == told(thread) == ["Lives in Oslo", "Is tired"]
    assert told(other) == told(make_channel()) == told() == ["Lives in Oslo"]


def test_a_refused_line_is_told_nowhere():
    make_entry("Lives in Oslo", status="refused")
    assert told() == []


def test_nothing_is_told_of_whoever_is_not_to_be_remembered():
    make_entry("Lives in Oslo")
    make_entry("Plays chess", member=make_member(name="Bob", remember=False))
    make_entry("Sings", member=make_member(name="Carol"))
    guild = make_guild()
    guild.blocked = ["u-carol"]
    assert told(None, "Alice", "Bob", "Carol", guild=guild) == ["Lives in Oslo"]


def test_nobody_of_another_guild_is_told_of():
    charlie = make_member(make_guild("discord:2"), name="Charlie")
    make_entry("Lives in Oslo", member=charlie)
    assert entries_for(make_guild(), [charlie], channel=None) == []


def test_what_two_audiences_know_is_told_once_as_it_was_said_nearest():
    staff = private("staff")
    make_entry("Lives in Oslo")
    near = make_entry("lives in Oslo!", audience=staff, section="other")
    (line,) = entries_for(make_guild(), [make_member()], channel=staff)
    assert line == near


def test_two_members_may_have_the_same_line():
    make_entry("Lives in Oslo")
    make_entry("Lives in Oslo", member=make_member(name="Bob"))
    assert told(None, "Alice", "Bob") == ["Lives in Oslo"] * 2


def test_several_audiences_together_keep_to_the_limits():
    staff = private("staff")
    for section, limit in LIMITS.items():
        for number in range(limit):
            make_entry(f"Thing {section} {number}", section=section)
            make_entry(f"Secret {section} {number}", section=section, audience=staff)
    lines = entries_for(make_guild(), [make_member()], channel=staff)
    assert len(lines) == SHOWN == 12
    assert all(line.text.startswith("Secret") for line in lines)


def test_a_persons_own_wording_comes_first_where_there_is_no_room_for_all():
    staff = private("staff")
    make_entry("Queen of cheese", pinned=True, section="bio")
    for number in range(LIMITS["bio"]):
        make_entry(f"Secret {number}", audience=staff)
    assert "Queen of cheese" in told(staff)


def test_of_many_lines_what_lasts_is_told_and_of_each_person_twelve():
    for number in range(14):
        make_entry(f"Visited town{number} yesterday", section=("bio", "skills")[number % 2], position=number)
    make_entry("Lives in Oslo", section="other", position=20)
    make_entry("Sings", member=make_member(name="Bob"))
    lines = told(None, "Alice", "Bob")
    assert ("Lives in Oslo" in lines, "Sings" in lines, len(lines)) == (True, True, 13)
    assert "Visited town13 yesterday" not in lines


def test_a_direct_line_needs_no_channel_to_be_told_in():
    guild = make_guild("sms:+1", kind="direct")
    phone = make_channel(guild, "phone", kind="direct", private=True)
    make_entry("Lives in Oslo", member=make_member(guild), audience=phone)
    assert told(guild=guild) == ["Lives in Oslo"]


def test_lines_stand_by_section_and_position_and_cite_the_newest_note_first():
    older, newer = make_note("Older"), make_note("Newer", ended_at=NOON + days(1))
    make_entry("Likes jazz", section="interests")
    make_entry("Works", position=1)
    make_entry("Lives in Oslo", notes=[older, newer])
    lines = entries_for(make_guild(), [make_member()], channel=None)
    assert [line.text for line in lines] == ["Lives in Oslo", "Works", "Likes jazz"]
    assert [source.note.title for source in lines[0].sources.all()] == ["Newer", "Older"]


def test_a_place_full_of_people_takes_two_queries(django_assert_num_queries):
    members = [make_member(name=f"M{number}") for number in range(20)]
    for member in members:
        make_entry(f"Is called {member}", member=member, notes=[make_note()])
    guild = make_guild()
    with django_assert_num_queries(2):
        lines = entries_for(guild, members, channel=None)
        assert len([source.note.title for line in lines for source in line.sources.all()]) == 20
