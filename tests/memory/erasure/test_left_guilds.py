"""A guild that the bot was removed from keeps its memory for a time of grace."""

import pytest

from memory import erasure
from memory.erasure import left_guilds
from memory.models import Action, Fact
from memoryhub.community.models import Guild
from tests.factories import NOON, days, make_fact, make_guild, make_member

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_first_removal_counts_however_often_it_is_told():
    guild = make_guild()
    left_guilds.bot_left(guild, now=NOON)
    left_guilds.bot_left(guild, now=NOON + days(3))
    guild.refresh_from_db()
    assert guild.left_at == NOON
    assert left_guilds.purge_time(guild) == NOON + days(30)
    assert Action.objects.filter(kind="left").count() == 1


def test_one_that_has_the_bot_back_is_not_purged():
    guild = make_guild()
    left_guilds.bot_left(guild, now=NOON)
    left_guilds.bot_returned(guild, now=NOON + days(1))
    left_guilds.bot_returned(guild, now=NOON + days(1))
    assert list(left_guilds.guilds_to_purge()) == []
    assert Action.objects.filter(kind="came_back").count() == 1


def test_one_that_is_to_stay_for_good_is_never_purged():
    left_guilds.bot_left(make_guild(leaving_days=None), now=NOON)
    assert list(left_guilds.guilds_to_purge()) == []


@pytest.mark.parametrize(("passed", "left"), [(29, 1), (31, 0)])
def test_the_memory_of_a_guild_goes_when_its_time_of_grace_is_over(passed, left):
    north, south = make_guild(), make_guild("discord:2")
    for guild in (north, south):
        make_fact(subject=make_member(guild=guild))
    left_guilds.bot_left(north, now=NOON)
    left_guilds.purge_due(now=NOON + days(passed))
    assert Fact.objects.filter(guild__key=north.key).count() == left
    assert Guild.objects.filter(key=north.key).count() == left
    assert Fact.objects.filter(guild=south).count() == 1
    assert Action.objects.filter(kind="purged", guild=None).count() == 1 - left


def test_a_guild_that_cannot_be_purged_stops_none_of_the_later_ones(monkeypatch):
    north, south = make_guild(), make_guild("discord:2")
    for guild in (north, south):
        left_guilds.bot_left(guild, now=NOON)
    begin = erasure.begin
    monkeypatch.setattr(erasure, "begin", lambda guild, **more: 1 / 0 if guild == north else begin(guild, **more))
    assert left_guilds.purge_due(now=NOON + days(31)) == 1
    assert list(Guild.objects.all()) == [north]
    assert Action.objects.get(kind="bot_error").detail["scope"] == "memory_departures"


def test_a_purge_that_takes_too_long_is_finished_by_the_worker_in_a_minute():
    left_guilds.bot_left(make_guild(), now=NOON)
    asked = iter([True])
    assert left_guilds.purge_due(now=NOON + days(31), keep_going=lambda: next(asked, False)) == 0
    assert Guild.objects.exists()
    assert erasure.finish_interrupted(now=NOON + days(31)) == 1
    assert not Guild.objects.exists()


def test_a_guild_that_has_the_bot_back_at_the_last_moment_is_spared(monkeypatch):
    guild = make_guild()
    left_guilds.bot_left(guild, now=NOON)
    due = [(Guild.objects.get(pk=guild.pk), NOON)]
    left_guilds.bot_returned(guild, now=NOON)
    monkeypatch.setattr(left_guilds, "guilds_to_purge", lambda: due)
    left_guilds.purge_due(now=NOON + days(31))
    assert Guild.objects.filter(pk=guild.pk).exists()
