"""A password is known as one however many words stand between the word and it; talk about passwords is not."""

import pytest

from memoryhub.safety.secrets import carries_secret


@pytest.mark.parametrize(
    "text",
    [
        "password of the boat house is changed by the way: heronlamp77",
        "the password changed, it's now heron77lamp",
        "Das Passwort für den Raum, jetzt neu: birne2000",
    ],
)
def test_a_password_told_at_the_end_of_its_clause_is_known(text):
    assert carries_secret(text)


@pytest.mark.parametrize(
    "text",
    [
        "I changed my password today: took 20 minutes",
        "passwords are hard: my cat ate 3 of them",
        "The password manager moved to https://vault2.example.org/x1",
        "forgot my password. new photo: img2024a",
    ],
)
def test_talk_about_passwords_is_none(text):
    assert not carries_secret(text)


@pytest.mark.parametrize(
    "text",
    [
        "the admin login is in the vault, pin 6604",
        "PIN: 88412",
        "pin code 4471 opens it",
        "door code 4471, don't lose it",
        "the key safe is left of the gate code 9931",
    ],
)
def test_a_number_beside_the_word_for_a_code_is_known(text):
    assert carries_secret(text)


@pytest.mark.parametrize(
    "text",
    ["pin 2026 calendar to the top", "can someone pin message 12", "connect pin 13 to ground", "area code 20742"],
)
def test_a_number_beside_another_word_is_none(text):
    assert not carries_secret(text)
