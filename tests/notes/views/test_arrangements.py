"""The page of plans and decisions."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import unquote

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memoryhub.models import Role
from notes.models import Arrangement
from tests.factories import days, make_arrangement, make_channel, make_guild, make_member, make_message
from tests.verification.pages import moderator
from tests.verification.statements import recorded, unbound

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def said(text, *, guild=None, ago=1.0, due=None, **fields):
    channel = fields.pop("channel", None) or make_channel(guild or make_guild())
    message = make_message(text, author=make_member(channel.guild, "Bob"), channel=channel, sent_at=NOW - days(ago))
    if due is not None:
        fields["due_at"] = NOW + days(due)
    return make_arrangement(message, **fields)


@pytest.fixture
def client():
    return moderator(make_guild())


@pytest.fixture
def page(client):
    return lambda **query: client.get(reverse("plans"), query).content.decode()


def test_plans_to_come_stand_before_decisions_and_what_is_over(page):
    said("The raid is over.", ago=9, due=-2)
    said("We decided on the red tent.")
    said("The picnic is later.", due=5)
    said("The concert is soon.", due=2)
    shown = page()
    places = [shown.index(text) for text in ("concert", "picnic", "red tent", "The raid")]
    assert places == sorted(places)
    assert shown.index('id="coming"') < places[0] < shown.index('id="decided"') < shown.index('id="past"')


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/New_York"])
@pytest.mark.parametrize("all_day", [True, False])
def test_a_plan_on_the_last_day_of_the_calendar_stands_on_the_page_and_in_the_file(client, page, zone, all_day):
    guild = make_guild()
    guild.time_zone = zone
    guild.save()
    row = said("The ball is on 31 December 9999.", all_day=all_day)
    Arrangement.objects.filter(pk=row.pk).update(due_at=datetime(9999, 12, 31, 23, 0, tzinfo=UTC))
    assert "31 December 9999" in page()
    assert "DTSTART" in client.get(reverse("plans-calendar")).text


def test_a_plan_says_that_it_was_moved_or_called_off_and_a_decision_what_was_before(page):
    first = said("The picnic is on Saturday.", due=3, ago=2)
    first.replaced_by = said("The picnic is moved to Sunday.", due=4, change="moved")
    first.save()
    ended = said("The raid is on Friday.", due=2, ago=2)
    ended.replaced_by = said("The raid is called off.", change="called_off", decided=False)
    ended.save()
    red = said("We decided on the red tent.", ago=2)
    red.replaced_by = said("We decided on the blue tent.")
    red.save()
    shown = page()
    assert "Moved, was" in shown
    assert "Called off" in shown
    assert "Before: <s><bdi>We decided on the red tent." in shown


def test_a_decision_that_was_only_said_again_was_no_other_before(page):
    stands = said("We decided on the blue tent.")
    for ago, text in [
        (4, "We decided on the red tent."),
        (3, "we decided on the blue tent."),
        (2, "We decided on the red tent."),
    ]:
        old = said(text, ago=ago)
        old.replaced_by = stands
        old.save()
    assert page().count("Before:") == 1


def test_a_plan_whose_clocks_went_wrong_is_shown(page):
    first = said("The raid is on Friday.", due=2, ago=1)
    first.replaced_by = said("The raid is called off.", ago=5, change="called_off", decided=False)
    first.save()
    assert "Called off" in page()


def test_words_a_channel_and_a_part_narrow_it(page):
    there = make_channel(make_guild(), name="tents")
    said("We decided on the red tent.", channel=there)
    said("We decided on soup.")
    assert "soup" not in page(q="red TENT").split('id="decided"')[1]
    assert "soup" not in page(channel=there.pk).split('id="decided"')[1]
    assert "Nothing here" in page(part="past")
    assert 'id="decided"' in page(part="decisions")


def test_a_part_goes_on_where_its_page_ended(page, monkeypatch):
    monkeypatch.setattr("notes.views.arrangements.SHOWN", 2)
    for number in range(3):
        said(f"We decided on tent {number}.", ago=number + 1)
    shown = page(part="decisions")
    assert "tent 2" not in shown
    before = shown.split("before=")[1].split('"')[0].split("&")[0]
    assert "tent 2" in page(part="decisions", before=unquote(before))


def test_what_is_put_aside_is_told_no_more_and_can_be_taken_back(client, page):
    old = said("The picnic is on Saturday.", due=3, ago=2)
    new = said("The picnic is moved to Sunday.", due=4, change="moved")
    old.replaced_by = new
    old.save()
    answer = client.post(reverse("put-plan-aside", args=[new.pk]))
    assert answer.headers["Location"] == "/plans/?guild=discord%3A1"  # its guild, whichever the others' would be
    assert "The picnic is moved" not in page()
    assert "The picnic is on Saturday." in page(part="aside")
    client.post(reverse("put-plan-aside", args=[new.pk]), {"aside": "no"})
    assert "Moved, was" in page()
    assert not Arrangement.objects.exclude(put_aside_at=None).exists()


def test_two_who_put_it_aside_or_take_it_back_want_the_same(client):
    row = said("We decided on the red tent.")
    for aside in ("yes", "yes", "no", "no"):
        answer = client.post(reverse("put-plan-aside", args=[row.pk]), {"aside": aside}, follow=True).text
        assert ("It is put aside" in answer) is (aside == "yes")
        assert Arrangement.objects.filter(put_aside_at=None).exists() is (aside == "no")


def test_the_button_says_which_of_both_it_does(client):
    row = said("We decided on the red tent.")
    assert 'name="aside" value="yes"' in client.get(reverse("plans")).text
    client.post(reverse("put-plan-aside", args=[row.pk]), {"aside": "yes"})
    assert 'name="aside" value="no"' in client.get(reverse("plans"), {"part": "aside"}).text


def test_who_only_reads_puts_nothing_aside():
    row, ada = said("We decided on the red tent."), User.objects.create_user("ada", password="correct horse")
    Role.objects.create(user=ada, kind=Role.Kind.AUDITOR).guilds.set([make_guild()])
    client = Client()
    client.force_login(ada)
    assert client.post(reverse("put-plan-aside", args=[row.pk])).status_code == 403
    assert "/aside/" not in client.get(reverse("plans")).content.decode()


def test_another_guilds_plans_are_not_there(client, page):
    row = said("The raid is secret.", guild=make_guild("discord:2"), due=2)
    assert "secret" not in page()
    assert client.get(reverse("plans"), {"guild": "discord:2"}).status_code == 404
    assert client.get(reverse("plans-calendar"), {"guild": "discord:2"}).status_code == 404
    assert client.post(reverse("put-plan-aside", args=[row.pk])).status_code == 404


def test_the_plans_are_handed_out_as_a_calendar(client):
    said("The picnic is soon.", due=2)
    answer = client.get(reverse("plans-calendar"), {"guild": "discord:1"})
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    assert b"SUMMARY:The picnic is soon." in answer.content


def test_every_statement_names_the_guild(client):
    said("The picnic is soon.", due=2)
    said("We decided on the red tent.")
    with recorded() as statements:
        client.get(reverse("plans"), {"guild": "discord:1", "q": "picnic tent"})
    assert [sql for sql in statements if unbound(sql) and "notes_arrangement" in sql] == []


@pytest.mark.parametrize("query", [{"part": "x"}, {"channel": "x"}, {"q": "\0"}, {"before": "x"}, {"q": "'; DROP --"}])
def test_what_makes_no_sense_counts_for_nothing(client, query):
    said("The picnic is soon.", due=2)
    assert client.get(reverse("plans"), query).status_code == 200
