"""`GET /guilds/{key}/catchup`: what somebody missed, with its sources."""

from __future__ import annotations

import pytest
from django.utils import timezone

from tests.api_client import a_message, api_for
from tests.factories import days, make_guild

pytestmark = pytest.mark.django_db


@pytest.fixture
def api():
    api = api_for(make_guild(), "write")
    long_ago, lately = timezone.now() - days(3), timezone.now() - days(1)
    bob = {"id": "u2", "name": "bob", "display_name": "Bob"}
    staff = {"id": "c-staff", "name": "staff", "audience": "channel"}
    api.post("discord:1/messages", a_message(sent_at=long_ago.isoformat()))
    api.post("discord:1/messages", a_message(2, "Alice, look!", author=bob, sent_at=lately.isoformat()))
    private = a_message(3, "Alice, a secret!", author=bob, channel=staff, sent_at=lately.isoformat())
    api.post("discord:1/messages", private)
    return api


def mentions(api, **query):
    items = api.get("discord:1/catchup", **query).json()["items"]
    return [item["text"] for item in items if item["kind"] == "mention"]


def test_what_a_member_missed_comes_with_its_source(api):
    answer = api.get("discord:1/catchup", member="u1").json()
    item = answer["items"][0]
    assert (item["kind"], item["text"], item["channel"], item["members"]) == ("mention", "Alice, look!", "c1", ["Bob"])
    assert [source["message_id"] for source in item["sources"]] == ["m-2"]
    assert answer["since"] < item["at"]


def test_since_a_time_and_in_a_channel(api):
    assert mentions(api, member="u1", since=timezone.now().isoformat()) == []
    assert mentions(api, member="u1", channel="c-staff") == ["Alice, a secret!"]
    assert mentions(api, member="u1", channel="c1") == ["Alice, look!"]


def test_nobody_in_particular_sees_what_was_talked_about(api):
    assert {item["kind"] for item in api.get("discord:1/catchup").json()["items"]} <= {"talk", "topic", "decision"}


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"member": "nobody"}, 404), ({"channel": "nowhere"}, 404), ({"since": "yesterday"}, 422),
        ({"since": "2026-03-02T12:00:00"}, 422), ({"until": "x"}, 422),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(api, query, status):
    assert api.get("discord:1/catchup", **query).status_code == status


def test_another_guilds_key_is_told_nothing(api):
    assert api_for(make_guild("discord:2")).get("discord:1/catchup").status_code == 404
