from datetime import timedelta

import pytest
import time_machine

from profiles import consent_effects
from tests.api_client import a_message, api_for
from tests.factories import NOON, make_channel, make_fact, make_guild, make_member, make_message

pytestmark = pytest.mark.django_db


@pytest.fixture
def api():
    return api_for(make_guild())


def test_the_snapshot_tells_what_is_known(api):
    make_fact("The cat rules the channel")
    snapshot = api.get("discord:1/snapshot").json()
    assert "The cat rules the channel" in snapshot["text"]
    assert snapshot["generated_at"].endswith("Z")


def test_a_refresh_renders_anew(api):
    with time_machine.travel(NOON, tick=False):
        api.get("discord:1/snapshot")
    with time_machine.travel(NOON + timedelta(hours=1), tick=False):
        assert api.post("discord:1/snapshot/refresh").json()["generated_at"] == "2026-03-02T13:00:00Z"


def test_the_journal_of_a_day_tells_what_was_said(api):
    api.post("discord:1/messages", a_message())
    assert "I moved to Toronto last spring." in api.get("discord:1/journal/2026-02-23").json()["text"]


def test_the_journal_tells_nothing_of_a_private_channel(api):
    make_message("Alice is ill.", channel=make_channel(name="staff", private=True))
    assert api.get(f"discord:1/journal/{NOON.date()}").status_code == 404


def test_a_kept_journal_is_rendered_anew_before_it_is_told_of_who_said_no(api):
    said = make_message("I sail.", author=make_member(name="Carol"))
    path = f"discord:1/journal/{NOON.date()}"
    assert "I sail." in api.get(path).json()["text"]
    type(said).objects.update(text="", let_go_at=NOON)
    assert "I sail." in api.get(path).json()["text"]
    consent_effects.choose(said.author, remember=False, actor="member", now=NOON)
    assert "sail" not in api.get(path).json()["text"]


def test_a_day_on_which_nothing_was_said_has_no_journal(api):
    assert api.get("discord:1/journal/2026-02-23").status_code == 404
