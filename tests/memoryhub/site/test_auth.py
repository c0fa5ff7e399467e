from datetime import timedelta

import pytest
import time_machine
from django.db import OperationalError
from django.db.models import QuerySet
from django.test import Client

from memoryhub.models import ApiKey
from memoryhub.site import auth
from tests.api_client import Api, a_message, api_for
from tests.factories import NOON, make_guild

pytestmark = pytest.mark.django_db


def test_a_key_is_kept_only_as_a_digest():
    key = auth.issue(name="bot", guild=None, scope="read")
    row = ApiKey.objects.get()
    assert key not in str(vars(row))
    assert len(row.digest) == 64


def test_two_keys_are_never_alike():
    assert auth.issue(name="a", guild=None, scope="read") != auth.issue(name="b", guild=None, scope="read")


def test_a_name_is_free_for_another_guild_and_once_its_key_is_revoked():
    auth.issue(name="bot", guild=None, scope="read")
    auth.issue(name="bot", guild=make_guild(), scope="read")
    with pytest.raises(auth.NameTaken, match="'bot' for discord:1 is in use since "):
        auth.issue(name="bot", guild=make_guild(), scope="write")
    auth.revoke(ApiKey.objects.get(guild=None), now=NOON)
    auth.issue(name="bot", guild=None, scope="read")


def test_a_key_is_known_again():
    key = auth.issue(name="bot", guild=None, scope="read")
    assert auth.verify(key, now=NOON) == ApiKey.objects.get()


@pytest.mark.parametrize(
    "spoil", [str.upper, lambda key: key[:-1], lambda key: key + "x", lambda _: "", lambda _: "mh_"]
)
def test_a_key_that_differs_is_not_known(spoil):
    key = auth.issue(name="bot", guild=None, scope="read")
    assert auth.verify(spoil(key), now=NOON) is None


def test_a_revoked_key_opens_nothing():
    api = api_for()
    ApiKey.objects.update(revoked_at=NOON)
    assert api.get("discord:1/facts").status_code == 401


def test_the_use_of_a_key_is_noted_every_ten_seconds_at_most():
    key = auth.issue(name="bot", guild=None, scope="read")
    noted = []
    for seconds in (0, 9, 10):
        auth.verify(key, now=NOON + timedelta(seconds=seconds))
        noted.append(ApiKey.objects.get().last_used_at)
    assert noted == [NOON, NOON, NOON + timedelta(seconds=10)]


def test_every_request_of_a_key_is_counted_for_its_day():
    key = auth.issue(name="bot", guild=None, scope="read")
    for seconds in (0, 1, 2, 10):
        auth.verify(key, now=NOON + timedelta(seconds=seconds))
    assert ApiKey.objects.get().uses == {"2026-03-02": 4}
    auth.verify(key, now=NOON + timedelta(days=1))
    assert ApiKey.objects.get().uses == {"2026-03-02": 4, "2026-03-03": 1}
    auth.verify(key, now=NOON + timedelta(days=30))
    assert ApiKey.objects.get().uses == {"2026-03-03": 1, "2026-04-01": 1}


def test_what_the_database_was_too_busy_for_is_counted_later(monkeypatch):
    def locked(*_args, **_fields):
        raise OperationalError("database is locked")

    key = auth.issue(name="bot", guild=None, scope="read")
    with monkeypatch.context() as patch:
        patch.setattr(QuerySet, "update", locked)
        auth.verify(key, now=NOON)
    assert ApiKey.objects.get().uses == {}
    auth.verify(key, now=NOON + timedelta(seconds=1))
    assert ApiKey.objects.get().uses == {"2026-03-02": 2}


def test_a_key_that_is_in_use_costs_one_query(django_assert_num_queries):
    key = auth.issue(name="bot", guild=make_guild(), scope="read")
    auth.verify(key, now=NOON)
    with django_assert_num_queries(1):
        assert auth.verify(key, now=NOON).guild.key == "discord:1"


@pytest.mark.parametrize(
    "header",
    ["", "Bearer", "Bearer ", "Basic abc", "mh_x", "Bearer mh_\xe9", "Bearer a b", "bearer\tx", "Bearer " + "x" * 5000],
)
def test_a_header_that_is_no_good_key_is_refused(header):
    make_guild()
    answer = Client().get("/api/v1/guilds/discord:1/facts", headers={"Authorization": header})
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"] == "Bearer"


def test_the_word_bearer_may_be_written_as_one_likes():
    make_guild()
    key = auth.issue(name="bot", guild=None, scope="read")
    answer = Client().get("/api/v1/guilds/discord:1/facts", headers={"Authorization": f"bEARER {key}"})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("scope", "method", "path", "status"),
    [
        ("read", "GET", "discord:1/stats", 200),
        ("read", "POST", "discord:1/context", 200),
        ("read", "POST", "discord:1/messages", 403),
        ("read", "DELETE", "discord:1/facts/1", 403),
        ("read", "PUT", "discord:1/members/u1/consent", 403),
        ("read", "POST", "discord:1/consolidate", 403),
        ("write", "DELETE", "discord:1/facts/1", 404),
        ("write", "POST", "discord:1/snapshot/refresh", 200),
        ("write", "POST", "discord:1/consolidate", 403),
        ("admin", "POST", "discord:1/consolidate", 202),
        ("read", "DELETE", "/admin/api/memories/1", 403),
        ("read", "POST", "/api/memory/refresh", 403),
    ],
)
def test_a_key_may_do_what_its_scope_says(scope, method, path, status):
    api = api_for(make_guild(), scope)
    assert api.call(method, path, {} if path.endswith("context") else None).status_code == status


def test_every_route_with_a_scope_of_its_own_exists():
    from memoryhub.site.api import api
    from memoryhub.urls import urlpatterns

    names = {op["operationId"] for ops in api.get_openapi_schema()["paths"].values() for op in ops.values()}
    names |= {getattr(pattern, "name", None) for pattern in urlpatterns}
    assert set(auth.SCOPE_OF) <= names


def test_a_refusal_for_scope_says_which_is_needed():
    problem = api_for(make_guild(), "read").post("discord:1/messages", a_message()).json()
    assert problem["detail"] == "This needs a key with scope write; this one has read."


def test_a_key_for_one_guild_makes_no_other():
    assert api_for(make_guild()).post("discord:2/messages", a_message()).status_code == 404


def test_a_key_for_all_guilds_makes_a_guild_with_its_first_message():
    api = api_for()
    assert api.post("sms:+4912345/messages", a_message()).status_code == 201
    assert api.get("sms:+4912345/members").json()["items"][0]["id"] == "u1"


def test_a_change_is_signed_with_the_name_of_the_key():
    api = api_for(make_guild())
    fact = api.post("discord:1/facts", {"lore": True, "text": "The cat rules the channel."}).json()
    history = api.get(f"discord:1/facts/{fact['id']}/history").json()
    assert history["items"][0]["actor"] == "api:test"


def test_a_person_who_is_signed_in_reads_the_kept_routes(admin_client):
    make_guild()
    for path in ("/api/memory?guildId=discord:1", "/admin/api/memories", "/api/memory/search"):
        assert admin_client.get(path).status_code == 200


@pytest.mark.parametrize(("method", "path"), [("post", "/api/memory/refresh"), ("delete", "/admin/api/memories/1")])
def test_a_session_changes_nothing(admin_client, method, path):
    make_guild()
    assert getattr(admin_client, method)(path).status_code == 401


def test_a_session_does_not_open_the_other_routes(admin_client):
    make_guild()
    assert admin_client.get("/api/v1/guilds/discord:1/facts").status_code == 401


def test_a_person_without_a_role_sees_no_guild(client, django_user_model):
    make_guild()
    client.force_login(django_user_model.objects.create_user("mallory"))
    assert client.get("/api/memory", {"guildId": "discord:1"}).status_code == 404


def test_a_busy_database_does_not_keep_a_reader_out(monkeypatch):
    from django.db import OperationalError
    from django.db.models import QuerySet

    def locked(*_args, **_fields):
        raise OperationalError("database is locked")

    key = auth.issue(name="bot", guild=make_guild(), scope="read")
    monkeypatch.setattr(QuerySet, "update", locked)
    assert Api(key).get("discord:1/members").status_code == 200


@time_machine.travel(NOON, tick=False)
def test_a_request_notes_the_use_of_its_key():
    api = api_for(make_guild())
    api.get("discord:1/facts")
    assert ApiKey.objects.get().last_used_at == NOON
