"""`consolidate` runs the nightly job now, for the days that are due or one that is named."""

import io

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.utils import timezone

from memory import pipeline
from memory.curation.statistics import overview
from memory.jobs import nightly
from memory.models import JobRun
from memoryhub.community.models import Guild
from notes.messages.schemas import GuildRef
from tests.factories import NOON, days, make_guild, minutes
from tests.incoming import say

pytestmark = pytest.mark.django_db
DAY = str(NOON.date())


@pytest.fixture(autouse=True)
def _by_words_only(settings):
    settings.MEMORYHUB_EMBEDDING_MODEL = "none"


@pytest.fixture
def talked():
    say("I live in Toronto.", at=NOON)
    say("I have a dog named Bento. He sleeps under my desk while I am writing letters in the evening.", at=NOON)
    say("I work as a carpenter. The workshop is down by the river, behind the old mill.", "Bob", at=NOON)
    pipeline.digest(None, now=NOON)


@pytest.mark.parametrize(
    ("day", "said"),
    [
        ("2030-01-01", "In discord:1 2030-01-01 has not begun"),
        ("2026-13-01", "'2026-13-01' is no day"),
        ("0001-01-01", "'0001-01-01' can't be meant. Must not lie before 1970"),
    ],
)
def test_a_day_that_has_not_begun_or_is_none_is_refused(talked, day, said):
    with pytest.raises(CommandError, match=said):
        run("--day", day)
    assert not JobRun.objects.exists()


def run(*arguments, **options):
    out = io.StringIO()
    with time_machine.travel(NOON + days(2), tick=False):
        call_command("consolidate", *arguments, stdout=out, **options)
    return out.getvalue()


def test_the_days_that_are_due_are_consolidated(talked):
    out = run()
    assert DAY in out
    assert set(JobRun.objects.values_list("day", "status")) == {(NOON.date(), "done")}


def test_yesterday_is_taken_when_nothing_is_due():
    make_guild()
    assert str((NOON + days(1)).date()) in run()


def test_yesterday_is_the_guilds_own():
    make_guild(time_zone="Pacific/Kiritimati")
    assert str((NOON + days(2)).date()) in run()


def test_a_day_can_be_named_and_is_skipped_once_it_is_done(talked):
    out = run("--day", DAY)
    assert "done" in out
    assert "1 journal written, 1 snapshot written" in out
    assert "skipped" in run("--day", DAY)
    assert "skipped" not in run("--day", DAY, force=True)


def test_a_dry_run_changes_nothing(talked):
    out = run(dry_run=True)
    assert "planned" in out
    assert not JobRun.objects.exists()


def test_one_guild_can_be_consolidated_alone(talked):
    make_guild("discord:2")
    out = run(guild="discord:2")
    assert "discord:2" in out
    assert "discord:1" not in out


def test_a_guild_that_is_switched_off_is_left_alone():
    make_guild(memory_on=False)
    assert "nothing to consolidate" in run()


def test_an_unknown_guild_is_told_in_words():
    with pytest.raises(CommandError, match="No guild discord:404 is known"):
        run(guild="discord:404")


def test_a_day_that_is_none_is_refused():
    with pytest.raises(CommandError, match="--day"):
        call_command("consolidate", "--day", "tomorrow")


def test_an_interrupted_night_says_how_to_go_on(talked, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "consolidate", interrupted)
    with pytest.raises(CommandError, match="goes on where it stopped") as caught:
        run()
    assert caught.value.returncode == 130


def test_a_dry_run_prints_what_would_change_as_a_diff(talked):
    say("Good \x1b[31mmorning, said too late for a note.", at=NOON)
    out = run("--day", DAY, dry_run=True)
    assert f"# discord:1, {DAY}: journal and snapshot" in out
    assert "+- 2026-03-02T12:00:00Z" in out
    assert "\x1b[31m" not in out


def test_a_failed_phase_exits_with_one(talked, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError

    monkeypatch.setitem(nightly.PHASES, "decay", broken)
    with pytest.raises(CommandError, match="Failed phases: 1") as caught:
        run()
    assert caught.value.returncode == 1


@pytest.fixture
def stood_still(talked):
    """Talk on days that are long past; of the guild in Tokyo, the day is already the next one."""
    say("I moved to Lisbon.", id="later", at=NOON + days(1))
    make_guild("discord:9", time_zone="Asia/Tokyo")
    say("I live in Kyoto.", guild=GuildRef(key="discord:9"), at=NOON + minutes(360))
    say("I lived in Rome.", id="old", at=NOON - days(9), source="import")
    say("I lived in Oslo.", id="sent late", at=NOON - days(8))
    Guild.objects.update(created_at=NOON)
    pipeline.digest(None, now=NOON + days(1))


def after(*arguments):
    out = io.StringIO()
    with time_machine.travel(NOON + days(20), tick=False):
        call_command("consolidate", *arguments, stdout=out)
        return out.getvalue(), overview(now=timezone.now()).nights_missed


def test_days_too_old_to_be_caught_up_are_told_of_and_done_in_one_go(stood_still):
    assert overview(now=NOON + days(7)).nights_missed == 0
    assert after()[1] == 3
    out, left = after("--late")
    assert left == 0
    done = set(JobRun.objects.filter(status="done").values_list("guild__key", "day"))
    told = [(NOON + days(number)).date() for number in (-9, -8, 0, 1)]
    assert {*(("discord:1", day) for day in told), ("discord:9", told[-1])} <= done
    assert sorted(told, key=lambda day: out.index(str(day))) == told
