"""Who may sign in: the pages on which operators decide it."""

import pytest
from django.contrib.auth.models import User
from django.shortcuts import get_object_or_404
from django.test import Client
from django.urls import reverse

from memoryhub.common.permissions import guilds_for, may_change
from memoryhub.site.views import users
from tests.factories import make_guild

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga():
    return User.objects.create_superuser("olga", password="a-long-password")


@pytest.fixture
def client(olga):
    client = Client()
    client.force_login(olga)
    return client


def add(client, **fields):
    return client.post(reverse("add-person"), {"username": "anna", "kind": "auditor", **fields})


def test_a_name_with_other_signs_is_refused_by_its_own_name(client):
    answer = add(client, username="mod er@tor!")
    assert answer.status_code == 422
    assert "A name has letters, digits and @ . + - _ only, and no spaces." in answer.content.decode()
    assert "username." not in answer.content.decode()


def test_a_new_person_signs_in_with_the_password_that_was_shown(client):
    shown = add(client, everywhere="on").context["password"]
    answer = Client().post(reverse("sign-in"), {"username": "anna", "password": shown})
    assert answer.status_code == 302


def test_a_moderator_sees_and_changes_only_the_guilds_given(client):
    north, _south = make_guild("discord:1"), make_guild("discord:2")
    add(client, kind="moderator", guilds=[north.pk])
    anna = User.objects.get(username="anna")
    assert list(guilds_for(anna)) == [north]
    assert may_change(anna)


def test_an_auditor_everywhere_sees_guilds_that_come_later(client):
    add(client, everywhere="on")
    make_guild("discord:3")
    assert guilds_for(User.objects.get(username="anna")).count() == 1


def test_an_operator_needs_no_role(client):
    add(client, kind="operator")
    anna = User.objects.get(username="anna")
    assert anna.is_superuser
    assert not hasattr(anna, "role")


def test_a_name_is_given_once_whatever_its_case(client):
    add(client, everywhere="on")
    assert add(client, username="ANNA", everywhere="on").status_code == 422


def test_a_role_that_holds_nowhere_is_refused(client):
    answer = add(client)
    assert answer.status_code == 422
    assert "without a guild they would see nothing" in answer.content.decode()
    assert not User.objects.filter(username="anna").exists()


def test_a_changed_role_holds_from_the_next_request(client):
    make_guild("discord:1")
    add(client, kind="operator")
    anna = User.objects.get(username="anna")
    visitor = Client()
    visitor.force_login(anna)
    assert visitor.get(reverse("people")).status_code == 200
    client.post(reverse("change-role", args=[anna.pk]), {"kind": "auditor", "everywhere": "on"})
    assert visitor.get(reverse("people")).status_code == 403


def test_nobody_takes_away_their_own_rights(client, olga):
    client.post(reverse("change-role", args=[olga.pk]), {"kind": "auditor"})
    client.post(reverse("dismiss", args=[olga.pk]))
    olga.refresh_from_db()
    assert olga.is_superuser
    assert olga.is_active


@pytest.mark.parametrize(("page", "given"), [("change-role", {"kind": "auditor", "everywhere": "on"}), ("dismiss", {})])
def test_of_two_operators_who_take_each_others_rights_away_at_once_one_keeps_theirs(client, olga, page, given):
    anna = User.objects.create_superuser("anna", password="a-long-password")

    def anna_was_first(_model, pk):
        User.objects.filter(pk=olga.pk).update(is_superuser=False)
        return get_object_or_404(User, pk=pk)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(users, "get_object_or_404", anna_was_first)
        answer = client.post(reverse(page, args=[anna.pk]), given)
    anna.refresh_from_db()
    assert answer.status_code == 403
    assert (anna.is_superuser, anna.is_active) == (True, True)


def test_a_dismissed_person_is_signed_out(client):
    add(client, kind="operator")
    anna = User.objects.get(username="anna")
    visitor = Client()
    visitor.force_login(anna)
    client.post(reverse("dismiss", args=[anna.pk]))
    assert visitor.get(reverse("home")).status_code == 302


def test_a_new_password_ends_the_sessions(client):
    add(client, everywhere="on")
    anna = User.objects.get(username="anna")
    visitor = Client()
    visitor.force_login(anna)
    assert "Give anna a new password?" in client.get(reverse("new-password", args=[anna.pk])).text
    assert visitor.get(reverse("home")).status_code == 200
    client.post(reverse("new-password", args=[anna.pk]))
    assert visitor.get(reverse("home")).status_code == 302


@pytest.mark.parametrize("page", ["people", "keys"])
@pytest.mark.parametrize("kind", ["moderator", "auditor"])
def test_only_operators_enter(client, page, kind):
    add(client, kind=kind, everywhere="on")
    visitor = Client()
    visitor.force_login(User.objects.get(username="anna"))
    assert visitor.get(reverse(page)).status_code == 403


def test_an_auditor_changes_nothing(client):
    add(client, everywhere="on")
    visitor = Client()
    visitor.force_login(User.objects.get(username="anna"))
    answer = visitor.post(reverse("add-key"), {"name": "mine", "scope": "admin"})
    assert answer.status_code == 403
    assert b"lets you read, not change" in answer.content


def test_an_auditor_may_change_their_own_password(client):
    shown = add(client, everywhere="on").context["password"]
    visitor = Client()
    visitor.force_login(User.objects.get(username="anna"))
    answer = visitor.post(
        reverse("password"),
        {"old_password": shown, "new_password1": "Toronto-9-maple", "new_password2": "Toronto-9-maple"},
    )
    assert answer.status_code == 302
