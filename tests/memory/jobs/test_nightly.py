"""The nightly job: once a day and guild, phase by phase, resumable, in the guild's own time zone."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.apps import apps

from memory import pipeline
from memory.jobs import due_days
from memory.models import Fact, JobRun
from memory.records import snapshots
from memory.withdrawal import fact_limits
from memoryhub.community.models import Member
from notes.models import InteractionNote
from notes.writing.schemas import Cluster, Clusters
from profiles.models import Profile, ProfileEntry
from tests.factories import NOON, days, make_channel, make_fact, make_guild, make_member, make_message, make_note
from tests.incoming import say
from tests.scripted import scripted

pytestmark = pytest.mark.django_db
DAY = NOON.date()
NEXT = NOON + days(1)


def four_notes(**fields):
    return [
        make_note(f"Talk {number}", messages=[make_message(f"About boat {number}.")], note_date=DAY, **fields)
        for number in range(4)
    ]


def run(**fields):
    return pipeline.consolidate(make_guild(), day=DAY, now=NEXT, **fields)


def test_every_phase_runs_and_is_recorded():
    four_notes()
    assert [report.status for report in run()] == ["done"] * 4
    assert set(JobRun.objects.values_list("phase", "status")) == {(phase, "done") for phase in JobRun.Phase.values}


def test_running_it_twice_changes_nothing():
    four_notes()
    run()
    before = list(InteractionNote.objects.values())
    assert [report.status for report in run()] == ["skipped"] * 4
    assert list(InteractionNote.objects.values()) == before


def everything():
    """Return every row of memory's own tables, to see that nothing changed."""
    models = [*apps.get_app_config("memory").get_models(), *apps.get_app_config("notes").get_models()]
    return {model: list(model._base_manager.order_by("pk").values()) for model in (*models, Profile, ProfileEntry)}


def test_a_dry_run_writes_nothing_and_says_what_a_run_would_change():
    say("I live in Toronto. I have a dog named Bento, who sleeps under my desk while I write letters.", at=NOON)
    say("I work as a carpenter. The workshop is down by the river, behind the old mill and the bridge.", "Bob", at=NOON)
    pipeline.digest(None, now=NOON)
    four_notes()
    make_fact("Drinks tea.", subject=make_member(), confidence=0.4, said_at=NOON - days(181))
    Member.objects.get(display_name="Bob").profile.entries.all().delete()
    before = everything()
    reports = {report.phase: report for report in run(dry_run=True)}
    assert everything() == before
    assert {report.status for report in reports.values()} == {"planned"}
    assert "+topic: " in "\n".join(reports["cluster"].diff)
    assert [line for line in reports["profiles"].diff if line.startswith("+bio: Works as a carpenter")]
    assert list(reports["decay"].diff) == ["-Alice: Drinks tea."]
    assert [line for line in reports["papers"].diff if line.startswith("+- ") and "I live in Toronto" in line]
    run()
    assert {str(topic) for topic in InteractionNote.objects.filter(kind="topic_cluster")} == {
        line.removeprefix("+topic: ") for line in reports["cluster"].diff if line.startswith("+topic: ")
    }
    assert Fact.objects.get(text="Drinks tea.").status == "archived"


def test_a_dry_run_after_the_run_has_nothing_to_say():
    four_notes()
    run()
    assert [report.status for report in run(dry_run=True)] == ["skipped"] * 4
    again = run(dry_run=True, force=True)
    assert [report.status for report in again] == ["planned"] * 4
    assert [list(report.diff) for report in again] == [[]] * 4


def test_a_dry_run_whose_model_fails_says_so_and_writes_nothing():
    four_notes()
    before = everything()
    with scripted() as model:
        model.fail("clusters")
        report = run(dry_run=True)[0]
    assert (report.status, report.error) == ("failed", "The provider has an error or is overloaded.")
    assert everything() == before


def test_topics_rest_on_the_notes_of_the_day_and_unite_their_participants():
    notes = four_notes()
    run()
    topics = InteractionNote.objects.filter(kind="topic_cluster")
    assert len({note for topic in topics for note in topic.notes.all()} & set(notes)) == 2
    assert all(topic.participants.exists() for topic in topics)


def test_fewer_than_four_notes_make_no_topics():
    for note in four_notes()[:2]:
        note.delete()
    assert run()[0].counts["topics"] == 0


def test_notes_of_different_audiences_never_share_a_topic():
    private = make_channel(name="staff", private=True)
    four_notes()
    four_notes(channel=private, audience=private)
    run()
    for topic in InteractionNote.objects.filter(kind="topic_cluster"):
        assert {note.audience for note in topic.notes.all()} == {topic.audience}


def test_a_model_cannot_invent_notes_and_none_is_left_out():
    notes = four_notes()
    with scripted() as model:
        answer = Cluster(title="Boats", summary="Boats were talked about.", notes=[notes[0].pk, 999])
        model.will("clusters", Clusters(clusters=[answer]))
        run()
    topics = InteractionNote.objects.filter(kind="topic_cluster")
    assert topics.count() == 1
    assert set(topics.get().notes.all()) == set(notes)


def test_a_failed_phase_stops_no_other_and_the_next_run_does_it_alone():
    four_notes()
    with scripted() as model:
        model.fail("clusters")
        assert [report.status for report in run()] == ["failed", "done", "done", "done"]
    assert "overloaded" in JobRun.objects.get(phase="cluster").last_error
    assert [report.status for report in run()] == ["done", "skipped", "skipped", "skipped"]
    assert JobRun.objects.get(phase="cluster").last_error == ""


def test_forced_it_replaces_the_days_topics():
    four_notes()
    run()
    before = InteractionNote.objects.filter(kind="topic_cluster").count()
    run(force=True)
    assert InteractionNote.objects.filter(kind="topic_cluster").count() == before


def test_a_day_is_due_once_it_ended_in_the_guilds_own_time_zone():
    guild = make_guild(time_zone="America/Los_Angeles")
    make_note(note_date=date(2026, 3, 2))
    assert due_days.days_due(guild, now=datetime(2026, 3, 3, 7, 59, tzinfo=UTC)) == []
    assert due_days.days_due(guild, now=datetime(2026, 3, 3, 8, 1, tzinfo=UTC)) == [date(2026, 3, 2)]


def test_missed_days_are_caught_up_oldest_first_and_within_bounds():
    for back in (1, 2, 3, 30):
        make_note(note_date=DAY - timedelta(days=back))
    assert due_days.days_due(make_guild(), now=NOON) == [DAY - timedelta(days=back) for back in (3, 2, 1)]
    assert pipeline.consolidate_due(now=NOON) == 3
    assert due_days.days_due(make_guild(), now=NOON) == []


def test_stale_observations_are_archived_and_can_be_restored():
    old = make_fact("Drinks tea.", subject=make_member(), confidence=0.4, said_at=NOON - days(181))
    reinforced = make_fact(
        "Drinks coffee.", subject=make_member(), confidence=0.4, said_at=NOON - days(400), last_reinforced_at=NOON
    )
    sure = make_fact("Lives in Toronto.", subject=make_member(), confidence=0.6, said_at=NOON - days(400))
    assert fact_limits.archive_outgrown(make_guild(), now=NOON)["stale"] == 1
    assert set(Fact.objects.active()) == {reinforced, sure}
    old.refresh_from_db()
    assert old.status == "archived"


def test_a_member_keeps_the_best_eighty_facts_and_the_pinned_ones():
    member = make_member()
    facts = [
        make_fact(f"Fact {n}.", subject=member, confidence=0.9, said_at=NOON + timedelta(minutes=n)) for n in range(82)
    ]
    facts[0].pinned = True
    facts[0].save()
    assert fact_limits.archive_outgrown(make_guild(), now=NOON)["over_limit"] == 2
    assert set(Fact.objects.filter(status="archived")) == {facts[1], facts[2]}


def test_the_snapshot_has_the_sections_of_the_guild_store():
    alice = make_member()
    make_fact("Lives in Toronto.", subject=alice)
    make_fact("Game night is on Fridays.")
    make_message("I finally finished the boat, look at her!")
    snapshots.render_journal(make_guild(), day=DAY, now=NOON)
    text = snapshots.current_snapshot(make_guild(), now=NOON).text
    sections = ("## Members", "## Ongoing lore", "## Recent highlights", "## Source logs")
    content = ("**Alice**", "Lives in Toronto.", "Game night", "Alice: Lives in Toronto.", f"{DAY}.md")
    assert [piece for piece in (*sections, *content) if piece not in text] == []


def test_papers_hold_nothing_that_the_whole_guild_could_not_read():
    private = make_channel(name="staff", private=True)
    make_message("the canary is in the safe", channel=private)
    make_fact("Keeps the canary.", subject=make_member(), audience=private)
    assert "canary" not in snapshots.current_snapshot(make_guild(), now=NOON).text
    assert "canary" not in snapshots.render_journal(make_guild(), day=DAY, now=NOON).text


def test_the_journal_is_in_order_one_line_a_message_and_the_same_when_rendered_again():
    make_message("second\nline", sent_at=NOON + timedelta(minutes=1))
    make_message("first", sent_at=NOON)
    first = snapshots.render_journal(make_guild(), day=DAY, now=NOON).text
    assert snapshots.render_journal(make_guild(), day=DAY, now=NEXT).text == first
    lines = [line for line in first.splitlines() if line.startswith("- ")]
    assert [line.rpartition("] ")[2] for line in lines] == ["first", "second line"]


def test_hostile_text_stays_text_in_the_papers():
    make_message("# Title <script>alert(1)</script> [x](javascript:1) **bold**")
    text = snapshots.render_journal(make_guild(), day=DAY, now=NOON).text
    assert "<script>" not in text.replace("\\<script\\>", "")
    assert "\\[x\\]" in text


def test_the_papers_are_written_to_the_data_folder(django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        snapshots.current_snapshot(make_guild(), now=NOON)
    assert (snapshots.folder(make_guild()) / "MEMORY.md").read_text().startswith("# Memory of North")


def test_a_change_of_memory_makes_the_snapshot_stale_and_the_tick_renders_it():
    snapshots.current_snapshot(make_guild(), now=NOON)
    make_message()
    from memory.curation import corrections

    corrections.remember(
        make_guild(), subject=None, text="Game night is on Fridays.", kind="other", actor="operator:bob", now=NOON
    )
    assert snapshots.is_stale(make_guild())
    snapshots.refresh_stale(make_guild(), now=NEXT)
    assert "Game night" in make_guild().snapshot.text
    assert not snapshots.is_stale(make_guild())
