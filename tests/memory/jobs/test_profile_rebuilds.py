"""The careful tier consolidates the profiles of a day, and rebuilds those that a revision left dirty."""

from __future__ import annotations

import pytest

from memory import pipeline
from memory.jobs import profile_rebuilds, profile_updates
from memoryhub.ai import ModelFailed
from notes.models import InteractionNote
from profiles.models import Profile, ProfileEntry
from profiles.revision.schemas import LIMITS, Entry, Gone, Revision
from tests.factories import (
    NOON,
    days,
    make_channel,
    make_entry,
    make_fact,
    make_guild,
    make_member,
    make_message,
    make_note,
    minutes,
)
from tests.scripted import ASKED, killed_at, scripted

pytestmark = pytest.mark.django_db
DAY = NOON.date()
NOW = NOON + days(1)


def consolidate_day(guild, *, day, now):
    """Do the night's phase of profiles; count what was revised and what was left dirty."""
    done = [profile_rebuilds.consolidate(*who, now=now) for who in profile_rebuilds.took_part(guild, day)]
    return {"revised": sum(done), "dirty": len(done) - sum(done)}


def plan_day(guild, *, day):
    """Plan the night's phase of profiles."""
    return [profile_rebuilds.plan(*who) for who in profile_rebuilds.took_part(guild, day)]


def noted(text: str = "I live in Oslo.", name: str = "Alice", **fields) -> InteractionNote:
    message = make_message(text, author=make_member(name=name), **fields)
    return make_note("A talk", messages=[message], summary=f"{name}: {text}")


def known(note: InteractionNote, text: str = "Lives in Oslo.", **fields) -> InteractionNote:
    """Have a fact learned from the note: it is no line of a profile yet."""
    message = note.messages.get()
    make_fact(text, subject=message.author, evidence=[message], audience_id=note.audience_id, **fields)
    return note


def shown(name: str = "Alice") -> list[str]:
    rows = ProfileEntry.objects.filter(profile__member__display_name=name, status="shown")
    return sorted(rows.values_list("text", flat=True))


def dirty() -> list[str]:
    return sorted(Profile.objects.filter(dirty=True).values_list("member__display_name", flat=True))


# --- Each night --------------------------------------------------------------------------------------------------


def test_the_careful_tier_sees_the_notes_of_the_day_oldest_first():
    noted("I live in Rome.", sent_at=NOON - days(1))
    for at, text in enumerate(["I live in Oslo.", "I like jazz."]):
        known(noted(text, sent_at=NOON + minutes(at)), text)
    with scripted() as model:
        consolidate_day(make_guild(), day=DAY, now=NOW)
    ((purpose, given),) = model.asked
    assert purpose == "profile_rebuild"
    assert [note.summary for note in given.notes] == ["Alice: I live in Oslo.", "Alice: I like jazz."]


def doubled() -> tuple[ProfileEntry, ProfileEntry, Revision]:
    first, second = noted(), noted("Oslo is my home.")
    one, two = make_entry("Lives in Oslo", notes=[first]), make_entry("Oslo is home", section="other", notes=[second])
    merged = Entry(section="bio", text="Lives in Oslo", notes=[first.pk], id=one.pk)
    return one, two, Revision(entries=[merged], gone=[Gone(id=two.pk, why="merged", into=one.pk)])


def test_redundancies_are_merged_and_their_sources_kept():
    one, _, answer = doubled()
    with scripted() as model:
        model.will("profile_rebuild", answer)
        assert consolidate_day(make_guild(), day=DAY, now=NOW) == {"revised": 1, "dirty": 0}
    assert shown() == ["Lives in Oslo"]
    assert one.sources.count() == 2


def test_a_contradiction_is_settled_for_the_newer():
    old = make_entry("Lives in Oslo", notes=[noted()])
    newer = noted("I live in Rome now.")
    answer = Revision(
        entries=[Entry(section="bio", text="Lives in Rome", notes=[newer.pk])], gone=[Gone(id=old.pk, why="replaced")]
    )
    with scripted() as model:
        model.will("profile_rebuild", answer)
        consolidate_day(make_guild(), day=DAY, now=NOW)
    assert shown() == ["Lives in Rome"]


def test_one_members_failure_stops_nobody_else_and_is_tried_again():
    known(noted())
    known(noted("I play chess.", "Bob"), "Plays chess.")
    with scripted() as model:
        model.fail("profile_rebuild")
        assert consolidate_day(make_guild(), day=DAY, now=NOW) == {"revised": 1, "dirty": 1}
    assert (dirty(), shown("Bob")) == (["Alice"], ["Plays chess"])


def test_whoever_said_no_is_not_described_at_night():
    noted().participants.update(remember=False)
    assert consolidate_day(make_guild(), day=DAY, now=NOW) == {"revised": 0, "dirty": 0}


def test_each_audience_is_consolidated_from_its_own_notes():
    staff = make_channel(name="staff", private=True)
    known(noted())
    known(noted("I am tired.", channel=staff), "Is tired.")
    with scripted() as model:
        consolidate_day(make_guild(), day=DAY, now=NOW)
    told = [[note.summary for note in given.notes] for _, given in model.asked]
    assert told == [["Alice: I live in Oslo."], ["Alice: I am tired."]]


# --- What would change -------------------------------------------------------------------------------------------


def test_a_plan_shows_lines_before_and_after_and_writes_nothing():
    doubled_answer = doubled()[2]
    with scripted() as model:
        model.will("profile_rebuild", doubled_answer)
        (plan,) = plan_day(make_guild(), day=DAY)
    first, second = InteractionNote.objects.order_by("pk")
    assert plan == [
        "--- Alice now",
        "+++ Alice then",
        "@@ -1,2 +1 @@",
        f"-bio: Lives in Oslo (notes {first.pk})",
        f"-other: Oslo is home (notes {second.pk})",
        f"+bio: Lives in Oslo (notes {first.pk}, {second.pk})",
    ]
    assert shown() == ["Lives in Oslo", "Oslo is home"]
    assert Profile.objects.get().revision == 0


def test_a_plan_says_what_forbids_the_answer():
    make_entry("Lives in Oslo", notes=[noted()])
    with scripted() as model:
        model.will("profile_rebuild", Revision(entries=[]))
        (plan,) = plan_day(make_guild(), day=DAY)
    assert plan == ["!Alice would be left for a rebuild: entries lost"]


def test_a_plan_of_what_is_done_has_no_changes():
    message = noted().messages.get()
    make_fact("Lives in Oslo.", subject=message.author, evidence=[message])
    assert plan_day(make_guild(), day=DAY)[0]
    consolidate_day(make_guild(), day=DAY, now=NOW)
    assert plan_day(make_guild(), day=DAY) == [[]]


def test_planning_makes_no_profile():
    noted()
    plan_day(make_guild(), day=DAY)
    assert not Profile.objects.exists()


# --- What was left dirty -----------------------------------------------------------------------------------------


def test_the_minute_rebuilds_what_was_left_dirty_by_the_careful_tier():
    note = noted()
    with scripted() as model:
        model.fail("profile")
        profile_updates.revise(make_member(), audience=None, notes=[note], now=NOW)
        answer = Revision(entries=[Entry(section="bio", text="Lives in Oslo", notes=[note.pk])])
        model.will("profile_rebuild", answer)
        pipeline.tick(now=NOW)
    assert (shown(), dirty(), Profile.objects.get().attempts) == (["Lives in Oslo"], [], 0)


def test_a_rebuild_reads_the_newest_notes_of_conversations_only(monkeypatch):
    monkeypatch.setattr(profile_rebuilds, "NOTES_READ", 2)
    for at, text in enumerate(["I live in Rome.", "I live in Bonn.", "I live in Oslo."]):
        noted(text, sent_at=NOON + minutes(at))
    topic = noted("Cities")
    InteractionNote.objects.filter(pk=topic.pk).update(kind="topic_cluster")
    profile_rebuilds.mark_dirty(make_guild())
    with scripted() as model:
        profile_rebuilds.rebuild_dirty(now=NOW)
    assert [note.summary for note in model.asked[0][1].notes] == ["Alice: I live in Bonn.", "Alice: I live in Oslo."]


def test_the_output_of_a_rebuild_is_compacted():
    places = ["Oslo", "Rome", "Bonn", "Lima", "Kyiv", "Oran", "Graz", "Brno"]
    note = noted(f"I lived in {', '.join(places)}.")
    profile_rebuilds.mark_dirty(make_guild())
    with scripted() as model:
        entries = [Entry(section="bio", text=f"Lived in {place}", notes=[note.pk]) for place in places]
        model.will("profile_rebuild", Revision(entries=entries))
        profile_rebuilds.rebuild_dirty(now=NOW)
    assert (len(shown()), dirty()) == (LIMITS["bio"], [])


def test_marking_makes_an_empty_profile_for_whoever_had_none_in_that_guild_only():
    make_member(name="Robo", is_bot=True)
    make_member(make_guild("discord:2"), name="Charlie")
    make_entry("Lives in Oslo", member=make_member())
    make_member(name="Bob")
    assert profile_rebuilds.mark_dirty(make_guild()) == 2
    assert dirty() == ["Alice", "Bob"]


def test_some_members_can_be_marked_alone():
    make_member(name="Bob")
    assert profile_rebuilds.mark_dirty(make_guild(), members=[make_member()]) == 1
    assert dirty() == ["Alice"]


def test_a_rebuild_from_nothing_leaves_no_profile():
    make_member()
    profile_rebuilds.mark_dirty(make_guild())
    assert profile_rebuilds.rebuild_dirty(now=NOW) == 1
    assert not Profile.objects.exists()


def test_a_rebuild_that_fails_waits_longer_each_time_and_is_parked_in_the_end():
    noted()
    profile_rebuilds.mark_dirty(make_guild())
    now, tries = NOW, []
    with scripted() as model:
        model.fail("profile_rebuild", times=9)
        for _ in range(9):
            tries.append(profile_rebuilds.rebuild_dirty(now=now))
            assert profile_rebuilds.rebuild_dirty(now=now + minutes(5)) == 0
            now = max(now, Profile.objects.get().next_attempt_at or now)
    assert tries == [1, 1, 1, 1, 1, 0, 0, 0, 0]
    assert dirty() == ["Alice"]


def test_a_run_that_is_told_to_stop_leaves_the_other_profiles_to_the_next_one():
    for name in ("Alice", "Bob"):
        make_member(name=name)
    profile_rebuilds.mark_dirty(make_guild())
    asked = iter([True, False])
    assert profile_rebuilds.rebuild_dirty(now=NOW, keep_going=lambda: next(asked)) == 1
    (left,) = Profile.objects.filter(dirty=True)
    assert (left.attempts, left.claimed_until) == (0, None)
    assert profile_rebuilds.rebuild_dirty(now=NOW) == 1
    assert dirty() == []


def test_an_operator_who_marks_it_again_has_it_tried_again():
    noted()
    profile_rebuilds.mark_dirty(make_guild())
    Profile.objects.update(attempts=5, parked_at=NOON)
    assert profile_rebuilds.rebuild_dirty(now=NOW) == 0
    profile_rebuilds.mark_dirty(make_guild())
    assert profile_rebuilds.rebuild_dirty(now=NOW) == 1


def test_two_workers_never_rebuild_the_same_profile(monkeypatch):
    noted()
    profile_rebuilds.mark_dirty(make_guild())
    asked = []

    def another_worker_comes(task, given, *, guild):
        asked.append(given.member)
        assert profile_rebuilds.rebuild_dirty(now=NOW) == 0
        return task.offline(given)

    monkeypatch.setattr(ASKED, another_worker_comes)
    profile_rebuilds.rebuild_dirty(now=NOW)
    assert asked == ["Alice"]


def test_a_worker_that_was_killed_leaves_the_profile_to_another_when_its_lease_is_over():
    note = noted()
    make_fact("Lives in Oslo.", subject=make_member(), evidence=[note.messages.get()])
    profile_rebuilds.mark_dirty(make_guild())

    with killed_at(ASKED):
        profile_rebuilds.rebuild_dirty(now=NOW)
    assert profile_rebuilds.rebuild_dirty(now=NOW + minutes(1)) == 0
    assert profile_rebuilds.rebuild_dirty(now=NOW + Profile.policy.length + minutes(1)) == 1
    assert shown() == ["Lives in Oslo"]


def test_a_member_who_said_no_meanwhile_is_left_alone():
    noted().participants.update(remember=False)
    profile_rebuilds.mark_dirty(make_guild())
    with scripted() as model:
        profile_rebuilds.rebuild_dirty(now=NOW)
    assert model.asked == []


@pytest.mark.parametrize("failure", [ModelFailed("cut_short"), Revision(entries=[], unsure=True)])
def test_what_the_careful_tier_gets_wrong_is_not_written_either(failure):
    make_entry("Lives in Oslo", notes=[noted()])
    profile_rebuilds.mark_dirty(make_guild())
    with scripted() as model:
        model.will("profile_rebuild", failure)
        profile_rebuilds.rebuild_dirty(now=NOW)
    assert (shown(), dirty()) == (["Lives in Oslo"], ["Alice"])


# --- Where a day brought nothing ---------------------------------------------------------------------------------


def test_who_was_there_and_of_whom_nothing_is_told_is_not_gone_over_at_night():
    known(noted("I live in Oslo."))
    silent = make_note("A boat", messages=[make_message("lol", author=make_member(name="Bob"))], summary="It is blue.")
    with scripted() as model:
        assert consolidate_day(make_guild(), day=DAY, now=NOW) == {"revised": 2, "dirty": 0}
        plan_day(make_guild(), day=DAY)
    assert [given.member for _, given in model.asked] == ["Alice", "Alice"]
    assert silent.participants.get().display_name == "Bob"


def test_a_dirty_profile_is_rebuilt_by_the_model_whatever_is_new():
    noted("lol")
    InteractionNote.objects.update(title="A boat", summary="It is blue.")
    profile_rebuilds.mark_dirty(make_guild())
    with scripted() as model:
        profile_rebuilds.rebuild_dirty(now=NOW)
    assert [purpose for purpose, _ in model.asked] == ["profile_rebuild"]
