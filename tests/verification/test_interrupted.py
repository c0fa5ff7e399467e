"""Ctrl-C at a command that works: it ends at once, says how to go on, and leaves no claim behind."""

from __future__ import annotations

import json
import signal
import sqlite3
from pathlib import Path

from tests.memoryhub.ai.fake_provider import SILENCE, provider
from tests.verification.hub import DATABASE, PATIENCE, Hub, a_hub, until

LINE = (
    "I painted the wooden boat blue and moored it at the pier behind the old mill by the river bridge last week. " * 2
)


def claims(hub: Hub) -> list[tuple[str, int]]:
    with sqlite3.connect(hub.folder / DATABASE) as database:
        rows = database.execute("SELECT claimed_by, attempts FROM notes_channelbuffer WHERE claimed_until IS NOT NULL")
        return rows.fetchall()


def take_in(hub: Hub) -> None:
    """Import what Alice said."""
    said = hub.folder / "said.jsonl"
    line = {"message_id": "m-1", "channel": {"id": "c-1"}, "author": {"id": "u-alice"}, "text": LINE}
    said.write_text(json.dumps({**line, "sent_at": "2026-03-02T12:00:00Z"}) + "\n")
    assert hub.manage("import_messages", str(said), "--guild", "discord:1").returncode == 0


def test_an_interrupted_digest_ends_at_once_and_another_goes_on_where_it_was(tmp_path: Path):
    with provider(SILENCE) as silent, a_hub(tmp_path) as hub:
        hub.changes = {"MEMORYHUB_EMBEDDING_MODEL": "none"}
        take_in(hub)
        model = {"MEMORYHUB_MODEL": "openai:small", "MEMORYHUB_MODEL_BASE_URL": silent.url, "OPENAI_API_KEY": "k"}
        hub.changes |= model
        process = hub.start("manage.py", "digest")
        until(lambda: silent.asked, "the digest asks the model")
        assert [attempts for _, attempts in claims(hub)] == [1]
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
        assert "goes on with the conversation that was in hand" in hub.log
        assert "Traceback" not in hub.log
        assert claims(hub) == []
        hub.changes |= dict.fromkeys(model, "")
        again = hub.manage("digest")
        assert again.returncode == 0, again.stderr


def test_a_command_that_is_interrupted_says_so_in_words_and_can_be_run_again(tmp_path: Path):
    rebuild = ("rebuild_profiles", "--guild", "discord:1")
    with provider(SILENCE) as silent, a_hub(tmp_path) as hub:
        hub.changes = {"MEMORYHUB_EMBEDDING_MODEL": "none"}
        take_in(hub)
        assert hub.manage("digest").returncode == 0
        model = {"MEMORYHUB_MODEL": "openai:small", "MEMORYHUB_MODEL_BASE_URL": silent.url, "OPENAI_API_KEY": "k"}
        hub.changes |= model
        process = hub.start("manage.py", *rebuild)
        until(lambda: silent.asked, "the rebuild asks the model")
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
        assert "Interrupted. The same command can be run again." in hub.log
        assert "Traceback" not in hub.log
        hub.changes |= dict.fromkeys(model, "")
        assert "Rebuilt 1 of 1 profiles." in hub.manage(*rebuild).stdout
