"""Switching a sensitive kind off: what is stored of it is found in the background and put away."""

import pytest

from memory import pipeline
from memory.curation import corrections, entries, guild_settings
from memory.curation.entries import EntryRefused
from memory.facts.changes import FactConflict
from memory.models import Fact, Recap, RecapLine
from memory.recaps import told_lines
from memory.withdrawal import sensitive_rescan
from memoryhub.community.models import Channel, Guild
from notes.models import Arrangement, InteractionNote, Question, Summary
from profiles.models import ProfileEntry
from tests.factories import (
    NOON,
    days,
    make_arrangement,
    make_channel,
    make_entry,
    make_fact,
    make_guild,
    make_member,
    make_message,
    make_note,
    minutes,
)  # fmt: skip

pytestmark = pytest.mark.django_db
SICK, WELL = "Takes insulin every morning.", "Lives in Toronto."


@pytest.fixture
def guild():
    return make_guild(keep_health=True, keep_finances=True)


def off(guild, **others):
    guild_settings.change_settings(guild, {"keep_health": False, **others}, actor="operator:root", now=NOON)
    guild.refresh_from_db()
    sensitive_rescan.continue_rescan(guild, now=NOON)


def report(guild):
    return sensitive_rescan.last_report(guild).detail


def test_facts_of_a_kind_that_is_switched_off_are_put_aside_and_the_others_stay(guild):
    alice = make_member(guild)
    sick, well = make_fact(SICK, subject=alice), make_fact(WELL, subject=alice)
    rich = make_fact("Has a mortgage on the house.", subject=alice)
    off(guild)
    statuses = dict(Fact.objects.values_list("pk", "status"))
    assert statuses == {sick.pk: "archived", well.pk: "active", rich.pk: "active"}
    assert report(guild) == {"counts": {"facts": 1}, "done": True}


def test_looking_back_does_not_show_them_either(guild):
    make_fact(SICK, subject=make_member(guild))
    off(guild)
    assert not Fact.objects.believed_at(NOON + minutes(1)).exists()


def test_nobody_brings_them_back_while_the_kind_is_off(guild):
    fact = make_fact(SICK, subject=make_member(guild))
    off(guild)
    fact.refresh_from_db()
    for deed in (corrections.restore, corrections.undo):
        with pytest.raises(FactConflict, match="health"):
            deed(fact, actor="operator:root", now=NOON)
    guild_settings.change_settings(guild, {"keep_health": True}, actor="operator:root", now=NOON)
    fact = Fact.objects.get()
    assert corrections.undo(fact, actor="operator:root", now=NOON).status == "active"


def test_lines_of_profiles_that_tell_of_it_are_refused(guild):
    alice = make_member(guild)
    sick, well = make_entry(SICK, member=alice), make_entry(WELL, member=alice)
    off(guild)
    assert dict(ProfileEntry.objects.values_list("pk", "status")) == {sick.pk: "refused", well.pk: "shown"}
    sick.refresh_from_db()
    with pytest.raises(EntryRefused, match="health"):
        entries.restore_entry(sick, actor="operator:root", now=NOON)


def test_notes_lose_the_sentences_that_tell_of_it(guild):
    told = f"Alice and Bob talked about boats. Alice said that she {SICK[0].lower()}{SICK[1:]}"
    make_note("Alice: takes insulin", messages=[make_message(channel=make_channel(guild))], summary=told)
    off(guild)
    note = InteractionNote.objects.get()
    assert (note.title, note.summary) == ("A conversation", "Alice and Bob talked about boats.")


def test_summaries_that_tell_of_it_are_written_anew_and_questions_go(guild):
    channel = make_channel(guild)
    common = {"guild": guild, "channel": channel, "from_at": NOON, "to_at": NOON}
    Summary.objects.create(kind="rolling", text="They talked.", topics=["Alice takes insulin"], **common)
    Question.objects.create(guild=guild, channel=channel, text="Alice: who takes insulin too?", asked_at=NOON)
    off(guild)
    assert not Summary.objects.exists()
    assert not Question.objects.exists()
    assert Channel.objects.get(pk=channel.pk).unsummarized == 1


def test_decisions_that_tell_of_it_go(guild):
    for text in ("We decided that Alice takes insulin.", "We decided on the red tent."):
        make_arrangement(make_message(text, channel=make_channel(guild)))
    off(guild)
    assert Arrangement.objects.get().text == "We decided on the red tent."


def test_recaps_tell_no_more_what_was_put_away(guild):
    said = make_message("We decided that Alice takes insulin.", channel=make_channel(guild))
    note = make_note("Alice: takes insulin", messages=[said])
    make_arrangement(said)
    recap = Recap.objects.create(guild=guild, since=NOON, until=NOON + days(1))
    for place, (text, source) in enumerate([(note.title, {"note": note}), (said.text, {"message": said})]):
        RecapLine.objects.create(guild=guild, recap=recap, place=place, section="happened", text=text, **source)
    off(guild)
    assert told_lines.standing(recap) == []


def test_it_goes_on_where_it_stopped_and_counts_all_of_it(guild, monkeypatch):
    monkeypatch.setattr(sensitive_rescan, "AT_ONCE", 2)
    alice = make_member(guild)
    for number in range(5):
        make_fact(f"Takes insulin {number} times a day.", subject=alice)
    guild_settings.change_settings(guild, {"keep_health": False}, actor="operator:root", now=NOON)
    steps = iter([True, False])
    guild.refresh_from_db()
    sensitive_rescan.continue_rescan(guild, now=NOON, keep_going=lambda: next(steps))
    assert report(guild) == {"counts": {"facts": 2}, "done": False}
    guild.refresh_from_db()
    sensitive_rescan.continue_rescan(guild, now=NOON)
    assert report(guild) == {"counts": {"facts": 5}, "done": True}


def test_the_minutes_tick_does_it_and_an_unchanged_switch_starts_nothing(guild):
    make_fact(SICK, subject=make_member(guild))
    guild_settings.change_settings(guild, {"keep_health": True}, actor="operator:root", now=NOON)
    assert Guild.objects.get().rescan == ""
    guild_settings.change_settings(guild, {"keep_health": False}, actor="operator:root", now=NOON)
    pipeline.tick(now=NOON + days(1))
    assert Fact.objects.get().status == "archived"
    assert Guild.objects.get().rescan == ""
