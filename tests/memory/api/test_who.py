"""`GET /guilds/{key}/who`: who told of something, and `PUT .../findable`, by which a member is not found that way."""

from __future__ import annotations

import pytest

from memoryhub.community.models import ConsentChoice
from tests import toy_embedder
from tests.api_client import PROBLEM, a_message, api_for
from tests.factories import make_guild

pytestmark = pytest.mark.django_db

BOB = {"id": "u2", "name": "bob", "display_name": "<b>Bob</b>"}


@pytest.fixture
def api(monkeypatch):
    toy_embedder.install(monkeypatch)
    api = api_for(make_guild())
    api.post("discord:1/messages", a_message(text="I restore old harpsichords."))
    staff = {"id": "c-staff", "name": "staff", "audience": "channel"}
    api.post("discord:1/messages", a_message(2, text="I tune harpsichords, too.", author=BOB, channel=staff))
    return api


def found(api, **query):
    return [each["member"] for each in api.get("discord:1/who", **{"q": "harpsichords", **query}).json()["items"]]


def test_who_told_of_it_comes_with_their_words(api):
    answer = api.get("discord:1/who", q="Who knows about harpsichords?").json()
    (item,) = answer["items"]
    (told,) = item["told"]
    assert (item["member"], item["member_name"], answer["next_cursor"]) == ("u1", "Alice", None)
    assert (told["kind"], told["id"], told["text"]) == ("message", "m-1", "I restore old harpsichords.")
    assert [each["message_id"] for each in told["sources"]] == ["m-1"]


def test_what_was_told_in_private_is_found_only_there(api):
    assert found(api, channel="c1") == ["u1"]
    assert sorted(found(api, channel="c-staff")) == ["u1", "u2"]
    assert found(api, channel="c-staff", limit=1) != found(api, channel="c-staff")


def test_who_will_not_be_found_is_not_and_is_shown_as_such(api):
    answer = api.put("discord:1/members/u1/findable", {"findable": False})
    assert (answer.status_code, answer.json()) == (200, {"id": "u1", "findable": False})
    assert found(api) == []
    assert api.get("discord:1/members/u1").json()["findable"] is False
    assert api.get("discord:1/members/u1").json()["remember"] is None
    assert ConsentChoice.objects.get().actor.startswith("api:")
    api.put("discord:1/members/u1/findable", {"findable": True})
    assert found(api) == ["u1"]


def test_a_member_may_choose_before_they_ever_spoke(api):
    api.put("discord:1/members/u9/findable", {"findable": False})
    carol = {"id": "u9", "name": "carol", "display_name": "Carol"}
    api.post("discord:1/messages", a_message(3, text="I play the zither.", author=carol))
    assert found(api, q="zither") == []


def test_a_key_that_only_reads_may_ask_and_not_choose(api):
    reader = api_for(make_guild(), "read")
    assert found(reader) == ["u1"]
    assert reader.put("discord:1/members/u1/findable", {"findable": False}).status_code == 403
    stranger = api_for(make_guild("discord:2"))
    assert stranger.get("discord:1/who", q="harpsichords").status_code == 404
    assert stranger.get("discord:2/who", q="harpsichords").json()["items"] == []
    assert stranger.put("discord:1/members/u1/findable", {"findable": False}).status_code == 404


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({}, 422), ({"q": ""}, 422), ({"q": "x" * 2_001}, 422), ({"q": "x", "limit": 0}, 422),
        ({"q": "x", "limit": 25}, 422), ({"q": "x", "channel": "nowhere"}, 404),
    ],
)  # fmt: skip
def test_what_is_no_question_is_refused(api, query, status):
    answer = api.get("discord:1/who", **query)
    assert (answer.status_code, answer["Content-Type"]) == (status, PROBLEM)


@pytest.mark.parametrize("body", [{}, {"findable": None}, {"findable": "no"}, {"findable": 1}, {"other": True}, []])
def test_what_is_no_choice_is_refused(api, body):
    assert api.put("discord:1/members/u1/findable", body).status_code == 422
