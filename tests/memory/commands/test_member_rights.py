"""`manage.py export_member` and `manage.py forget_member`."""

from __future__ import annotations

import sys
import zipfile

import pytest
from django.core.management import CommandError, call_command

from memory import erasure
from memory.index import reindexing
from memory.models import Erasure
from memoryhub.community.models import Member
from notes.models import InteractionNote
from tests.factories import make_member, make_message
from tests.memory.erasure.erasure_world import talk

pytestmark = pytest.mark.django_db
ALICE = {"guild": "discord:1", "member": "u-alice"}


def forget(capsys, **options) -> str:
    call_command("forget_member", **options)
    return capsys.readouterr().out


def test_it_erases_prints_a_receipt_and_verifies_it(capsys):
    make_message("I own a boat.", author=make_member())
    told = forget(capsys, **ALICE)
    assert "traces: 0" in told
    assert not Member.objects.exists()
    token = told.split("receipt: ")[1].strip()
    assert f"erased: a member, {Erasure.objects.get().finished_at:%Y-%m-%d %H:%M} UTC" in forget(capsys, verify=token)


def test_asked_again_it_prints_the_same_receipt(capsys):
    make_member()
    assert forget(capsys, **ALICE).splitlines()[-1] == forget(capsys, **ALICE).splitlines()[-1]
    assert Erasure.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_afterwards_what_the_others_said_is_written_anew_and_the_indexes_are_complete(capsys):
    talk()
    InteractionNote.objects.update(summary="They talked.\nShe is a nurse, he keeps two cats in Oslo.")
    forget(capsys, **ALICE)
    note = InteractionNote.objects.get()
    assert "carpenter" in note.summary
    assert "nurse" not in note.summary
    assert all(found.ok for found in reindexing.check())


@pytest.fixture
def answers(monkeypatch):
    """Somebody at a terminal, who is asked; the list holds what they answer."""
    answers = []
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda: answers.pop())
    return answers


def test_who_sits_at_a_terminal_is_asked_and_told_what_would_go(capsys, answers):
    make_message("I own a boat.", author=make_member())
    answers.append("y")
    with pytest.raises(CommandError, match="Nothing was erased"):
        call_command("forget_member", **ALICE)
    asked = capsys.readouterr().err
    assert "u-alice) of discord:1 would be erased for good" in asked
    assert "messages" in asked
    assert Member.objects.exists()
    answers.append("yes")
    assert "traces: 0" in forget(capsys, **ALICE)


def test_who_wants_no_question_is_not_asked(capsys, answers):
    make_member()
    assert "traces: 0" in forget(capsys, interactive=False, **ALICE)


def test_interrupted_it_says_that_an_erasure_goes_on(monkeypatch, capsys):
    make_member()

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(erasure, "request_erasure", interrupted)
        with pytest.raises(CommandError, match="the same command goes on with it") as told:
            call_command("forget_member", **ALICE)
    assert told.value.returncode == 130
    assert "traces: 0" in forget(capsys, **ALICE)


def test_a_dry_run_says_what_would_go_and_leaves_it(capsys):
    make_message("I own a boat.", author=make_member())
    assert "messages" in forget(capsys, dry_run=True, **ALICE)
    assert Member.objects.exists()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "Name whom to forget"),
        ({"guild": "discord:1", "member": "u-nobody"}, "has no member u-nobody"),
        ({"guild": "discord:9", "member": "u-alice"}, "No guild discord:9 is known"),
        ({"verify": "forged"}, "was not signed here"),
    ],
)
def test_it_says_what_is_wrong(options, told):
    make_member()
    with pytest.raises(CommandError, match=told):
        call_command("forget_member", **options)
    assert Member.objects.exists()


def test_an_export_goes_where_it_is_told(capsys, tmp_path):
    make_member()
    call_command("export_member", **ALICE, output=tmp_path / "alice.zip")
    assert capsys.readouterr().out.strip() == str(tmp_path / "alice.zip")
    assert zipfile.is_zipfile(tmp_path / "alice.zip")


def test_an_export_goes_over_no_other_file(tmp_path):
    make_member()
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(CommandError, match="there is such a file already"):
        call_command("export_member", **ALICE, output=tmp_path / "notes.txt")
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert not list(tmp_path.glob(".*.part"))


def test_an_export_that_cannot_be_written_is_said_in_words(tmp_path):
    make_member()
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("export_member", **ALICE, output=tmp_path / "nowhere" / "alice.zip")
