"""The list of members."""

import pytest

from tests.factories import make_guild, make_member, make_profile

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
    make_member(name="Alice"), make_member(name="Bob")
    shown = content(admin_client, q=name)
    assert "Alice" in shown
    assert "Bob" not in shown


def test_a_guilds_members_can_be_listed_alone(admin_client):
    make_member(name="Alice"), make_member(make_guild("discord:2"), "Charlie")
    shown = content(admin_client, guild="discord:2")
    assert "Charlie" in shown
    assert "Alice" not in shown


def test_hostile_names_stay_text(admin_client):
    make_member(name="<script>alert(1)</script>")
    assert "<script>alert" not in content(admin_client)


def test_a_full_page_asks_few_questions(admin_client, django_assert_max_num_queries):
    for number in range(30):
        make_member(make_guild(f"discord:{number}"), f"Member {number}")
    content(admin_client)  # the look is written to the audit log once
    with django_assert_max_num_queries(10):
        content(admin_client)
