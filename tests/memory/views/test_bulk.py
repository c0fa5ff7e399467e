"""Several facts at once: asked first, each by itself, within the visitor's guilds."""

import pytest
from django.contrib.auth.models import User

from memory.models import Fact, FactChange
from memoryhub.models import Role
from tests.factories import make_fact, make_guild, make_member

pytestmark = pytest.mark.django_db
PATH = "/memories/bulk/"


@pytest.fixture
def facts():
    alice = make_member(name="Alice")
    return [make_fact(text, subject=alice) for text in ("Drives a red van.", "Likes green tea.", "Had a blue boat.")]


def chosen(facts, deed, **more):
    return {"fact": [fact.pk for fact in facts], "deed": deed, "back": "/memories/?kind=other", **more}


def states():
    return list(Fact.objects.order_by("pk").values_list("status", "pinned"))


def test_what_goes_is_listed_before_anything_is_done(admin_client, facts):
    asked = admin_client.post(PATH, chosen(facts[:2], "delete")).content.decode()
    assert "Delete for good 2 facts?" in asked
    assert "red van" in asked
    assert "blue boat" not in asked
    assert 'href="/memories/?kind=other"' in asked
    assert Fact.objects.count() == 3


def test_htmx_gets_the_question_alone(admin_client, facts):
    asked = admin_client.post(PATH, chosen(facts, "pin"), headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in asked
    assert "Pin 3 facts?" in asked


@pytest.mark.parametrize(
    ("deed", "after"),
    [
        ("pin", [("active", True), ("active", True), ("active", False)]),
        ("archive", [("archived", False), ("archived", False), ("active", False)]),
        ("delete", [("active", False)]),
    ],
)
def test_a_confirmed_deed_is_done_to_the_chosen_and_no_others(admin_client, facts, deed, after):
    answer = admin_client.post(PATH, chosen(facts[:2], deed, confirm="yes"))
    assert answer.headers["Location"] == "/memories/?kind=other"
    assert states() == after


def test_every_one_of_them_can_be_undone_by_itself(admin_client, facts):
    admin_client.post(PATH, chosen(facts, "archive", confirm="yes"))
    assert FactChange.objects.values("batch").distinct().count() == 3


def test_it_is_told_how_many_were_so_already_and_which_could_not_be(admin_client, facts):
    away = make_fact("Drives a red van.", subject=facts[0].subject, status="archived")
    again = make_fact("Sings.", subject=facts[0].subject, status="archived")
    told = admin_client.post(PATH, chosen([facts[1], away, again], "restore", confirm="yes"), follow=True)
    shown = told.content.decode()
    assert "Restored: 1. So already: 1." in shown
    assert "Left as they were: 1. Another fact that is believed says the same already." in shown


def test_nothing_chosen_changes_nothing_and_says_so(admin_client, facts):
    assert "Nothing is selected" in admin_client.post(PATH, {"deed": "delete", "confirm": "yes"}).content.decode()
    answer = admin_client.post(PATH, chosen(facts, "burn", confirm="yes"), follow=True)
    assert "Choose what to do with the facts" in answer.content.decode()
    assert len(states()) == 3


def test_facts_of_guilds_one_does_not_see_are_not_among_them(client, facts):
    user = User.objects.create_user("mona")
    Role.objects.create(user=user, kind=Role.Kind.MODERATOR).guilds.set([make_guild("discord:2")])
    client.force_login(user)
    assert "Nothing is selected" in client.post(PATH, chosen(facts, "delete", confirm="yes")).content.decode()
    assert Fact.objects.count() == 3


def test_the_page_is_selected_without_a_script(admin_client, facts):
    assert "checked>" not in admin_client.get("/memories/").content.decode()
    assert admin_client.get("/memories/?tick=page").content.decode().count("checked>") == 3
