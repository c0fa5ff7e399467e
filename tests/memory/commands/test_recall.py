import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from memory.index import embeddings, writing
from memory.recall.ranking import PRESETS
from tests import toy_embedder
from tests.factories import make_fact, make_guild, make_member, make_message

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def known(monkeypatch):
    toy_embedder.install(monkeypatch)
    message = make_message("I moved to Toronto.")
    writing.index_facts([make_fact("Lives in Toronto.", subject=message.author, evidence=[message])])
    writing.index_messages([message])
    embeddings.embed_missing(10)
    return message


def ask(capsys, *arguments):
    call_command("recall", "who is in Toronto?", "--guild", "discord:1", *arguments)
    return capsys.readouterr().out


def test_it_prints_what_is_known_and_where_from(capsys, known):
    out = ask(capsys)
    assert "Lives in Toronto." in out
    assert known.platform_id in out


@pytest.mark.parametrize("question", ["", "  "])
def test_no_question_is_refused(question):
    with pytest.raises(CommandError, match="it is empty; write what you want to know"):
        call_command("recall", question, "--guild", "discord:1")


def test_explain_shows_the_parts_of_each_score_and_the_gate(capsys):
    out = ask(capsys, "--explain")
    assert {"semantic", "lexical", "recency", "gate"} <= set(out.replace("│", " ").split())


@pytest.mark.parametrize("preset", PRESETS)
def test_each_ranking_explains_itself(capsys, preset):
    (found,) = json.loads(ask(capsys, "--json", "--kind", "fact", "--preset", preset))
    assert found["scores"]["confidence"] == 0.5
    assert found["gate"]
    assert "confidence" in ask(capsys, "--explain", "--preset", preset)


def test_json_has_everything(capsys, known):
    found = json.loads(ask(capsys, "--json", "--kind", "fact"))
    assert [each["text"] for each in found] == ["Lives in Toronto."]
    assert found[0]["sources"][0]["message_id"] == known.platform_id
    assert found[0]["scores"]["semantic"] > 0


def test_the_question_can_be_about_one_member(capsys):
    make_member(name="Bob")
    assert "Nothing found." in ask(capsys, "--member", "u-bob")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--member", "nobody"], "no member nobody. Give the platform's id, not a name"),
        (["--channel", "nowhere"], "no channel nowhere. Give the platform's id, not a name"),
        (["--member", "@alice"], "no member @alice. Give the id: u-alice is called so"),
        (["--channel", "#general"], "no channel #general. Give the id: c-general is called so"),
        (["--kind", "fact,dream"], "fact, note, message"),
    ],
)
def test_what_is_not_there_is_said(capsys, arguments, message):
    with pytest.raises(CommandError, match=message):
        ask(capsys, *arguments)


def test_an_unknown_guild_is_said():
    with pytest.raises(CommandError, match="discord:404"):
        call_command("recall", "hello", "--guild", "discord:404")


def test_a_guild_without_memory_finds_nothing(capsys):
    make_guild("discord:2")
    call_command("recall", "hello", "--guild", "discord:2")
    assert "Nothing found." in capsys.readouterr().out


@pytest.mark.parametrize("limit", ["0", "25", "-3", "many", "1.5", ""])
def test_a_limit_that_is_none_is_refused_and_not_taken_for_another(capsys, limit):
    with pytest.raises(CommandError, match=f"'{limit}' is no whole number from 1 to 24"):
        ask(capsys, "--limit", limit)
