"""The day's log and the snapshot follow what is said, every five minutes, and nothing deleted is written back."""

import pytest
from django.db import connection, transaction

from memory import pipeline, tasks
from memory.models import Snapshot
from memory.records import snapshots
from memory.schedules import PERIODIC
from memoryhub.community.models import Guild
from notes.arrangements import keeping
from notes.models import Journal
from profiles import consent_effects
from tests.factories import (
    NOON,
    days,
    make_arrangement,
    make_channel,
    make_fact,
    make_guild,
    make_member,
    make_message,
    minutes,
)  # fmt: skip
from tests.incoming import SOUTH, north, say

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


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("gone", [False, True])
def test_a_file_that_is_written_late_brings_no_deleted_text_back(gone):
    message = say("The boat is finished at last.")
    say("The mast stands too, by the way.")

    def meanwhile():  # another process, between the commit of a paper and its file
        pipeline.delete(north(), message_ids=[message.id], now=NOON)
        if gone:
            snapshots.drop_journals(north(), [DAY])

    with transaction.atomic():
        transaction.on_commit(meanwhile)
        snapshots.render_journal(north(), day=DAY, now=NOON)
        snapshots.current_snapshot(north(), now=NOON, refresh=True)
    files = {path.name: path.read_text() for path in snapshots.folder(north()).iterdir()}
    assert files.keys() == ({"MEMORY.md"} if gone else {"MEMORY.md", f"{DAY}.md"})
    assert all("mast" in text and "boat" not in text for text in files.values())


@pytest.mark.django_db
def test_the_worker_does_it_every_five_minutes():
    assert [(job.task, job.minutes) for job in PERIODIC if job.name == "papers"] == [("memory.tasks.keep_papers", 5)]
    say("The boat is finished at last.")
    tasks.keep_papers()
    assert "The boat" in Journal.objects.get().text


def highlights():
    shown = snapshots.snapshot_text(make_guild(), now=NOON + minutes(60)).split("## Recent highlights")[1]
    return [line for line in shown.split("## ")[0].splitlines() if line.startswith("- ")]


@pytest.mark.django_db
def test_of_a_person_one_line_of_each_matter_is_told_that_which_is_pinned_before_a_fuller_one():
    alice, bob = make_member(), make_member(name="Bob")
    told = "Works at Hansen Optics as a buyer."
    for number, text in enumerate(("Works at Hansen Optics.", told, "Keeps bees.")):
        make_fact(text, subject=alice, said_at=NOON + minutes(number))
        make_fact(text, subject=bob, said_at=NOON + minutes(number), pinned=text == "Works at Hansen Optics.")
    people = snapshots.snapshot_text(make_guild(), now=NOON).partition("## Ongoing lore")[0]
    first, second = people.split("**Bob**")
    assert first.count("Hansen") == second.count("Hansen") == 1
    assert told in first
    assert told not in second
    assert first.count("bees") == second.count("bees") == 1


@pytest.mark.django_db
def test_highlights_are_what_was_decided_planned_and_learned_and_no_chat_lines():
    said = make_message("ok decided: the blue boat it is")
    make_arrangement(said, "the blue boat it is")
    make_arrangement(make_message("sailing to Lundy"), "sailing to Lundy", due_at=NOON + days(9))
    make_fact("Bought a boat.", subject=make_member(), evidence=[make_message("I bought a boat at last")])
    assert sorted(line.partition(" ")[2].partition(" ")[2] for line in highlights()) == [
        "Alice: Bought a boat.", "Decided by Alice: the blue boat it is", "Planned by Alice: sailing to Lundy",
    ]  # fmt: skip


@pytest.mark.django_db
def test_what_was_put_aside_or_told_in_private_is_no_highlight():
    private = make_channel(name="private", audience="channel")
    make_arrangement(make_message("the party is on Sunday", channel=private))
    make_fact("Has a secret.", subject=make_member(), audience=private)
    make_fact("Bought a boat.", subject=make_member())
    row = make_arrangement(make_message("the blue boat it is"))
    page = snapshots.current_snapshot(make_guild(), now=NOON + minutes(60)).text
    assert "the blue boat" in page
    keeping.put_aside(row, aside=True, now=NOON + minutes(70))
    page = snapshots.current_snapshot(make_guild(), now=NOON + minutes(80)).text
    assert "Bought a boat" in page
    assert not any(words in page for words in ("the blue boat", "party", "secret"))


@pytest.mark.django_db
@pytest.mark.parametrize("later", [0.05, 0.9])
def test_a_choice_that_waited_while_the_page_was_rendered_holds_at_once(later):
    alice = make_member()
    make_fact("Bought a boat.", subject=alice)
    assert "boat" in snapshots.current_snapshot(make_guild(), now=NOON + minutes(later)).text
    consent_effects.choose(alice, remember=False, actor="member:u-alice", now=NOON)
    assert snapshots.is_stale(make_guild())
    assert "boat" not in snapshots.current_snapshot(make_guild(), now=NOON + minutes(later)).text


@pytest.mark.django_db
def test_where_nothing_was_learned_a_highlight_is_what_was_answered():
    for number in range(20):
        make_message(f"idle words number {number}")
    asked = make_message("who comes along on sunday?", author=make_member(name="Bob"))
    make_message("me, of course, as always", author=make_member(name="Bob"), reply_to=asked.platform_id)
    assert len(highlights()) == snapshots.FEWEST
    assert any("who comes along" in line for line in highlights())


@pytest.mark.django_db
def test_a_chat_line_is_a_highlight_only_if_all_could_read_it_and_its_author_may_be_remembered():
    make_message("the heron is back on the pier")
    make_message("the party is on Sunday", channel=make_channel(name="private", audience="channel"))
    make_message("the owl is back, too", author=make_member(name="Bob", remember=False))
    make_message("the beaver is back, I hear", author=make_member(name="Robot", is_bot=True))
    assert highlights() == ["- 2026-03-02 Alice: the heron is back on the pier"]


@pytest.mark.django_db
def test_the_snapshot_has_the_guilds_own_days():
    guild = make_guild(time_zone="Pacific/Auckland")
    make_message("the heron is back on the pier")
    assert highlights() == ["- 2026-03-03 Alice: the heron is back on the pier"]
    make_fact("Bought a boat.", subject=make_member(), evidence=[make_message("I bought a boat at last")])
    assert highlights() == ["- 2026-03-03 Alice: Bought a boat."]
    assert "_Rendered 2026-03-03 01:00 Pacific/Auckland from" in snapshots.snapshot_text(guild, now=NOON)
