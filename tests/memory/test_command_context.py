import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from memory import indexing
from tests import toy_embedder
from tests.factories import make_channel, make_fact, make_member, make_message

pytestmark = pytest.mark.django_db

WHERE = ("--guild", "discord:1", "--channel", "c-general")


@pytest.fixture(autouse=True)
def known(monkeypatch):
    toy_embedder.install(monkeypatch)
    message = make_message("I moved to Toronto.", channel=make_channel(name="general"))
    indexing.index_facts([make_fact("Lives in Toronto.", subject=message.author, evidence=[message])])


def test_it_prints_what_a_bot_would_be_handed(capsys):
    call_command("context", "where does Alice live?", *WHERE, "--member", "u-alice")
    printed = capsys.readouterr()
    assert printed.out.startswith("<background_facts>")
    assert "Lives in Toronto." in printed.out
    assert "facts" in printed.err


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
