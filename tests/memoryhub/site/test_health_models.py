"""What an operator is warned of when models refuse or budgets are spent."""

import pytest

from memory.curation.statistics import overview
from memory.models import ModelCall
from memoryhub.site.health import warnings
from tests.factories import NOON, make_guild, minutes

pytestmark = pytest.mark.django_db


def called(guild, *, ago=0, **fields):
    values = {"purpose": "note", "model": "openai:small", "outcome": "ok", "tokens_in": 100}
    ModelCall.objects.create(guild=guild, at=NOON - minutes(ago), **values | fields)


def told():
    return [warning.text for warning in warnings(overview(now=NOON), now=NOON)]


def test_the_home_page_says_that_a_budget_is_spent_and_names_no_guild():
    called(make_guild(daily_tokens=100))
    assert told() == ["Guilds that have spent today’s budget for models: 1."]


def test_the_home_page_says_that_a_provider_refuses_until_it_does_not():
    guild = make_guild()
    called(guild, outcome="failed", error_class="no_credit", ago=2)
    called(guild, outcome="failed", error_class="rate_limited", model="google:small", ago=2)
    assert told() == ["openai:small: The provider's account has no credit or quota left."]
    called(guild, outcome="budget", ago=1)
    assert len(told()) == 1
    called(guild)
    assert told() == []


def test_what_was_refused_days_ago_is_no_news():
    called(make_guild(), outcome="failed", error_class="wrong_key", ago=2 * 24 * 60)
    assert told() == []


def test_the_home_page_says_that_a_provider_is_away_until_it_is_back():
    guild = make_guild()
    called(guild, outcome="failed", error_class="timed_out", ago=9)
    called(guild, outcome="failed", error_class="unreachable", ago=8)
    assert told() == []
    called(guild, outcome="failed", error_class="unreachable", ago=7)
    assert told() == ["openai:small: The provider could not be reached, or the connection broke."]
    called(guild, outcome="budget", ago=6)
    assert len(told()) == 1
    called(guild, ago=5)
    assert told() == []


@pytest.mark.parametrize(("error", "ago"), [("bad_answer", 1), ("unavailable", 61)])
def test_answers_that_do_not_fit_and_what_is_long_past_is_no_absence(error, ago):
    for _ in range(3):
        called(make_guild(), outcome="failed", error_class=error, ago=ago)
    assert told() == []
