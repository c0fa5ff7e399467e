"""HEAD, ETags, and changes that hold only for the version that the caller saw."""

import pytest

from tests.api_client import api_for
from tests.factories import make_channel, make_entry, make_fact, make_guild, make_member, make_message

pytestmark = pytest.mark.django_db
OLD = {"If-Match": '"0123456789abcdef"'}


@pytest.fixture
def bot():
    return api_for(make_guild(), "admin")


@pytest.fixture(params=["facts", "messages", "entries"])
def row(request) -> tuple[str, dict[str, str]]:
    """Return the address of a row, and a change of it."""
    alice = make_member(name="Alice")
    if request.param == "facts":
        return f"discord:1/facts/{make_fact('Owns a boat.', subject=alice).pk}", {"text": "Owns a big boat."}
    if request.param == "messages":
        said = make_message("I own a boat.", author=alice, channel=make_channel())
        return f"discord:1/messages/{said.platform_id}", {"text": "I own a big boat."}
    entry = make_entry("Owns a boat", member=alice)
    return f"discord:1/members/u-alice/profile/entries/{entry.pk}", {"text": "Owns a big boat"}


def test_the_version_that_was_seen_can_be_changed(bot, row):
    path, change = row
    seen = bot.get(path)["ETag"]
    answer = bot.call("PATCH", path, change, headers={"If-Match": seen})
    assert answer.status_code == 200
    assert bot.get(path)["ETag"] == answer["ETag"] != seen


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_what_was_changed_since_is_left_as_it_is(bot, row, method):
    path, change = row
    before = bot.get(path).json()
    answer = bot.call(method, path, change if method == "PATCH" else None, headers=OLD)
    assert (answer.status_code, answer["Content-Type"]) == (412, "application/problem+json")
    assert bot.get(path).json() == before


def test_any_version_can_be_named_with_a_star(bot, row):
    path, change = row
    assert bot.call("PATCH", path, change, headers={"If-Match": "*"}).status_code == 200


def test_what_is_still_so_is_not_sent_again(bot, row):
    path, _ = row
    seen = bot.get(path)["ETag"]
    again = bot.call("GET", path, headers={"If-None-Match": seen})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", seen)
    assert bot.call("GET", path, headers={"If-None-Match": '"other"'}).status_code == 200


def test_head_is_get_without_the_body(bot, row):
    path, _ = row
    head, whole = bot.call("HEAD", path), bot.get(path)
    assert (head.status_code, head.content, head["ETag"]) == (200, b"", whole["ETag"])
    assert head["Content-Type"] == whole["Content-Type"]


def test_head_needs_what_get_needs():
    make_guild()
    assert api_for(make_guild("discord:2"), "read").call("HEAD", "discord:1/facts").status_code == 404
    assert api_for(make_guild(), "read").call("HEAD", "discord:1/facts").status_code == 200
    assert api_for(make_guild(), "read").call("HEAD", "/api/v1/nothing").status_code == 404
