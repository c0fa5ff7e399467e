"""The page of what somebody missed."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.factories import days, make_channel, make_guild, make_member, make_message, make_note
from tests.verification.pages import moderator
from tests.verification.statements import recorded, unbound

pytestmark = pytest.mark.django_db


@pytest.fixture
def page():
    guild, ago = make_guild(), timezone.now() - days(1)
    alice, bob = make_member(), make_member(name="Bob")
    make_message("See you!", author=alice, sent_at=ago - days(1))
    said = make_message("Alice, <b>look</b>!", author=bob, sent_at=ago)
    make_message("Alice, hi!", author=make_member(name="<i>Eve</i>", platform_id="u-eve"), sent_at=ago)
    make_note("The lantern festival", messages=[said])
    client = moderator(guild)
    return lambda **query: client.get(reverse("catchup"), query).content.decode()


def test_it_shows_what_a_member_missed_with_the_way_to_it(page):
    shown = page(who="alice")
    assert "last spoke" in shown
    assert "Alice, &lt;b&gt;look&lt;/b&gt;!" in shown
    assert "&lt;i&gt;Eve&lt;/i&gt;" in shown
    assert "The lantern festival" in shown
    assert "To them, or about them" in shown


def test_without_a_member_it_shows_what_was_talked_about(page):
    shown = page()
    assert "The lantern festival" in shown
    assert "To them" not in shown


def test_one_channel_and_a_later_day_show_less(page):
    other = make_channel(name="other")
    assert "Nothing to tell" in page(channel=other.pk)
    assert "Nothing to tell" in page(since=str(timezone.now().date() + days(2)))


@pytest.mark.parametrize("query", [{"since": "never"}, {"since": "9999-99-99"}, {"channel": "x"}, {"who": "\0"}])
def test_what_makes_no_sense_counts_for_nothing(page, query):
    assert "The lantern festival" in page(**query)


def test_who_is_not_known_is_named_as_such(page):
    assert "Nobody is called" in page(who="<script>")


def test_another_guilds_channel_is_not_there(page):
    channel = make_channel(make_guild("discord:2"))
    client = moderator(make_guild())
    assert client.get(reverse("catchup"), {"channel": channel.pk}).status_code == 404
    assert client.get(reverse("catchup"), {"guild": "discord:2"}).status_code == 404


def test_every_statement_names_the_guild(page):
    with recorded() as statements:
        page(who="alice", guild="discord:1")
    assert [sql for sql in statements if unbound(sql)] == []
