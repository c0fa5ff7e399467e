"""`manage.py rebuild_profiles`."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from profiles.models import ProfileEntry
from tests.factories import make_entry, make_fact, make_guild, make_member, make_message, make_note
from tests.scripted import scripted

pytestmark = pytest.mark.django_db


def run(*words: str) -> str:
    out = StringIO()
    call_command("rebuild_profiles", "--guild", "discord:1", *words, stdout=out)
    return out.getvalue()


def test_the_profiles_of_a_guild_are_written_anew():
    message = make_message("I live in Oslo.")
    make_note(messages=[message])
    make_fact("Lives in Oslo.", subject=message.author, evidence=[message])
    make_entry("Was never said")
    assert run() == "Rebuilt 1 of 1 profiles.\n"
    assert [entry.text for entry in ProfileEntry.objects.all()] == ["Lives in Oslo"]


def test_one_member_can_be_rebuilt_alone():
    make_member(name="Bob")
    make_entry("Was never said")
    assert run("--member", "u-bob") == "Rebuilt 1 of 1 profiles.\n"
    assert ProfileEntry.objects.exists()


@pytest.mark.parametrize("words", [("--member", "nobody"), ("--guild", "discord:9")])
def test_whoever_is_not_there_is_told_of_in_words(words):
    make_guild()
    with pytest.raises(CommandError, match=r"[Nn]o "):
        run(*words)


def test_a_model_that_fails_is_told_of():
    make_entry("Lives in Oslo", notes=[make_note(messages=[make_message()])])
    with scripted() as model:
        model.fail("profile_rebuild")
        with pytest.raises(CommandError, match="could not be rebuilt, and are as they were: 1"):
            run()
