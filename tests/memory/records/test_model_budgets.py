"""A guild's daily budget: counted in its own day, told once, and the rules step in."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from memory.models import Action, ModelCall
from memory.records import model_budgets
from memoryhub.ai import call_recorder
from tests.factories import NOON, days, make_guild

pytestmark = pytest.mark.django_db


def called(guild, *, at=NOON, **fields):
    values = {"purpose": "note", "model": "openai:small", "outcome": "ok", "tokens_in": 60, "tokens_out": 40}
    return ModelCall.objects.create(guild=guild, at=at, **values | fields)


@pytest.fixture
def noon(monkeypatch):
    monkeypatch.setattr("django.utils.timezone.now", lambda: NOON)


def test_a_guild_without_a_budget_spends_what_it_likes(noon):
    guild = make_guild()
    called(guild, tokens_in=10**9, cost_usd=10**5)
    assert not model_budgets.is_spent(guild, NOON)
    assert model_budgets.allows_call(guild.pk)


@pytest.mark.parametrize(("limit", "over"), [(101, False), (100, True), (99, True), (0, True)])
def test_tokens_in_and_out_count(limit, over):
    guild = make_guild(daily_tokens=limit)
    called(guild)
    assert model_budgets.is_spent(guild, NOON) == over


@pytest.mark.parametrize(("limit", "over"), [("0.02", False), ("0.01", True), ("0", True)])
def test_money_counts_too(limit, over):
    guild = make_guild(daily_usd=Decimal(limit))
    called(guild, cost_usd=Decimal("0.004"))
    called(guild, cost_usd=Decimal("0.006"), outcome="failed")
    assert model_budgets.is_spent(guild, NOON) == over


def test_the_day_is_the_guild_s_own():
    guild = make_guild(daily_tokens=100, time_zone="America/New_York")  # five hours behind
    called(guild, at=datetime(2026, 3, 2, 4, 59, tzinfo=UTC))
    assert not model_budgets.is_spent(guild, NOON)
    called(guild, at=datetime(2026, 3, 2, 5, 0, tzinfo=UTC))
    assert model_budgets.is_spent(guild, NOON)
    assert not model_budgets.is_spent(guild, NOON + days(1))


def test_a_day_of_twenty_three_hours_is_a_day():
    guild = make_guild(daily_tokens=100, time_zone="Europe/Berlin")
    summer_time_begins = datetime(2026, 3, 29, 21, 30, tzinfo=UTC)
    called(guild, at=datetime(2026, 3, 28, 22, 59, tzinfo=UTC))
    assert not model_budgets.is_spent(guild, summer_time_begins)
    called(guild, at=datetime(2026, 3, 28, 23, 0, tzinfo=UTC))
    assert model_budgets.is_spent(guild, summer_time_begins)


def test_one_guild_s_calls_are_not_another_s():
    north, south = make_guild(daily_tokens=100), make_guild("discord:2", daily_tokens=100)
    called(south)
    assert not model_budgets.is_spent(north, NOON)
    assert model_budgets.guilds_over_budget(now=NOON) == [south]


def test_all_budgets_are_looked_up_in_one_statement_each_since_its_guilds_own_midnight():
    before = datetime(2026, 3, 2, 4, 59, tzinfo=UTC)  # today in UTC, yesterday in New York
    here = make_guild(daily_tokens=100)
    there = make_guild("discord:2", daily_tokens=100, time_zone="America/New_York")
    dear = make_guild("discord:3", daily_usd=Decimal("0.01"), time_zone="Asia/Tokyo")
    nothing, unlimited = make_guild("discord:4", daily_usd=0), make_guild("discord:5")
    for guild in (here, there, unlimited):
        called(guild, at=before)
    called(dear, cost_usd=Decimal("0.02"))
    called(None)
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert model_budgets.guilds_over_budget(now=NOON) == [here, dear, nothing]
    assert len(asked) == 2  # the guilds, and their calls
    called(there, at=datetime(2026, 3, 2, 5, 0, tzinfo=UTC))
    assert model_budgets.guilds_over_budget(now=NOON) == [here, there, dear, nothing]


def test_the_action_log_tells_once_a_day(noon, monkeypatch):
    guild = make_guild(daily_tokens=100)
    called(guild)
    assert [model_budgets.allows_call(guild.pk) for _ in range(3)] == [False] * 3
    action = Action.objects.get(kind="model_budget_spent")
    assert (action.guild, action.detail) == (guild, {"tokens": 100, "usd": "0"})
    monkeypatch.setattr("django.utils.timezone.now", lambda: NOON + days(1))
    assert model_budgets.allows_call(guild.pk)
    called(guild, at=NOON + days(1))
    assert not model_budgets.allows_call(guild.pk)
    assert Action.objects.filter(kind="model_budget_spent").count() == 2


def test_calls_for_no_guild_are_always_allowed():
    assert model_budgets.allows_call(None)
    assert model_budgets.allows_call(4711)


def test_the_rule_is_asked_before_every_call():
    assert model_budgets.allows_call in call_recorder._rules


@pytest.mark.sqlite_only("its query plan")
def test_the_sum_reads_one_index_and_looks_at_one_guild_s_day_only():
    guild = make_guild(daily_tokens=100)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        model_budgets.spent_today(guild, now=NOON)
    [query] = queries.captured_queries
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
        plan = " ".join(str(row) for row in cursor.fetchall())
    assert "model_call_guild_time (guild_id=? AND at>?)" in plan


def test_a_budget_is_never_below_nothing():
    with pytest.raises(IntegrityError), transaction.atomic():
        make_guild(daily_usd=Decimal("-0.01"))
