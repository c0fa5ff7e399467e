"""Who runs which shard: every shard by one process, shared out evenly, taken over when a process is gone."""

from __future__ import annotations

from datetime import timedelta

import pytest

from botrunner.bot import Shards
from botrunner.connection import shard_leases
from botrunner.models import BotProcess, Shard
from memoryhub.db import leases
from tests.factories import NOON

pytestmark = pytest.mark.django_db
FOUR = Shards([0, 1, 2, 3], 4)
LATER = NOON + Shard.policy.length + timedelta(seconds=1)


@pytest.fixture(autouse=True)
def four_shards():
    shard_leases.prepare(FOUR, now=NOON)


class Process:
    """A process of some host, with the shards that it holds."""

    def __init__(self, name, monkeypatch):
        self.name, self.monkeypatch, self.held = name, monkeypatch, {}

    def turn(self, shards=FOUR, now=NOON):
        self.monkeypatch.setattr(leases, "process_id", lambda: self.name)
        change = shard_leases.take_turn(list(self.held.values()), shards, now=now)
        for number in change.lost:
            del self.held[number]
        for number in change.surplus:
            shard_leases.give_back(self.held.pop(number))
        self.held |= {row.number: row for row in change.gained}
        return change

    def sign_off(self):
        self.monkeypatch.setattr(leases, "process_id", lambda: self.name)
        shard_leases.sign_off()
        for row in self.held.values():
            shard_leases.give_back(row)


@pytest.fixture
def one(monkeypatch):
    return Process("one:1", monkeypatch)


@pytest.fixture
def two(monkeypatch):
    return Process("two:1", monkeypatch)


def test_a_process_alone_runs_all(one):
    one.turn()
    assert sorted(one.held) == [0, 1, 2, 3]
    assert one.turn() == shard_leases.Change()


def test_a_second_process_is_given_its_half_and_both_are_content(one, two):
    one.turn()
    two.turn()
    assert two.held == {}
    assert one.turn().surplus == [2, 3]
    two.turn()
    assert (sorted(one.held), sorted(two.held)) == ([0, 1], [2, 3])
    assert [each.turn() for each in (one, two)] == [shard_leases.Change()] * 2


def test_what_a_process_ran_that_signs_off_goes_to_the_others_at_once(one, two):
    for each in (one, two, one, two):
        each.turn()
    two.sign_off()
    one.turn()
    assert sorted(one.held) == [0, 1, 2, 3]


def test_what_a_process_ran_that_says_no_more_goes_to_the_others_when_its_leases_end(one, two):
    for each in (one, two, one, two):
        each.turn()
    one.turn(now=NOON + timedelta(seconds=29))
    assert sorted(one.held) == [0, 1]
    one.turn(now=LATER)
    assert sorted(one.held) == [0, 1, 2, 3]
    assert two.turn(now=LATER).lost == [2, 3]


def test_a_process_that_comes_back_before_anybody_looked_has_lost_nothing(one, two):
    for each in (one, two, one, two):
        each.turn()
    assert two.turn(now=LATER).lost == []
    assert {2, 3} <= two.held.keys()


def test_a_process_that_was_told_its_shards_takes_those_and_no_others(one, two):
    one.turn(Shards([0, 1], 4))
    two.turn(Shards([2, 3], 4))
    assert (sorted(one.held), sorted(two.held)) == ([0, 1], [2, 3])
    two.sign_off()
    assert one.turn(Shards([0, 1], 4), now=LATER) == shard_leases.Change()


def test_another_number_of_shards_waits_until_nobody_runs_one(one):
    one.turn()
    assert shard_leases.count_in_use(now=NOON) == 4
    with pytest.raises(shard_leases.OtherShards, match="4 shards elsewhere"):
        shard_leases.prepare(Shards([0, 1], 2), now=NOON)
    one.sign_off()
    shard_leases.prepare(Shards([0, 1], 2), now=NOON)
    assert sorted(Shard.objects.values_list("number", "of")) == [(0, 2), (1, 2)]


def test_a_process_that_is_killed_again_and_again_leaves_its_shards_to_others(one, two):
    for number in range(2 * Shard.policy.most_attempts):
        one.held = {}
        one.turn(now=NOON + number * timedelta(minutes=1))
    BotProcess.objects.all().delete()
    two.turn(now=NOON + timedelta(hours=1))
    assert sorted(two.held) == [0, 1, 2, 3]


def test_one_shard_signs_in_at_a_time_and_the_next_five_seconds_later():
    turns = [shard_leases.may_identify(number, 4, at_once=1, now=NOON) for number in (0, 1, 2)]
    assert turns == [True, False, False]
    assert shard_leases.may_identify(1, 4, at_once=1, now=NOON + shard_leases.IDENTIFY_EVERY)


def test_as_many_sign_in_at_once_as_discord_allows_each_of_another_remainder():
    turns = [shard_leases.may_identify(number, 4, at_once=2, now=NOON) for number in (0, 1, 2, 3)]
    assert turns == [True, True, False, False]
