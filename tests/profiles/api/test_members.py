import pytest

from memoryhub.community.models import ConsentChoice, Member
from notes.models import Message
from tests.api_client import a_message, api_for
from tests.factories import NOON, make_channel, make_guild, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def api():
    return api_for(make_guild())


def test_channels_are_listed_with_who_could_read_them(api):
    parent = make_channel(name="staff", private=True)
    make_channel(name="plans", parent=parent, kind="thread", private=True)
    shown = [(c["id"], c["kind"], c["parent_id"], c["audience"]) for c in api.get("discord:1/channels").json()["items"]]
    assert shown == [("c-staff", "text", None, "channel"), ("c-plans", "thread", "c-staff", "channel")]


def test_members_are_listed_a_page_at_a_time(api):
    for name in ("Alice", "Bob", "Mallory"):
        make_member(name=name)
    first = api.get("discord:1/members", limit=2).json()
    second = api.get("discord:1/members", limit=2, cursor=first["next_cursor"]).json()
    assert [m["display_name"] for m in first["items"] + second["items"]] == ["Alice", "Bob", "Mallory"]
    assert second["next_cursor"] is None


def test_members_are_found_by_a_part_of_their_name(api):
    make_member(name="Alice")
    make_member(name="Bob")
    assert [m["id"] for m in api.get("discord:1/members", q="LIC").json()["items"]] == ["u-alice"]


@pytest.mark.parametrize("asked", ["élo", "ÉLO", "иВа"])
def test_a_name_is_found_in_any_case_of_any_alphabet(api, asked):
    Member.objects.create(guild=make_guild(), platform_id="u1", name="Иван", display_name="Élodie")
    make_member(name="Bob")
    assert [m["id"] for m in api.get("discord:1/members", q=asked).json()["items"]] == ["u1"]


def test_a_member_is_shown(api):
    make_member(name="Alice", first_seen_at=NOON, last_seen_at=NOON)
    assert api.get("discord:1/members/u-alice").json() == {
        "id": "u-alice", "name": "alice", "display_name": "Alice", "is_bot": False, "remember": None,
        "findable": True,
        "first_seen_at": "2026-03-02T12:00:00Z", "last_seen_at": "2026-03-02T12:00:00Z",
    }  # fmt: skip


def test_a_member_nobody_knows_is_not_there(api):
    for path in ("", "/profile", "/relationships"):
        assert api.get(f"discord:1/members/nobody{path}").status_code == 404


def test_a_member_who_says_no_is_not_remembered(api):
    api.post("discord:1/messages", a_message(1))
    assert api.put("discord:1/members/u1/consent", {"remember": False}).json() == {"id": "u1", "remember": False}
    answer = api.post("discord:1/messages", a_message(2))
    assert (answer.status_code, answer.json()["reason"]) == (200, "opted_out")


def test_a_member_may_say_no_before_they_ever_spoke(api):
    api.put("discord:1/members/u1/consent", {"remember": False})
    api.post("discord:1/messages", a_message(1))
    assert not Message.objects.exists()


def test_a_member_may_change_their_mind(api):
    for choice in (False, True):
        api.put("discord:1/members/u1/consent", {"remember": choice})
    assert Member.objects.get().remember is True
    assert ConsentChoice.objects.count() == 2


@pytest.mark.parametrize(
    "body", [{}, {"remember": None}, {"remember": "yes"}, {"remember": 1}, {"remember": True, "x": 1}]
)
def test_a_choice_that_is_none_is_refused(api, body):
    assert api.put("discord:1/members/u1/consent", body).status_code == 422


def test_a_key_lists_the_guilds_that_it_is_for():
    north, south = make_guild(), make_guild("discord:2")
    assert [each["key"] for each in api_for(north).get("/api/v1/guilds").json()["items"]] == [north.key]
    both = api_for(None, "read").get("/api/v1/guilds", limit=1).json()
    rest = api_for(None, "read").get("/api/v1/guilds", cursor=both["next_cursor"]).json()
    assert [each["key"] for each in both["items"] + rest["items"]] == [north.key, south.key]
    assert set(both["items"][0]) == {"key", "name", "kind", "time_zone", "memory_on", "created_at"}
