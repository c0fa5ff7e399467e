"""The list of members."""

from datetime import timedelta

import pytest

from tests.factories import NOON, make_guild, make_member, make_profile

pytestmark = pytest.mark.django_db


def content(client, **query):
    response = client.get("/members/", query)
    assert response.status_code == 200
    return response.content.decode()


def test_members_are_listed_with_their_summary(admin_client):
    make_profile(make_member(name="Alice"), summary="Sails and knits.")
    shown = content(admin_client)
    assert "Alice" in shown
    assert "Sails and knits." in shown


@pytest.mark.parametrize("name", ["ali", "ALICE", "u-alice"])
def test_a_member_is_found_by_name_or_id(admin_client, name):
    make_member(name="Alice"), make_member(name="Charlie")
    shown = content(admin_client, q=name)
    assert "Alice" in shown
    assert "Charlie" not in shown


def test_a_guilds_members_can_be_listed_alone(admin_client):
    make_member(name="Alice"), make_member(make_guild("discord:2"), "Charlie")
    shown = content(admin_client, guild="discord:2")
    assert "Charlie" in shown
    assert "Alice" not in shown


def test_members_are_counted_and_ordered_by_when_they_were_seen(admin_client):
    for hours, name in ((1, "Alice"), (3, "Bob"), (2, "Charlie")):
        make_member(name=name, last_seen_at=NOON + timedelta(hours=hours))
    assert "3 members, newest first" in content(admin_client)
    make_member(name="Beep", is_bot=True, last_seen_at=NOON)
    assert "3 members and 1 bot, newest first" in content(admin_client)
    seen = admin_client.get("/members/", {"order": "seen"}).context["members"]
    assert [member.display_name for member in seen] == ["Bob", "Charlie", "Alice", "Beep"]
    assert "1 member, last seen first" in content(admin_client, q="bob", order="seen")
    assert "Nobody is called so." in content(admin_client, q="nobody")
    assert "3 members" in content(admin_client, order="\0nothing")


def test_the_list_by_when_they_were_seen_goes_on_where_it_ended(admin_client):
    for number in range(70):
        make_member(name=f"Member {number}", last_seen_at=NOON + timedelta(minutes=number // 2))
    found, before = [], ""
    for _ in range(4):
        page = admin_client.get("/members/", {"order": "seen", "before": before}).context
        found += [member.pk for member in page["members"]]
        before = page["next"]
        if not before:
            break
    assert len(found) == len(set(found)) == 70


def test_hostile_names_stay_text(admin_client):
    make_member(name="<script>alert(1)</script>")
    assert "<script>alert" not in content(admin_client)


def test_a_full_page_asks_few_questions(admin_client, django_assert_max_num_queries):
    for number in range(30):
        make_member(make_guild(f"discord:{number}"), f"Member {number}")
    content(admin_client)  # the look is written to the audit log once
    with django_assert_max_num_queries(10):
        content(admin_client)
