"""Guessing passwords is slow, and keeps nobody else out."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

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
