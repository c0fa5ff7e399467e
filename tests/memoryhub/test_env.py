"""What the environment says is read as it is meant, or refused in words."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from memoryhub import env
from tests.verification.hub import Hub

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


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [("TIME_ZONE", "Mars", "write a time zone such as Europe/Berlin"), ("MEMORYHUB_LOG_LEVEL", "loud", "write one of")],
)
def test_a_zone_or_a_level_that_is_none_is_refused_in_a_sentence(tmp_path, name, value, hint):
    answer = Hub(tmp_path, changes={name: value}).manage("doctor")
    assert answer.returncode == 1
    assert f"{name} is '{value}'; {hint}" in answer.stderr
    assert "Traceback" not in answer.stderr


@pytest.mark.parametrize(("said", "synchronous"), [("off", "1"), ("on", "2")])
def test_an_operator_may_have_each_commit_wait_for_the_disk(tmp_path, said, synchronous):
    asked = "from memoryhub import db; print(db.select('PRAGMA synchronous')[0][0])"
    answer = Hub(tmp_path, changes={"MEMORYHUB_SYNC_COMMITS": said}).manage("shell", "--no-imports", "-c", asked)
    assert answer.stdout.split() == [synchronous]
