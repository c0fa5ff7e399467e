"""Guessing passwords is slow, and keeps nobody else out."""

from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

pytestmark = pytest.mark.django_db
RIGHT = "a-long-password"


@pytest.fixture(autouse=True)
def olga():
    return User.objects.create_superuser("olga", password=RIGHT)


def sign_in(password, name="olga", address="127.0.0.1"):
    return Client(REMOTE_ADDR=address).post(reverse("sign-in"), {"username": name, "password": password})


def guess(times):
    for number in range(times):
        answer = sign_in(f"wrong-{number}")
    return answer


def test_after_ten_wrong_passwords_the_right_one_is_refused_too():
    assert guess(10).status_code == 429
    refused = sign_in(RIGHT)
    assert refused.status_code == 429
    assert b"15 minutes" in refused.content


def test_the_log_tells_of_a_failure_once_and_of_nothing_that_was_cleaned_up(caplog):
    sign_in("wrong")
    sign_in(RIGHT)
    told = [record.getMessage() for record in caplog.records if record.name.startswith("axes")]
    assert len(told) == 1
    assert "New login failure" in told[0]


def test_after_a_quarter_of_an_hour_it_works_again(time_machine):
    time_machine.move_to("2026-03-01T12:00:00Z", tick=False)
    guess(12)
    time_machine.move_to("2026-03-01T12:16:00Z", tick=False)
    assert sign_in(RIGHT).status_code == 302


def test_others_sign_in_meanwhile():
    User.objects.create_superuser("oskar", password=RIGHT)
    guess(10)
    assert sign_in(RIGHT, name="oskar").status_code == 302
    assert sign_in(RIGHT, address="10.0.0.7").status_code == 302


def test_the_right_password_forgives_the_wrong_ones():
    guess(9)
    sign_in(RIGHT)
    assert guess(9).status_code == 200


def spray(address="127.0.0.1", **headers):
    for number in range(30):
        User.objects.get_or_create(username=f"name-{number}")
        answer = Client(REMOTE_ADDR=address, headers=headers).post(
            reverse("sign-in"), {"username": f"name-{number}", "password": "Spring2026"}
        )
    return answer


def test_one_password_tried_on_many_names_closes_the_sign_in_to_the_address_only():
    assert spray().status_code == 429
    assert sign_in(RIGHT).status_code == 429
    assert sign_in(RIGHT, address="10.0.0.7").status_code == 302


def test_all_addresses_of_an_ipv6_customer_count_as_one():
    for number in range(10):
        sign_in("wrong", address=f"2001:db8::{number:x}")
    assert sign_in(RIGHT, address="2001:db8::ffff").status_code == 429
    assert sign_in(RIGHT, address="2001:db8:0:1::1").status_code == 302


def test_behind_a_declared_proxy_a_stranger_closes_it_to_their_own_address(settings):
    settings.MEMORYHUB_PROXIES = 1
    assert spray(x_forwarded_for="10.0.0.7, 203.0.113.9").status_code == 429
    asked = {"username": "olga", "password": RIGHT}
    assert Client(headers={"x-forwarded-for": "203.0.113.9"}).post(reverse("sign-in"), asked).status_code == 429
    assert Client(headers={"x-forwarded-for": "10.0.0.7"}).post(reverse("sign-in"), asked).status_code == 302


def test_who_is_no_declared_proxy_can_claim_no_address():
    for number in range(10):
        headers = {"x-forwarded-for": f"203.0.113.{number}"}
        Client(headers=headers).post(reverse("sign-in"), {"username": "olga", "password": "wrong"})
    assert sign_in(RIGHT).status_code == 429


@pytest.fixture
def link():
    said = StringIO()
    call_command("sign_in", "olga", stdout=said)
    return said.getvalue().strip().removeprefix("http://127.0.0.1:8000")


def test_a_link_of_the_command_signs_in_where_the_password_is_locked_out(link):
    guess(10)
    client = Client()
    page = client.get(link).content
    assert b"Sign in as <bdi>olga</bdi>?" in page
    assert b"Sign out" not in page  # nobody is signed in yet, so the page offers no place to go
    assert client.post(link).status_code == 302
    assert client.get(reverse("people")).status_code == 200


def test_a_link_stands_in_no_log(link, caplog):
    Client().get(link)
    assert "/sign-in/link/" in caplog.text
    assert link.partition("=")[2] not in caplog.text


def test_a_link_works_once(link):
    Client().post(link)
    again = Client().post(link, follow=True)
    assert b"used up" in again.content
    assert again.wsgi_request.user.is_anonymous


def test_a_link_grows_old(link, time_machine):
    time_machine.move_to(timezone.now() + timedelta(minutes=11))
    assert Client().post(link)["Location"] == reverse("sign-in")


def test_no_link_is_made_for_a_name_that_may_not_sign_in():
    with pytest.raises(CommandError, match="Nobody called 'nobody'"):
        call_command("sign_in", "nobody")


def test_who_changed_their_password_is_told_so(client, olga):
    client.force_login(olga)
    new = "another-long-password"
    given = {"old_password": RIGHT, "new_password1": new, "new_password2": new}
    assert "Your password is changed." in client.post(reverse("password"), given, follow=True).text
    assert sign_in(new).status_code == 302
