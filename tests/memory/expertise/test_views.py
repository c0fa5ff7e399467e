"""The page of who knows about something, and the choice not to be found on a member's page."""

from __future__ import annotations

import pytest
from django.urls import reverse

from memoryhub.community.models import ConsentChoice, Member
from tests.factories import make_channel, make_guild, make_member
from tests.verification.pages import moderator
from tests.verification.statements import recorded, unbound

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(tell):
    client = moderator(make_guild())
    return lambda **query: client.get(reverse("who-knows"), query).content.decode()


def test_it_shows_who_told_of_it_with_their_words_and_the_way_there(page, tell):
    said = tell("I write <b>Rust</b> at work.", "Writes Rust at work.", who="<i>Eve</i>")
    shown = page(q="who knows rust?")
    assert "&lt;i&gt;Eve&lt;/i&gt;" in shown
    assert "Writes Rust at work." in shown
    assert "I write &lt;b&gt;Rust&lt;/b&gt; at work." in shown
    assert reverse("message", args=[said.pk]) in shown


def test_what_was_told_in_a_closed_channel_is_shown_as_told_there(page, tell):
    staff = make_channel(name="staff", private=True)
    tell("I write Rust.", "Writes Rust.", channel=staff)
    assert "Writes Rust" not in page(q="rust")
    assert "Writes Rust" in page(q="rust", channel=staff.pk)


@pytest.mark.parametrize("query", [{}, {"q": ""}, {"q": "\0"}, {"q": "  "}])
def test_without_a_question_it_says_what_to_write(page, query):
    assert "Write what somebody should know about" in page(**query)


@pytest.mark.parametrize("query", [{"q": "<script>"}, {"q": "x" * 5_000}, {"q": "rust", "channel": "x"}])
def test_where_nobody_told_of_it_it_says_so(page, query):
    shown = page(**query)
    assert "Nobody told of that themselves" in shown
    assert "<script>alert" not in shown


def test_another_guilds_channel_is_not_there(tell):
    theirs = make_channel(make_guild("discord:2"))
    client = moderator(make_guild())
    assert client.get(reverse("who-knows"), {"q": "rust", "channel": theirs.pk}).status_code == 404


def test_every_statement_names_the_guild(page, tell):
    tell("I write Rust.", "Writes Rust.")
    with recorded() as statements:
        page(q="rust", guild=make_guild().key)
    assert [sql for sql in statements if "memory_" in sql and unbound(sql)] == []


def test_who_told_an_operator_that_they_will_not_be_found_is_not(page, tell):
    tell("I write Rust.", "Writes Rust.")
    client, alice = moderator(make_guild()), Member.objects.get()
    for answer, found in (("no", False), ("yes", True)):
        said = client.post(reverse("choose-findable", args=[alice.pk]), {"findable": answer}, follow=True)
        assert f"Said {answer} to being found" in said.content.decode()
        assert ("Writes Rust" in page(q="rust")) is found
    assert {choice.where for choice in ConsentChoice.objects.all()} == {"dashboard"}


def test_what_is_no_choice_changes_nothing(tell):
    alice, client = make_member(), moderator(make_guild())
    said = client.post(reverse("choose-findable", args=[alice.pk]), {"findable": "perhaps"}, follow=True)
    assert "Choose yes or no." in said.content.decode()
    assert Member.objects.get().findable
    assert client.get(reverse("choose-findable", args=[alice.pk])).status_code == 405
    theirs = make_member(make_guild("discord:2"))
    assert client.post(reverse("choose-findable", args=[theirs.pk]), {"findable": "no"}).status_code == 404
