"""mem0's routes for whom memories are about, their profiles and exports, and what is not done here."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.models import ClientData
from memoryhub.community.models import Member
from tests.api_client import Api, api_for
from tests.factories import NOON, make_channel, make_entry, make_fact, make_guild, make_member, make_profile

pytestmark = pytest.mark.django_db
HERE = "/mem0"


@pytest.fixture
def api() -> Api:
    """Return a caller in a guild that knows Alice: a fact, a line of her profile, and one said in private."""
    alice = make_member(name="Alice", platform_id="alice")
    make_fact("Sails on Sundays.", subject=alice)
    run = make_channel(name="r1", platform_id="r1", private=True, kind="direct")
    make_fact("Bakes bread.", subject=alice, channel=run, audience=run)
    make_profile(alice, summary="A sailor.")
    make_entry("Sails", member=alice, section="interests")
    make_entry("Bakes", member=alice, section="interests", audience=run)
    return api_for(make_guild())


def test_entities_are_listed_by_pages_and_counted(api):
    first = api.get(f"{HERE}/v1/entities/", page=1, page_size=1).json()
    assert [(each["type"], each["name"]) for each in first["results"]] == [("user", "alice")]
    assert (first["count"], first["total_users"], first["total_runs"]) == (2, 1, 1)
    second = api.get(first["next"]).json()
    assert [each["name"] for each in second["results"]] == ["r1"]
    assert second["next"] is None


def test_pages_go_through_members_apps_and_runs_and_read_only_their_own_rows(api):
    make_member(name="Bot", platform_id="helper", is_bot=True)
    make_member(name="Bob", platform_id="bob")
    for app in ("web", "phone"):
        fact = make_fact(f"Came by {app}.")
        ClientData.objects.create(guild=fact.guild, fact=fact, event=uuid4(), app_id=app, at=NOON)
    whole = api.get(f"{HERE}/v1/entities/").json()
    names = [(each["type"], each["name"]) for each in whole["results"]]
    members = [("user", "alice"), ("agent", "helper"), ("user", "bob")]
    assert names == [*members, ("app", "phone"), ("app", "web"), ("run", "r1")]
    assert [whole[f"total_{kind}s"] for kind in ("user", "agent", "app", "run")] == [2, 1, 2, 1]
    paged, link = [], f"{HERE}/v1/entities/?page_size=2"
    with CaptureQueriesContext(connection) as asked:
        while link:
            page = api.get(link).json()
            paged += [(each["type"], each["name"]) for each in page["results"]]
            link = page["next"]
    assert paged == names
    rows = [query["sql"] for query in asked if re.search(r'FROM "(community_member|community_channel)"', query["sql"])]
    assert all(re.search(r"COUNT\(|LIMIT", sql) for sql in rows)


def test_a_profile_shows_what_the_whole_guild_may_know(api):
    profile = api.get(f"{HERE}/v2/entities/user/alice/profile/").json()
    assert profile["profile"] == {"interests": ["Sails"]}
    assert profile["status"] == "succeeded"
    make_member(name="Bob", platform_id="bob")
    assert api.get(f"{HERE}/v2/entities/user/bob/profile/").json()["status"] == "insufficient_data"
    assert api.get(f"{HERE}/v2/entities/user/nobody/profile/").status_code == 404


def test_a_summary_is_that_of_the_members_who_are_named(api):
    (summary,) = api.post(f"{HERE}/v1/summary/", {"filters": {"user_id": "alice"}}).json()
    assert (summary["user_id"], summary["summary"]) == ("alice", "A sailor.")
    assert api.post(f"{HERE}/v1/summary/", {"filters": None}).status_code == 422
    Member.objects.filter(platform_id="alice").update(remember=False)
    assert api.post(f"{HERE}/v1/summary/", {"filters": {"user_id": "alice"}}).json() == []


def test_an_export_holds_what_its_filters_select_when_it_is_fetched(api):
    made = api.post(f"{HERE}/v1/exports/", {"schema": "{}", "filters": {"user_id": "alice"}})
    assert made.status_code == 201
    assert "schema is not filled in" in made.json()["message"]
    make_fact("Plays the cello.", subject=make_member(name="Alice", platform_id="alice"))
    found = api.post(f"{HERE}/v1/exports/get/", {"memory_export_id": made.json()["id"]}).json()
    assert {row["memory"] for row in found["memories"]} == {"Sails on Sundays.", "Plays the cello."}
    assert api.post(f"{HERE}/v1/exports/get/", {"memory_export_id": "made-up"}).status_code == 404


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PATCH", "/api/v1/orgs/organizations/memoryhub/projects/1/"),
        ("POST", "/api/v1/orgs/organizations/memoryhub/projects/"),
        ("GET", "/api/v1/orgs/organizations/memoryhub/projects/1/members/"),
        ("GET", "/api/v1/webhooks/projects/1/"), ("POST", "/v2/profiles/jobs/"), ("POST", "/v2/profiles/settings/"),
    ],
)  # fmt: skip
def test_what_is_done_elsewhere_is_said_so_and_changes_nothing(api, method, path):
    answer = api.call(method, f"{HERE}{path}", {})
    assert answer.status_code == 501
    assert "Nothing was changed" in answer.json()["detail"]
