"""The record of the nightly jobs: which days are due, who may work on what, and what becomes of failures."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from memory import pipeline
from memory.jobs import due_days
from memory.models import Action, JobRun, ModelCall
from memory.records import job_runs
from memoryhub.ai import ModelFailed, model_choice
from memoryhub.ai.model_choice import Choice
from memoryhub.community import due_work
from memoryhub.community.models import DueWork, Guild
from memoryhub.db import leases
from notes.models import ChannelBuffer, InteractionNote, Journal
from tests.factories import (
    NOON,
    days,
    make_channel,
    make_fact,
    make_guild,
    make_member,
    make_message,
    make_note,
    minutes,
)
from tests.incoming import north, say
from tests.scripted import ASKED, scripted

pytestmark = pytest.mark.django_db
DAY = NOON.date()
NEXT = NOON + days(1)
LONG = "I painted the wooden boat blue and moored it at the pier behind the old mill by the river bridge. " * 2


def begun(now):
    fields = {"guild": make_guild(), "day": DAY, "phase": "cluster"}
    return JobRun.objects.get_or_create(**fields, defaults={"started_at": now})[0]


def notes_of_the_day(number: int = 4, day: date = DAY) -> list[InteractionNote]:
    return [make_note(f"Boat {n}", messages=[make_message(LONG)], note_date=day) for n in range(number)]


def night(now: datetime = NEXT, **fields) -> dict[str, str]:
    reports = pipeline.consolidate(make_guild(), day=DAY, now=now, **fields)
    return {report.phase: report.status for report in reports}


def due(now: datetime = NEXT) -> list[date]:
    return due_days.days_due(make_guild(), now=now)


# --- Which days are due ------------------------------------------------------------------------------------------


def test_a_day_of_talk_too_short_for_a_note_is_due_for_its_journal():
    make_message("Good morning.")
    assert due() == [DAY]
    pipeline.consolidate_due(now=NEXT)
    assert "Good morning" in Journal.objects.get(day=DAY).text
    assert due() == []


def test_a_silent_day_is_not_due_unless_facts_grew_old():
    make_guild()
    assert due() == []
    make_fact("Drinks tea.", subject=make_member(), confidence=0.4, said_at=NOON - days(181))
    assert due() == [DAY]
    pipeline.consolidate_due(now=NEXT)
    assert due() == []


def test_how_many_missed_days_are_made_up_for_is_a_setting(settings):
    for back in range(1, 31):
        make_note(note_date=DAY - timedelta(days=back))
    assert len(due(NOON)) == 7
    settings.MEMORYHUB_CATCH_UP_DAYS = 30
    assert due(NOON) == [DAY - timedelta(days=back) for back in range(30, 0, -1)]


def test_missed_days_are_done_oldest_first_and_each_once():
    for back in (3, 1, 2):
        notes_of_the_day(day=DAY - timedelta(days=back))
    pipeline.consolidate_due(now=NOON)
    done = list(JobRun.objects.order_by("pk").values_list("day", flat=True))
    assert done == sorted(done)
    before = list(JobRun.objects.values())
    assert pipeline.consolidate_due(now=NOON) == 0
    assert list(JobRun.objects.values()) == before


def test_a_day_that_was_begun_is_ended_at_any_age():
    old = DAY - timedelta(days=90)
    notes_of_the_day(day=old)
    assert due(NOON) == []
    pipeline.consolidate(make_guild(), day=old, now=NOON, keep_going=lambda: False)
    assert due(NOON) == [old]
    pipeline.consolidate_due(now=NOON)
    assert due(NOON) == []


def test_the_night_waits_until_the_days_last_conversation_is_digested():
    say(LONG, at=NOON.replace(hour=23, minute=50))
    midnight = NOON.replace(hour=0) + days(1)
    assert due(midnight + minutes(5)) == []
    pipeline.tick(now=midnight + minutes(16))
    assert ChannelBuffer.objects.get().status == "done"
    assert due(midnight + minutes(17)) == [DAY]


def test_a_conversation_that_goes_on_after_midnight_keeps_no_night_waiting():
    make_message(LONG)
    midnight = NOON.replace(hour=0) + days(1)
    say("hello", at=midnight - minutes(5))
    say("hello", at=midnight + minutes(5))
    assert due(midnight + minutes(6)) == [DAY]


def test_a_parked_conversation_keeps_no_night_waiting():
    say(LONG, at=NOON)
    ChannelBuffer.objects.update(status="parked")
    assert due() == [DAY]


def test_a_note_that_comes_late_has_the_days_topics_made_anew():
    notes_of_the_day()
    pipeline.consolidate_due(now=NEXT)
    before = set(InteractionNote.objects.filter(kind="topic_cluster").values_list("pk", flat=True))
    say(LONG, "Bob", at=NOON + minutes(5), now=NEXT)
    assert due(NEXT) == []  # it is still to be digested
    pipeline.digest(None, now=NEXT)
    assert due(NEXT) == [DAY]
    pipeline.consolidate_due(now=NEXT)
    assert before.isdisjoint(InteractionNote.objects.filter(kind="topic_cluster").values_list("pk", flat=True))
    assert due(NEXT) == []


def test_what_was_done_while_the_day_went_on_is_done_again_once_it_ended():
    notes_of_the_day()
    assert set(night(now=NOON).values()) == {"done"}
    assert set(night(now=NOON + minutes(1)).values()) == {"skipped"}
    make_message("Said in the evening.", sent_at=NOON + minutes(300))
    assert due(NEXT) == [DAY]
    pipeline.consolidate_due(now=NEXT)
    assert "evening" in Journal.objects.get(day=DAY).text
    assert due(NEXT) == []


@pytest.mark.parametrize(
    ("zone", "day", "ends"),
    [
        ("UTC", date(2026, 3, 2), datetime(2026, 3, 3, 0, 0, tzinfo=UTC)),
        ("Europe/Berlin", date(2026, 3, 29), datetime(2026, 3, 29, 22, 0, tzinfo=UTC)),  # 23 hours
        ("Europe/Berlin", date(2026, 10, 25), datetime(2026, 10, 25, 23, 0, tzinfo=UTC)),  # 25 hours
        ("Australia/Lord_Howe", date(2026, 4, 5), datetime(2026, 4, 5, 13, 30, tzinfo=UTC)),  # 24.5 hours
        ("Australia/Lord_Howe", date(2026, 10, 4), datetime(2026, 10, 4, 13, 0, tzinfo=UTC)),  # 23.5 hours
        ("Africa/Cairo", date(2026, 4, 23), datetime(2026, 4, 23, 22, 0, tzinfo=UTC)),  # the next day has no midnight
    ],
)
def test_a_day_is_due_at_its_own_midnight_whatever_the_clocks_do(zone, day, ends):
    guild = make_guild(time_zone=zone)
    make_message("Good morning.", sent_at=ends - minutes(60))
    assert due_days.days_due(guild, now=ends - timedelta(seconds=1)) == []
    assert due_days.days_due(guild, now=ends) == [day]
    pipeline.consolidate_due(now=ends)
    assert set(JobRun.objects.values_list("day", flat=True)) == {day}
    assert due_days.days_due(guild, now=ends + minutes(1)) == []


@pytest.mark.parametrize(
    ("zone", "first"),  # two days before the clocks change
    [
        ("Europe/Berlin", datetime(2026, 3, 27, 9, 30, tzinfo=UTC)),
        ("Europe/Berlin", datetime(2026, 10, 23, 9, 30, tzinfo=UTC)),
        ("Australia/Lord_Howe", datetime(2026, 4, 3, 9, 30, tzinfo=UTC)),
        ("Australia/Lord_Howe", datetime(2026, 10, 2, 9, 30, tzinfo=UTC)),
    ],
)
def test_over_a_change_of_the_clocks_no_day_is_skipped_and_none_done_twice(zone, first):
    guild = make_guild(time_zone=zone)
    for hour in range(0, 24 * 5, 3):
        make_message("Good morning.", sent_at=first + timedelta(hours=hour))
        pipeline.consolidate_due(now=first + timedelta(hours=hour))
    done = list(JobRun.objects.filter(phase="papers").order_by("pk").values_list("day", flat=True))
    assert done == [done[0] + timedelta(days=number) for number in range(len(done))]
    assert len(done) in (4, 5)
    assert Action.objects.filter(kind="consolidation").count() == 4 * len(done)
    assert guild.journals.count() == len(done)


def test_a_clock_that_jumps_back_over_midnight_does_no_day_twice():
    notes_of_the_day()
    midnight = NOON.replace(hour=0) + days(1)
    pipeline.consolidate_due(now=midnight + minutes(5))
    before = list(JobRun.objects.values())
    for later in (-55, -10, 5, 60):
        assert pipeline.consolidate_due(now=midnight + minutes(later)) == 0
    assert list(JobRun.objects.values()) == before


def test_one_guild_that_cannot_be_consolidated_stops_no_other():
    notes_of_the_day()
    Guild.objects.create(key="discord:0", time_zone="Mars/Olympus")  # no form lets this in
    assert pipeline.consolidate_due(now=NEXT) == 1
    assert JobRun.objects.filter(guild=north(), status="done").count() == 4


def test_a_guild_whose_night_takes_long_keeps_no_other_waiting():
    for key in ("discord:1", "discord:2"):
        guild = make_guild(key)
        make_message("Good morning.", channel=make_channel(guild))
    left = iter([True, True, False])
    pipeline.consolidate_due(now=NEXT, keep_going=lambda: next(left, False))
    assert {run.guild.key for run in JobRun.objects.all()} == {"discord:1"}
    nights = DueWork.objects.filter(work=due_work.Work.NIGHT).order_by("at")
    assert [row.guild.key for row in nights] == ["discord:2", "discord:1"]
    pipeline.consolidate_due(now=NEXT + minutes(15))
    assert JobRun.objects.filter(status="done").count() == 8


# --- Who may work on what ----------------------------------------------------------------------------------------


def claimed(now: datetime = NEXT) -> JobRun:
    run = job_runs.claim(begun(now=now), now=now)
    assert run
    return run


def test_a_phase_is_claimed_by_one_process_only():
    claimed()
    again = begun(now=NEXT)
    assert not job_runs.claim(again, now=NEXT)
    notes_of_the_day()
    assert night()["cluster"] == "busy"
    assert not InteractionNote.objects.filter(kind="topic_cluster").exists()


def test_a_phase_that_another_process_did_since_it_was_read_is_not_done_again():
    read = begun(now=NEXT)
    leases.finish(claimed(), status="done", finished_at=NEXT)
    assert not job_runs.claim(read, now=NEXT)
    assert JobRun.objects.get().status == "done"


def test_a_claim_ends_with_its_lease_and_each_piece_renews_it():
    run = claimed()
    JobRun.objects.update(claimed_by="another-machine:1")
    run.refresh_from_db()
    assert leases.checkpoint(run, reached="1", now=NEXT + minutes(10))
    row = JobRun.objects.get()
    assert not job_runs.claim(row, now=NEXT + JobRun.policy.length)
    assert job_runs.claim(row, now=NEXT + minutes(10) + JobRun.policy.length)
    assert not leases.checkpoint(run, reached="2", now=NEXT + minutes(40))


def test_the_claim_of_a_process_of_this_machine_that_is_gone_ends_at_once(monkeypatch):
    claimed()
    monkeypatch.setattr(leases, "is_dead", lambda holder: True)
    assert job_runs.claim(JobRun.objects.get(), now=NEXT)


def test_what_lost_its_claim_writes_no_result():
    run = claimed()
    job_runs.reopen(make_guild(), DAY)
    leases.finish(run, status="done", finished_at=NEXT)
    assert not JobRun.objects.exists()


def test_a_failing_phase_waits_longer_each_time_and_is_parked_after_five_attempts():
    notes_of_the_day()
    waits, now = [], NEXT
    with scripted() as model:
        model.fail("clusters", 9)
        while JobRun.objects.filter(phase="cluster").exclude(status="parked").exists() or not waits:
            pipeline.consolidate_due(now=now)
            run = JobRun.objects.get(phase="cluster")
            waits.append(run.next_attempt_at - now)
            due_work.mark(run.guild_id)
            assert pipeline.consolidate_due(now=run.next_attempt_at - minutes(1)) == 0
            due_work.mark(run.guild_id)
            now = run.next_attempt_at + minutes(1)
    assert len(waits) == JobRun.policy.most_attempts
    assert [round(wait / minutes(15)) for wait in waits] == [1, 2, 4, 8, 16]
    assert due(now + days(1)) == []
    assert night(now=now)["cluster"] == "done"  # by hand


def test_a_phase_that_kills_its_worker_each_time_is_parked_in_the_end(monkeypatch):
    notes_of_the_day()
    monkeypatch.setattr(leases, "is_dead", lambda holder: True)
    for _ in range(JobRun.policy.most_attempts):
        claimed()
    pipeline.consolidate_due(now=NEXT)
    run = JobRun.objects.get(phase="cluster")
    assert (run.status, run.last_error) == ("parked", "The worker ended 5 times while it worked on this.")


def test_a_night_that_is_told_to_stop_goes_on_behind_the_last_member_it_did():
    people = [make_member(name=name) for name in ("Alice", "Bob", "Carol")]
    for person in people:
        message = make_message(LONG, author=person)
        make_note(f"Of {person}", messages=[message], note_date=DAY)
        make_fact("Builds boats.", subject=person, evidence=[message])
    left = iter([True, True, True, False, False, False])
    with scripted() as model:
        assert night(keep_going=lambda: next(left)) == {
            "cluster": "done", "profiles": "stopped", "decay": "stopped", "papers": "stopped",
        }  # fmt: skip
        assert [given.member for purpose, given in model.asked if purpose == "profile_rebuild"] == ["Alice", "Bob"]
        assert due(NEXT) == [DAY]
        stopped = JobRun.objects.get(phase="profiles")
        assert stopped.progress.items() >= {"pieces": 3, "done": 2}.items()
        model.asked.clear()
        pipeline.consolidate_due(now=NEXT + minutes(1))
        assert [given.member for _, given in model.asked] == ["Carol"]
    run = JobRun.objects.get(phase="profiles")
    assert (run.status, sum(run.counts.values())) == ("done", 3)


def test_an_interrupted_night_gives_its_phase_back(monkeypatch):
    notes_of_the_day()

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("memory.jobs.nightly.topics.find_topics", interrupted)
        with pytest.raises(KeyboardInterrupt):
            night()
    assert not JobRun.objects.exclude(claimed_until=None).exists()
    assert night()["cluster"] == "done"


def test_notes_that_change_while_the_model_sorts_them_are_sorted_again(monkeypatch):
    first, *_ = notes_of_the_day()
    changes = [lambda: pipeline.delete(north(), message_ids=[first.messages.get().platform_id], now=NEXT)]

    def ask(task, given, *, guild):
        if changes:
            changes.pop()()
        return task.offline(given)

    monkeypatch.setattr(ASKED, ask)
    notes_of_the_day(1)
    assert night()["cluster"] in ("failed", "done")
    assert not InteractionNote.objects.filter(kind="topic_cluster").exists()
    pipeline.consolidate_due(now=NEXT + minutes(40))
    topics = InteractionNote.objects.filter(kind="topic_cluster")
    told = {note for topic in topics for note in topic.notes.all()}
    assert told
    assert told <= set(InteractionNote.objects.filter(kind="conversation"))


# --- What a model costs ------------------------------------------------------------------------------------------


def test_a_spent_budget_has_the_rules_do_the_night_and_says_so(monkeypatch):
    notes_of_the_day()
    Guild.objects.update(daily_tokens=0)
    monkeypatch.setattr(model_choice, "chosen", lambda tier, own="": Choice("openai", "some-model", "test-key", ""))
    assert set(night().values()) == {"done"}
    assert InteractionNote.objects.filter(kind="topic_cluster").exists()
    assert set(ModelCall.objects.values_list("purpose", "outcome")) >= {("clusters", "budget")}
    assert Action.objects.filter(kind="model_budget_spent").count() == 1


def test_a_provider_that_asks_for_a_longer_wait_gets_it(monkeypatch):
    notes_of_the_day()
    with scripted() as model:
        model.will("clusters", ModelFailed("rate_limited", retry_after=7200))
        night()
    assert JobRun.objects.get(phase="cluster").next_attempt_at >= NEXT + timedelta(hours=2)
