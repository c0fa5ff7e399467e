"""`POST /guilds/{key}/ask`: an answer with its sources, or that nothing is known."""

from __future__ import annotations

import pytest

from tests import toy_embedder
from tests.api_client import PROBLEM, a_message, api_for
from tests.factories import make_guild

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(monkeypatch):
    toy_embedder.install(monkeypatch)
    api = api_for(make_guild())
    api.post("discord:1/messages", a_message(text="I restore old harpsichords."))
    staff = {"id": "c-staff", "name": "staff", "audience": "channel"}
    api.post("discord:1/messages", a_message(2, text="The lantern prize goes to Bob.", channel=staff))
    return api


def ask(api, text="Who restores harpsichords?", **body):
    return api.post("discord:1/ask", {"text": text, **body}).json()


def test_an_answer_names_its_sources(api):
    answer = ask(api)
    assert (answer["known"], answer["by"]) == (True, "rules")
    assert answer["answer"] == "Alice, 23 February 2026: I restore old harpsichords. [1]"
    assert answer["sentences"] == [{"text": "I restore old harpsichords.", "sources": [1]}]
    (source,) = answer["sources"]
    assert (source["number"], source["kind"], source["id"], source["member"]) == (1, "message", "m-1", "u1")
    assert [each["message_id"] for each in source["sources"]] == ["m-1"]


def test_what_nobody_told_is_not_known(api):
    answer = ask(api, "Which trumpet does Alice own?")
    assert (answer["known"], answer["sentences"], answer["sources"]) == (False, [], [])
    assert answer["answer"].startswith("I don't know")


def test_what_was_said_in_private_answers_only_there(api):
    question = "Who gets the lantern prize?"
    assert not ask(api, question)["known"]
    assert not ask(api, question, channel="c1")["known"]
    assert ask(api, question, channel="c-staff")["known"]


def test_who_asks_may_be_nobody_anyone_heard_of(api):
    assert ask(api, "Which harpsichords do I restore?", member="u1")["known"]
    assert not ask(api, "Which trumpet do I own?", member="u1")["known"]
    assert ask(api, "Which harpsichords do I restore?", member="nobody")["known"]


def test_a_key_that_only_reads_may_ask_and_one_of_another_guild_may_not(api):
    reader = api_for(make_guild(), "read")
    assert reader.post("discord:1/ask", {"text": "Who restores harpsichords?"}).status_code == 200
    stranger = api_for(make_guild("discord:2"))
    assert stranger.post("discord:1/ask", {"text": "Who restores harpsichords?"}).status_code == 404
    answer = stranger.post("discord:2/ask", {"text": "Who restores harpsichords?"}).json()
    assert not answer["known"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422), ({"text": ""}, 422), ({"text": "x" * 2_001}, 422), ({"text": 7}, 422),
        ({"text": "x", "who": "y"}, 422),
        ({"text": "x", "channel": "nowhere"}, 404), ([], 422),
    ],
)  # fmt: skip
def test_what_is_no_question_is_refused(api, body, status):
    answer = api.post("discord:1/ask", body)
    assert (answer.status_code, answer["Content-Type"]) == (status, PROBLEM)
