import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from memory.index import writing
from tests import toy_embedder
from tests.factories import make_channel, make_fact, make_member, make_message

pytestmark = pytest.mark.django_db

WHERE = ("--guild", "discord:1", "--channel", "c-general")


@pytest.fixture(autouse=True)
def known(monkeypatch):
    toy_embedder.install(monkeypatch)
    message = make_message("I moved to Toronto.", channel=make_channel(name="general"))
    writing.index_facts([make_fact("Lives in Toronto.", subject=message.author, evidence=[message])])


def test_it_prints_what_a_bot_would_be_handed(capsys):
    call_command("context", "where does Alice live?", *WHERE, "--member", "u-alice")
    printed = capsys.readouterr()
    assert printed.out.startswith("<background_facts>")
    assert "Lives in Toronto." in printed.out
    assert "facts" in printed.err


def test_without_a_channel_and_members_what_everybody_may_know_is_handed(capsys):
    make_fact("Brews tea.", subject=make_member(name="Alice"), audience=make_channel(name="crew", private=True))
    call_command("context", "I moved to Toronto?", "--guild", "discord:1")
    printed = capsys.readouterr().out
    assert printed.startswith("<background_facts>")
    assert "tea" not in printed


def test_the_text_alone_goes_to_standard_output(capsys):
    call_command("context", "Toronto", *WHERE, "--member", "u-alice", "--format", "json")
    assert json.loads(capsys.readouterr().out)["facts"][0]["about"] == "Alice"


def test_several_members_can_be_present(capsys):
    make_member(name="Bob")
    call_command("context", "hello", *WHERE, "--member", "u-alice", "u-bob", "--max-tokens", "100")
    assert "Lives in Toronto." in capsys.readouterr().out


@pytest.mark.parametrize(
    "where", [("--guild", "discord:1", "--channel", "c-404"), ("--guild", "x:1", "--channel", "c")]
)
def test_what_is_not_there_is_said(where):
    with pytest.raises(CommandError):
        call_command("context", "hello", *where, "--member", "u-alice")


def test_each_item_is_explained_and_so_is_what_stayed_out(capsys):
    make_fact("Owns a harp.")
    secret = make_fact("Plans a Toronto party.", audience=make_channel(name="crew", private=True))
    writing.index_facts([secret])
    call_command("context", "where does Alice live? Toronto?", *WHERE, "--member", "u-alice", "--explain")
    printed = capsys.readouterr()
    assert "lexical" in printed.err
    assert "m-" in printed.err
    assert "not for this audience" in " ".join(printed.err.split())
    assert "party" not in printed.out


def test_json_prints_what_the_api_answers(capsys):
    call_command("context", "Toronto?", *WHERE, "--member", "u-alice", "--json")
    answer = json.loads(capsys.readouterr().out)
    assert {"text", "tokens", "parts", "sources", "left_out", "notice", "messages"} == answer.keys()
    assert [part["name"] for part in answer["parts"]] == ["facts", "transcript"]


def test_the_bots_own_text_and_transcript_come_from_files(capsys, tmp_path):
    base, talk = tmp_path / "base.txt", tmp_path / "talk.json"
    base.write_text("You are Hubbot.", encoding="utf-8")
    talk.write_text('[{"role": "user", "name": "Alice", "text": "hi"}]', encoding="utf-8")
    form = ("--format", "messages", "--memory-role", "user", "--base", str(base), "--transcript", str(talk))
    call_command("context", "Toronto?", *WHERE, "--member", "u-alice", *form)
    told = json.loads(capsys.readouterr().out)
    assert told[0]["content"].startswith("You are Hubbot.")
    assert [each["content"] for each in told[2:]] == ["Alice: hi", "Toronto?"]


def test_the_authors_surest_facts_are_printed(capsys):
    call_command("context", "hello", *WHERE, "--member", "u-alice", "--format", "user_memory", "--preset", "composer")
    assert "<user_memory>" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "can't be read: No such file"), (b"\xff", "can't be read: it is not UTF-8"),
     (b'[{"words": 1}]', "not what the API takes: 0.text"), (b"", "not what the API takes: Must be JSON")],
)  # fmt: skip
def test_a_transcript_that_is_none_is_refused_in_words(tmp_path, content, said):
    file = tmp_path / "talk.json"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(CommandError, match=said):
        call_command("context", "hello", *WHERE, "--member", "u-alice", "--transcript", str(file))


@pytest.mark.parametrize("tokens", ["0", "-5", "100001"])
def test_a_budget_that_is_none_is_refused(tokens):
    with pytest.raises(CommandError, match="no whole number from 1 to 100,000"):
        call_command("context", "Toronto", *WHERE, f"--max-tokens={tokens}")
