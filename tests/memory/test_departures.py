"""A guild that the bot was removed from keeps its memory for a time of grace."""

import pytest

from memory import departures
from memory.models import Action
from tests.factories import NOON, days, make_guild

pytestmark = pytest.mark.django_db


def test_the_first_removal_counts_however_often_it_is_told():
    guild = make_guild()
    departures.leave(guild, now=NOON)
    departures.leave(guild, now=NOON + days(3))
    guild.refresh_from_db()
    assert guild.left_at == NOON
    assert departures.purged_at(guild) == NOON + days(30)
    assert Action.objects.filter(kind="left").count() == 1


def test_one_that_has_the_bot_back_is_not_purged():
    guild = make_guild()
    departures.leave(guild, now=NOON)
    departures.come_back(guild, now=NOON + days(1))
    departures.come_back(guild, now=NOON + days(1))
    assert list(departures.leaving()) == []
    assert Action.objects.filter(kind="came_back").count() == 1


def test_one_that_is_to_stay_for_good_is_never_purged():
    departures.leave(make_guild(leaving_days=None), now=NOON)
    assert list(departures.leaving()) == []
