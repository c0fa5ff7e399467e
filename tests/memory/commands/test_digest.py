"""`digest` turns all that was said into memory, embeds it, and says how much it was."""

import io

import pytest
from django.core.management import CommandError, call_command

from memory import pipeline
from memory.models import Fact, Snapshot
from memoryhub.ai import ModelFailed
from notes.models import ChannelBuffer
from tests.factories import make_guild
from tests.incoming import say
from tests.scripted import scripted

pytestmark = pytest.mark.django_db


def run(**options):
    out, err = io.StringIO(), io.StringIO()
    call_command("digest", stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


def numbers(text):
    return [int(word) for word in text.replace("│", " ").split() if word.isdigit()]


def test_every_open_conversation_is_digested_and_counted(toy):
    say("I live in Toronto.")
    out, err = run()
    assert numbers(out)[:2] == [1, 1]
    assert err == ""
    assert ChannelBuffer.objects.get().status == "done"


def test_facts_and_notes_are_embedded_and_the_snapshot_rendered(toy):
    from memory.index import reindexing

    say("I live in Toronto.")
    run()
    assert all(found.ok for found in reindexing.check())
    assert "Lives in Toronto" in Snapshot.objects.get().text


def test_one_guild_can_be_digested_alone(toy):
    say("I live in Toronto.")
    make_guild("discord:2")
    run(guild="discord:2")
    assert not Fact.objects.exists()


def test_an_unknown_guild_is_told_in_words():
    with pytest.raises(CommandError, match="No guild discord:404 is known") as caught:
        run(guild="discord:404")
    assert caught.value.returncode == 1


def test_nothing_to_digest_is_no_failure(toy):
    assert numbers(run()[0]) == [0, 0, 0, 0]


def test_a_failed_conversation_is_counted_and_exits_with_one(toy):
    say("I live in Toronto.")
    with scripted() as model:
        model.fail("extraction", times=9).fail("note", times=9)
        with pytest.raises(CommandError, match="Failed conversations: 1") as caught:
            run()
    assert caught.value.returncode == 1


def test_the_bar_ends_full_though_a_conversation_waits_for_another_try(toy, capsys):
    say("I live in Toronto.")
    with scripted() as model:
        model.fail("extraction", times=9).fail("note", times=9)
        with pytest.raises(CommandError):
            run()
    say("I brew tea.", channel="tea")
    run()
    bar = next(line for line in reversed(capsys.readouterr().err.splitlines()) if "conversations" in line)
    assert "100%" in bar


def test_an_interrupted_digest_says_how_to_go_on(toy, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "digest", interrupted)
    with pytest.raises(CommandError, match="What was processed stays") as caught:
        run()
    assert caught.value.returncode == 130


def test_an_embedder_that_fails_leaves_the_memory_and_says_so(toy):
    def fail():
        raise ModelFailed("unreachable")

    toy.while_embedding = fail
    say("I live in Toronto.")
    _, err = run()
    assert "Embeddings are missing" in err
    assert Fact.objects.exists()
