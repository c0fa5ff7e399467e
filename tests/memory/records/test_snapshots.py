"""The day's log and the snapshot follow what is said, every five minutes, and nothing deleted is written back."""

import pytest
from django.db import connection

from memory import tasks
from memory.models import Snapshot
from memory.records import snapshots
from memory.schedules import PERIODIC
from memoryhub.community.models import Guild
from notes.models import Journal
from tests.factories import NOON, days, make_fact, make_guild, make_member, make_message, minutes
from tests.incoming import SOUTH, say

DAY = NOON.date()


def keep_up(later: float = 5) -> int:
    return snapshots.render_recent(now=NOON + minutes(later))


@pytest.mark.django_db
def test_what_was_said_is_in_the_days_log_and_the_snapshot_within_five_minutes():
    say("The boat is finished at last.")
    assert keep_up() == 1
    say("The mast stands too, by the way.", at=NOON + minutes(6))
    assert keep_up(10) == 1
    log, page = Journal.objects.get().text, Snapshot.objects.get().text
    assert (log.count("# North"), log.count("The boat"), log.count("The mast")) == (1, 1, 1)
    assert log.index("The boat") < log.index("The mast")
    assert "The boat" in page
    assert "The mast" in page
    assert f"{DAY}.md" in page


@pytest.mark.django_db
def test_a_guild_in_which_nobody_spoke_since_is_left_alone():
    say("The boat is finished at last.")
    say("Hello from the south.", guild=SOUTH)
    assert keep_up() == 2
    say("The mast stands too, by the way.", at=NOON + minutes(7))
    assert keep_up(10) == 1
    assert Journal.objects.get(guild__key=SOUTH.key).generated_at == NOON + minutes(5)


@pytest.mark.django_db
def test_where_nobody_ever_spoke_or_memory_is_off_nothing_is_rendered():
    make_guild()
    say("Hello from the south.", guild=SOUTH)
    Guild.objects.filter(key=SOUTH.key).update(memory_on=False)
    assert (keep_up(), Journal.objects.count()) == (0, 0)


@pytest.mark.django_db
def test_after_midnight_the_new_day_has_a_log_of_its_own():
    say("The boat is finished at last.")
    keep_up()
    say("Good morning, everyone.", at=NOON + days(1))
    snapshots.render_recent(now=NOON + days(1))
    assert [row.day for row in Journal.objects.order_by("day")] == [DAY, DAY + days(1)]


@pytest.mark.django_db
def test_it_stops_when_told_to_and_goes_on_with_the_next_run():
    say("The boat is finished at last.")
    say("Hello from the south.", guild=SOUTH)
    assert snapshots.render_recent(now=NOON + minutes(5), keep_going=lambda: not Journal.objects.exists()) == 1
    assert (keep_up(6), Journal.objects.count()) == (1, 2)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("paper", ["journal_text", "snapshot_text"])
def test_what_is_deleted_while_a_paper_is_rendered_is_not_written_back(monkeypatch, paper):
    """The transaction begins before the messages are read: nobody else can delete one until it is written."""
    held = []
    render = getattr(snapshots, paper)
    monkeypatch.setattr(snapshots, paper, lambda *a, **k: held.append(connection.in_atomic_block) or render(*a, **k))
    say("The boat is finished at last.")
    keep_up()
    assert held == [True]


@pytest.mark.django_db
def test_the_worker_does_it_every_five_minutes():
    assert [(job.task, job.minutes) for job in PERIODIC if job.name == "papers"] == [("memory.tasks.keep_papers", 5)]
    say("The boat is finished at last.")
    tasks.keep_papers()
    assert "The boat" in Journal.objects.get().text


@pytest.mark.django_db
def test_a_highlight_is_what_something_was_learned_from_or_what_was_answered():
    for number in range(20):
        make_message(f"idle words number {number}")
    learned = make_message("I bought a boat at last")
    make_fact("Bought a boat.", subject=make_member(), evidence=[learned])
    asked = make_message("who comes along on sunday?", author=make_member(name="Bob"))
    make_message("me, of course, as always", author=make_member(name="Bob"), reply_to=asked.platform_id)
    shown = snapshots.snapshot_text(make_guild(), now=NOON + minutes(60)).split("## Recent highlights")[1]
    lines = [line for line in shown.split("## ")[0].splitlines() if line.startswith("- ")]
    assert len(lines) == snapshots.FEWEST
    assert any("bought a boat" in line for line in lines)
    assert any("who comes along" in line for line in lines)
