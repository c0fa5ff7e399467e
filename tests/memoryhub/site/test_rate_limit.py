"""A key's requests a minute."""

import pytest
from django.core.cache import cache

from memoryhub.models import ApiKey
from memoryhub.site import auth
from tests.factories import make_guild

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_cache")]


def ask(client, key):
    return client.get("/api/v1/guilds/discord:1/stats", headers={"authorization": f"Bearer {key}"})


@pytest.fixture
def key(time_machine):
    time_machine.move_to("2026-03-01T12:00:20Z", tick=False)
    return auth.issue(name="bot", guild=make_guild("discord:1"), scope="read", per_minute=2)


def test_a_request_too_many_is_told_when_to_come_again(client, key):
    assert [ask(client, key).status_code for _ in range(3)] == [200, 200, 429]
    refused = ask(client, key)
    assert refused["Retry-After"] == "40"
    assert refused["Content-Type"] == "application/problem+json"


def test_what_else_is_cached_does_not_throw_the_count_out(client, key):
    for _ in range(2):
        ask(client, key)
    cache.set_many({f"look:{number}": 1 for number in range(1_000)})
    assert ask(client, key).status_code == 429


def test_the_next_minute_is_a_new_one(client, key, time_machine):
    for _ in range(3):
        ask(client, key)
    time_machine.move_to("2026-03-01T12:01:00Z", tick=False)
    assert ask(client, key).status_code == 200


def test_one_key_does_not_use_up_another(client, key):
    for _ in range(3):
        ask(client, key)
    other = auth.issue(name="other", guild=None, scope="read", per_minute=2)
    assert ask(client, other).status_code == 200


def test_a_key_may_have_no_limit(client, key):
    ApiKey.objects.update(per_minute=None)
    assert {ask(client, key).status_code for _ in range(5)} == {200}
