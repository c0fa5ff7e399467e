"""What the environment says is read as it is meant, or refused in words."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from memoryhub import env

KNOWN = ("semantic", "lexical")


def test_shares_are_read_by_name_and_may_be_none(monkeypatch):
    assert env.shares("SOME_SHARES", KNOWN) == {}
    monkeypatch.setenv("SOME_SHARES", "semantic=0.5, lexical = 1")
    assert env.shares("SOME_SHARES", KNOWN) == {"semantic": 0.5, "lexical": 1.0}


@pytest.mark.parametrize("value", ["0.5", "semantic=", "semantic=1.1", "semantic=-0.1", "semantic=nan", "x=1"])
def test_shares_that_make_no_sense_are_refused_in_words(monkeypatch, value):
    monkeypatch.setenv("SOME_SHARES", value)
    with pytest.raises(ImproperlyConfigured, match=r"SOME_SHARES holds .*; write pairs such as semantic=0\.5"):
        env.shares("SOME_SHARES", KNOWN)
