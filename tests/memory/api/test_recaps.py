"""`GET` and `POST /guilds/{key}/recaps`: what was told of a week, with its sources, and a draft of the last days."""

from __future__ import annotations

import pytest
from django.utils import timezone

from memory.models import Recap
from memoryhub.community.models import Guild, Member
from tests.api_client import PROBLEM, api_for
from tests.factories import days, make_fact, make_guild, make_member, make_message, make_note

pytestmark = pytest.mark.django_db
RECAPS = "discord:1/recaps"


@pytest.fixture
def api():
    """Let Alice and Bob talk yesterday, and something become lore."""
    guild, yesterday = make_guild(), timezone.now() - days(1)
    alice, bob = (make_member(name=name, first_seen_at=yesterday) for name in ("Alice", "Bob"))
    said = make_message("Great, I bring the lanterns.", author=alice, sent_at=yesterday)
    make_message("And I the <b>soup</b>.", author=bob, sent_at=yesterday)
    make_note("The lantern festival", messages=[said], participants=[alice, bob])
    make_fact("Friday is soup night.", said_at=yesterday)
    return api_for(guild, "admin")


def lines(recap):
    return {line["text"]: line["source"] for line in recap["lines"]}


def test_a_draft_of_the_last_days_is_written_and_listed_with_its_sources(api):
    answer = api.post(RECAPS, {"days": 3})
    written = answer.json()
    assert (answer.status_code, written["status"], written["every"]) == (201, "draft", "asked")
    told = lines(written)
    assert told["The lantern festival"]["kind"] == "note"
    assert told["Friday is soup night."]["kind"] == "fact"
    assert told["Alice"] == {"kind": "member", "id": "u-alice"}
    (listed,) = api.get(RECAPS).json()["items"]
    assert listed == written
    assert Recap.objects.get().actor.startswith("api:")


def test_what_may_not_be_told_any_more_is_not_listed(api):
    api.post(RECAPS)
    Member.objects.filter(platform_id="u-alice").update(remember=False)
    (listed,) = api.get(RECAPS).json()["items"]
    assert "Alice" not in lines(listed)
    assert "The lantern festival" not in lines(listed)
    assert "Friday is soup night." in lines(listed)


def test_the_newest_come_first_page_by_page(api):
    for number in (1, 2, 3):
        api.post(RECAPS, {"days": number})
    first = api.get(RECAPS, limit=2).json()
    rest = api.get(RECAPS, limit=2, cursor=first["next_cursor"]).json()
    ids = [int(each["id"]) for each in (*first["items"], *rest["items"])]
    assert ids == sorted(ids, reverse=True)
    assert (len(ids), rest["next_cursor"]) == (3, None)


def test_a_page_of_many_asks_no_more_than_a_page_of_one(api, django_assert_max_num_queries):
    for _ in range(5):
        api.post(RECAPS)
    with django_assert_max_num_queries(20):
        assert len(api.get(RECAPS).json()["items"]) == 5


def test_of_nothing_there_is_an_empty_one(api):
    answer = api_for(make_guild("discord:2"), "admin").post("discord:2/recaps")
    assert (answer.status_code, answer.json()["status"], answer.json()["lines"]) == (201, "empty", [])


def test_where_memory_is_off_nothing_is_written(api):
    Guild.objects.update(memory_on=False)
    answer = api.post(RECAPS)
    assert (answer.status_code, answer["Content-Type"]) == (409, PROBLEM)
    assert not Recap.objects.exists()


def test_a_key_that_reads_or_writes_may_look_and_not_ask_for_one(api):
    api.post(RECAPS)
    for scope in ("read", "write"):
        other = api_for(make_guild(), scope)
        assert len(other.get(RECAPS).json()["items"]) == 1
        assert other.post(RECAPS).status_code == 403
    stranger = api_for(make_guild("discord:2"), "admin")
    assert stranger.get(RECAPS).status_code == 404
    assert stranger.post(RECAPS).status_code == 404
    assert stranger.get("discord:2/recaps").json()["items"] == []


@pytest.mark.parametrize(
    "body", [{"days": 0}, {"days": 32}, {"days": "x"}, {"days": 1.5}, {"days": None}, {"x": 1}, []]
)
def test_what_is_no_number_of_days_is_refused(api, body):
    assert api.post(RECAPS, body).status_code == 422


@pytest.mark.parametrize("query", [{"limit": 0}, {"limit": 51}, {"cursor": "x"}, {"days": 1}])
def test_what_is_no_window_is_refused(api, query):
    assert api.get(RECAPS, **query).status_code == 422
