"""Chat is data: logs carry ids and counts; what was said or asked never gets there, whatever goes wrong."""

from __future__ import annotations

import logging
import traceback

import pytest
from django.db import OperationalError

from memory import pipeline, tasks
from memory.jobs import digest_steps
from memoryhub.logging import LineFormatter
from tests.factories import NOON, minutes
from tests.incoming import north, say
from tests.verification.hub import a_hub, until

CANARY = "qxcanaryq"
TEXT = f"I live in {CANARY} and I work at the {CANARY} museum, down by the river, with my {CANARY} friends."


@pytest.mark.django_db
def test_an_error_whose_words_quote_a_message_is_logged_without_them(caplog, monkeypatch):
    say(TEXT)

    def broken(*_: object) -> None:
        raise ValueError(f"cannot parse {TEXT!r}")

    monkeypatch.setitem(digest_steps.STEPS, "note", broken)
    caplog.set_level(logging.DEBUG)
    assert pipeline.digest(None, now=NOON + minutes(60)).failed == 1
    log = "\n".join(LineFormatter().format(record) for record in caplog.records)
    assert "a digest failed" in log
    assert CANARY not in log
    assert CANARY not in str(list(north().buffers.values_list("last_error", flat=True)))


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OperationalError("database is locked"), "a chore failed: Another process keeps the database busy. Try again."),
        (OperationalError(f"no such column: {CANARY}"), "OperationalError"),  # a fault of ours: the place tells more
        (ValueError(CANARY), "ValueError"),
    ],
)
@pytest.mark.sqlite_only("by the words of its errors")
def test_what_befalls_the_database_is_a_sentence_in_the_log_and_any_other_error_a_place(caplog, error, told):
    try:
        raise error
    except Exception:
        logging.getLogger(__name__).exception("a chore failed")
    line = LineFormatter().format(caplog.records[-1])
    assert line.endswith(told)
    assert ("test_logs.py" in line) == (told == type(error).__name__)
    assert CANARY not in line


def test_a_task_that_fails_hands_the_queue_no_words_of_a_message(monkeypatch):
    def broken(**_: object) -> None:
        raise ValueError(f"cannot parse {TEXT!r}")

    monkeypatch.setattr(pipeline, "tick", broken)
    with pytest.raises(Exception) as failed:
        tasks.tick()
    assert CANARY not in "".join(traceback.format_exception(failed.value))


def test_the_logs_of_real_processes_at_debug_level_never_hold_what_was_said_or_asked(tmp_path):
    guild = "/api/v1/guilds/discord:1"
    body = {"channel": {"id": "c1"}, "author": {"id": "u1"}, "sent_at": "2026-03-02T12:00:00Z"}
    with a_hub(tmp_path, MEMORYHUB_LOG_LEVEL="DEBUG") as hub:
        hub.serve()
        calls = [
            hub.call("POST", f"{guild}/messages", {**body, "message_id": "m-1", "text": TEXT}),
            hub.call("POST", f"{guild}/messages", {**body, "message_id": "m-2", "text": TEXT, CANARY: 1}),
            hub.call("POST", f"{guild}/messages", {**body, "message_id": "m-3", "text": {"bad": CANARY}}),
            hub.call("POST", f"{guild}/messages", TEXT),
            hub.call("POST", f"{guild}/facts", {"lore": True, "text": f"The {CANARY} rules the channel."}),
            hub.call("POST", f"{guild}/context", {"text": TEXT, "channel": "c1", "members": ["u1"]}),
            hub.call("GET", f"{guild}/search?q={CANARY}&limit=24"),
            hub.call("GET", f"{guild}/search?q={CANARY}&limit={CANARY}"),
            hub.call("GET", f"{guild}/nowhere?q={CANARY}"),
            hub.call("GET", f"{guild}/facts?q={CANARY}&cursor={CANARY}"),
            hub.call("PATCH", f"{guild}/messages/m-1", {"text": f"{TEXT} Twice."}),
            hub.call("POST", f"{guild}/channels/c1/flush"),
        ]
        hub.start("manage.py", "qcluster")
        until(lambda: CANARY in hub.call("GET", f"{guild}/facts").text, "the worker has learned")
        until(lambda: "notes" in hub.call("GET", f"{guild}/stats").text, "the numbers are there")
        told = hub.manage("digest")
        log = hub.log + told.stdout + told.stderr
    assert [call.status for call in calls][:2] == [201, 422]
    assert max(call.status for call in calls) < 500
    assert "POST" in log
    assert CANARY not in log
