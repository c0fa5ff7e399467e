"""What an operator is warned of."""

import time

import pytest
from django_q.models import Schedule

from botrunner.models import Shard
from memory.curation.statistics import overview
from memory.erasure import left_guilds
from memory.models import LeftOut
from memory.records import skipped
from memoryhub.site import health
from memoryhub.site.health import model_name, warnings
from notes.models import ChannelBuffer
from tests.factories import NOON, days, make_buffer, make_guild, make_member, make_message, make_profile, minutes

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def up_for_long(monkeypatch):
    monkeypatch.setattr(health, "STARTED", time.monotonic() - 3600)


def told():
    return [warning.text for warning in warnings(overview(now=NOON), now=NOON)]


def test_a_healthy_hub_warns_of_nothing():
    make_buffer()
    assert told() == []


@pytest.mark.parametrize(("age", "late"), [(4, False), (6, True)])
def test_a_worker_that_leaves_conversations_waiting_is_noticed(age, late):
    make_buffer(status=ChannelBuffer.Status.CLOSED, closed_at=NOON - minutes(age))
    assert bool(told()) == late


def test_a_worker_that_misses_its_schedule_is_noticed():
    Schedule.objects.create(func="memory.tasks.tick", next_run=NOON - days(1))
    assert told() == ["The worker is not running: new messages wait to be read."]


def test_what_came_due_while_the_hub_was_off_is_no_alarm_when_it_starts(monkeypatch):
    monkeypatch.setattr(health, "STARTED", time.monotonic() - 10)
    Schedule.objects.create(func="memory.tasks.tick", next_run=NOON - days(1))
    assert told() == []


def test_a_bot_that_nobody_runs_is_told_of_where_there_is_a_token(settings, monkeypatch):
    shard = Shard.objects.create(number=0, of=1, claimed_until=NOON - minutes(1))
    assert told() == []
    settings.DISCORD_TOKEN = "a-token"
    assert told() == ["The Discord bot is not running: nothing that is said on Discord is heard."]
    Shard.objects.filter(pk=shard.pk).update(claimed_until=NOON + minutes(1))
    assert told() == []
    Shard.objects.all().delete()
    monkeypatch.setattr(health, "STARTED", time.monotonic() - 10)
    assert told() == []


def test_a_model_that_cannot_be_used_is_told_once_with_what_to_write(settings):
    settings.MEMORYHUB_MODEL = "gpt"
    [warning] = warnings(overview(now=NOON), now=NOON)
    assert "openai:<model>" in warning.remedy
    assert model_name() == ""


def test_profiles_that_no_model_could_rebuild_are_told_of_with_what_helps():
    make_profile(dirty=True, attempts=4)
    make_profile(make_member(name="Bob"), dirty=True, attempts=5, parked_at=NOON)
    [warning] = warnings(overview(now=NOON), now=NOON)
    assert warning.text.startswith("Profiles that no model could rebuild, five times: 1.")
    assert "rebuild_profiles" in warning.remedy


def test_texts_that_discord_withholds_are_told_of_for_the_day():
    guild = make_guild()
    for day, number in ((0, 1_200), (1, 7)):
        skipped.add_counts(
            guild, kind=LeftOut.Kind.MESSAGE, reasons={"withheld": number, "link": 3}, now=NOON - days(day)
        )
    [warning] = warnings(overview(now=NOON), now=NOON)
    assert warning.text == "Discord withheld the text of 1,200 messages today. They are not stored."
    assert "message content intent" in warning.remedy


def test_a_guild_that_the_bot_left_is_told_of_with_the_day_on_which_it_is_purged():
    left_guilds.bot_left(make_guild(), now=NOON)
    [warning] = warnings(overview(now=NOON), now=NOON)
    assert warning.text.endswith(f"1. The next is purged on {NOON + days(30):%d %B %Y}.")


def test_days_that_are_too_old_to_be_caught_up_are_told_of_but_none_from_before_the_guild_was_known():
    make_guild(created_at=NOON - days(9))
    make_message(sent_at=NOON - days(9))
    make_message(sent_at=NOON - days(11))
    [warning] = warnings(overview(now=NOON), now=NOON)
    assert warning.text == "Days that were never consolidated and are too old to be caught up: 1."
    assert "manage.py consolidate --late" in warning.remedy
