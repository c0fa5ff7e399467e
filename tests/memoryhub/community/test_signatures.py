"""A signature is taken apart in one way, whoever shows it."""

from __future__ import annotations

import pytest

from memoryhub.community import signatures


@pytest.mark.parametrize(
    ("actor", "door", "name"),
    [
        ("api:nightly bot", "api", "nightly bot"),
        ("member:123", "member", "123"),
        ("operator:olga:2", "operator", "olga:2"),  # a name may hold a colon
        ("extraction", "extraction", ""),
        ("", "", ""),
    ],
)
def test_a_signature_says_the_door_and_the_name(actor, door, name):
    assert signatures.parse(actor) == (door, name)
