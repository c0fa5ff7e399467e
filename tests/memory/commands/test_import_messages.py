"""`import_messages` takes files in, says what became of them, and can be run again whenever it stopped."""

import io
import sys
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from memory import pipeline
from memory.importing import take_in
from memory.models import Fact
from memoryhub.community.models import Channel, Guild
from notes.models import ChannelBuffer, Message
from tests.exported import export, exported, line, lines, studied, user, write

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _by_words_only(settings):
    settings.MEMORYHUB_EMBEDDING_MODEL = "none"


def run(*files, **options):
    """What the command prints, and what it complains of."""
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("import_messages", *files, stdout=out, stderr=err, **options)
    except CommandError as error:
        return out.getvalue(), f"{err.getvalue()}{error}", error.returncode
    return out.getvalue(), err.getvalue(), 0


def counts(text):
    rows = (row.split(":", 1) for row in text.splitlines() if ": " in row and not row.startswith(" "))
    return {name: value.strip() for name, value in rows if name in {"stored", "duplicate", "ignored", "refused"}}


def test_a_file_is_imported_and_counted(tmp_path):
    out, err, code = run(write(tmp_path, lines(line(1), line(2), line(2), line(3, text=""), {"message_id": "m-4"})))
    assert (code, err) == (0, "")
    assert counts(out) == {"stored": "2", "duplicate": "1", "ignored": "1 (empty 1)", "refused": "1"}
    assert "line 5: channel: This is required" in out
    assert set(Message.objects.values_list("source", flat=True)) == {"import"}


def test_running_it_again_stores_nothing(tmp_path):
    path = write(tmp_path, export(exported(1), exported(2)))
    run(path)
    out, _, code = run(path)
    assert (counts(out)["stored"], counts(out)["duplicate"], code) == ("0", "2", 0)


def test_several_files_of_different_kinds_are_imported_together(tmp_path):
    files = (write(tmp_path, export(exported()), "one"), write(tmp_path, lines(line(2)), "two"),
             write(tmp_path, lines(studied()), "three"))  # fmt: skip
    out, _, code = run(*files)
    assert (counts(out)["stored"], code) == ("3", 0)
    assert set(Guild.objects.values_list("key", flat=True)) == {"discord:1", "conversation:talk-1"}


def test_a_file_that_cannot_be_read_stops_no_other_and_exits_with_one(tmp_path):
    good = write(tmp_path, lines(line()), "good")
    out, err, code = run(str(tmp_path / "gone"), write(tmp_path, b"", "empty"), good)
    assert (counts(out)["stored"], code) == ("1", 1)
    assert "gone is not there" in err
    assert "empty is empty" in err
    assert "2 of 3 files" in err


def test_where_nothing_could_be_read_no_counts_are_printed(tmp_path):
    out, err, code = run(str(tmp_path / "gone"), dry_run=True)
    assert (out, code) == ("", 1)
    assert err.endswith("gone is not there.\nNothing was read, and nothing stored.")


def test_half_a_file_is_stored_up_to_the_break_and_the_whole_one_completes_it(tmp_path):
    whole = export(*(exported(number) for number in range(1, 11)))
    out, err, code = run(write(tmp_path, whole[: whole.index(b'"m-8"')]))
    assert (Message.objects.count(), counts(out)["stored"], code) == (7, "7", 1)
    assert "messageCount" in err
    out, _, code = run(write(tmp_path, whole))
    assert (counts(out)["stored"], counts(out)["duplicate"], code) == ("3", "7", 0)


def test_an_interrupted_import_keeps_its_batches_and_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(take_in, "BATCH", 2)
    receive_many, seen = pipeline.receive_many, []

    def interrupted(messages, **options):
        seen.append(len(messages))
        if len(seen) == 3:
            raise KeyboardInterrupt
        return receive_many(messages, **options)

    path = write(tmp_path, lines(*(line(number) for number in range(1, 10))))
    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "receive_many", interrupted)
        out, err, code = run(path)
    assert (Message.objects.count(), counts(out)["stored"], code) == (4, "4", 130)
    assert "Run the same command again to go on" in err
    out, _, code = run(path)
    assert (counts(out)["stored"], counts(out)["duplicate"], code) == ("5", "4", 0)


@pytest.mark.sqlite_only("words of its errors")
def test_a_database_that_takes_nothing_is_told_in_words(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OperationalError("database or disk is full")

    monkeypatch.setattr(pipeline, "receive_many", full)
    _, err, code = run(write(tmp_path, lines(line())))
    assert code == 1
    assert "The disk is full" in err
    assert "again" in err


def test_a_dry_run_stores_nothing_and_counts_by_author_and_month(tmp_path):
    out, _, code = run(write(tmp_path, lines(line(1), line(2, author="bob"), line(3, sent_at="2026-04-01T12:00:00Z"))),
                       dry_run=True)  # fmt: skip
    assert (counts(out)["stored"], code) == ("3", 0)
    assert not Guild.objects.exists()
    assert not Message.objects.exists()
    assert "nothing was stored" in out
    assert all(word in out for word in ("alice", "bob", "2026-03", "2026-04"))


def test_a_dry_run_of_what_is_there_shows_no_empty_tables(tmp_path):
    path = write(tmp_path, lines(line(1)))
    run(path)
    out, _, _ = run(path, dry_run=True)
    assert counts(out)["duplicate"] == "1"
    assert "author" not in out


def test_a_dry_run_shows_names_as_plain_text(tmp_path):
    out, _, _ = run(write(tmp_path, export(exported(author=user("[red]\x1b[2JMallory")))), dry_run=True)
    assert "[red]?[2JMallory" in out
    assert "\x1b" not in out


def test_standard_input_is_read_for_a_dash(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(lines(line(1), line(2)))))
    out, _, code = run("-")
    assert (counts(out)["stored"], code) == ("2", 0)


def test_the_guild_can_be_named(tmp_path):
    run(write(tmp_path, lines(line(guild=None))), guild="sms:7")
    assert Guild.objects.get().key == "sms:7"


@pytest.mark.parametrize("key", ["1234", "Discord:1", "discord:", "a b:c"])
def test_a_guild_that_is_no_key_is_refused_before_anything_is_read(key):
    _, err, code = run("gone", guild=key)
    assert code == 1
    assert "platform:id" in err


def test_lines_without_a_guild_are_refused_with_what_to_do(tmp_path):
    out, _, _ = run(write(tmp_path, lines(line(guild=None))))
    assert counts(out)["refused"] == "1"
    assert "--guild" in out


def test_private_closes_the_channels_of_an_export(tmp_path):
    run(write(tmp_path, export(exported())), private=True)
    assert Channel.objects.get().audience == "channel"


def test_a_direct_chat_becomes_a_direct_guild(tmp_path):
    run(write(tmp_path, export(exported(), guild={"id": "0", "name": "Direct Messages"}, type="DirectTextChat")))
    assert (Guild.objects.get().key, Guild.objects.get().kind) == ("discord-dm:c-general", "direct")


def test_a_private_thread_is_heard_by_its_own_readers_only(tmp_path):
    run(write(tmp_path, export(exported(), type="GuildPrivateThread", id="t-1")))
    thread = Channel.objects.get(platform_id="t-1")
    assert (thread.kind, thread.audience, thread.parent.platform_id) == ("thread", "channel", "k-1")


def test_what_bots_and_the_system_said_is_never_learned_from(tmp_path):
    talk = export(
        exported(1, "I live in Paris.", author=user("Foghorn", isBot=True)),
        exported(2, "I live in Rome.", type="GuildMemberJoin"),
        exported(3, forwardedMessage={"content": "I live in Oslo."}, content="I live in Oslo."),
        exported(4, "I live in Toronto."),
    )
    run(write(tmp_path, talk), digest=True)
    assert list(Fact.objects.values_list("text", flat=True)) == ["Lives in Toronto."]


def test_digest_makes_memory_of_the_files_guilds(tmp_path):
    out, _, code = run(write(tmp_path, lines(line(1), line(2, guild={"key": "discord:2"}))), digest=True)
    assert code == 0
    assert set(Fact.objects.values_list("guild__key", "text")) == {
        ("discord:1", "Lives in Toronto."), ("discord:2", "Lives in Toronto."),
    }  # fmt: skip
    assert not ChannelBuffer.objects.exclude(status="done").exists()
    assert "discord:2:" in out


def test_digest_after_an_interruption_digests_what_is_known_already(tmp_path):
    path = write(tmp_path, lines(line(1)))
    run(path)
    run(path, digest=True)
    assert Fact.objects.count() == 1
