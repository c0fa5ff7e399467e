"""`manage.py doctor`: one line for each thing that can be wrong, what to do about it, and an exit code."""

from __future__ import annotations

import fcntl
from collections import namedtuple
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from typing import IO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from django_q.models import Schedule

from memory import schedules
from memoryhub import db
from memoryhub.site.management.commands import doctor, qcluster
from tests.factories import make_guild, make_message
from tests.verification.hub import DATABASE, Hub, a_hub

pytestmark = pytest.mark.django_db
Usage = namedtuple("Usage", "total used free")


@pytest.fixture(autouse=True)
def worker(monkeypatch, settings) -> Iterator[IO[str]]:
    """A worker that runs: its lock is held, and its jobs are due in a minute."""
    schedules.declare()
    Schedule.objects.update(next_run=timezone.now() + timedelta(minutes=1))
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: Usage(100, 0, 100 * doctor.LITTLE_SPACE))
    with (settings.DATA_DIR / qcluster.LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        yield lock


def examine() -> dict[str, str]:
    """Return the report, line by line under the name of what was looked at; fails if something is wrong."""
    out = StringIO()
    call_command("doctor", stdout=out)
    return _lines(out)


def examine_ill() -> dict[str, str]:
    """Return the report of a hub with which something is wrong."""
    out = StringIO()
    with pytest.raises(CommandError, match="need you"):
        call_command("doctor", stdout=out)
    return _lines(out)


def _lines(out: StringIO) -> dict[str, str]:
    rows = [line for line in out.getvalue().splitlines() if ": " in line]
    return {line[7:].split(": ", 1)[0].strip(): line for line in rows}


def test_a_hub_without_any_setting_is_well():
    report = examine()
    assert report["database"].startswith("ok")
    assert report["queue"].startswith("ok")
    assert "stays off" in report["bot"]


def test_a_setting_that_names_no_model_is_wrong(settings):
    settings.MEMORYHUB_MODEL = "nonsense"
    assert [line for line in examine_ill().values() if line.startswith("WRONG") and "MEMORYHUB_MODEL" in line]


def test_a_token_that_is_none_is_wrong_and_is_not_printed(settings):
    settings.DISCORD_TOKEN = "qxtokenq"
    line = examine_ill()["bot"]
    assert line.startswith("WRONG")
    assert "qxtokenq" not in line


def test_a_token_that_looks_like_one_is_fine_and_is_not_printed(settings):
    settings.DISCORD_TOKEN = "qxone.qxtwo.qxthree"
    line = examine()["bot"]
    assert line.startswith("ok")
    assert "qx" not in line


def test_little_space_on_the_disk_is_wrong(monkeypatch):
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: Usage(100, 99, doctor.LITTLE_SPACE // 2))
    assert examine_ill()["disk"].startswith("WRONG")


def test_a_worker_that_does_not_run_is_noted_with_what_starts_one():
    Schedule.objects.filter(name="minute").update(next_run=timezone.now() - timedelta(minutes=6))
    line = examine()["queue"]
    assert line.startswith("note")
    assert "make run" in line


def test_a_worker_that_was_stopped_just_now_is_noted_at_once(worker):
    worker.close()
    line = examine()["queue"]
    assert line.startswith("note")
    assert "No worker is running" in line


@pytest.mark.parametrize("address", ["redis://127.0.0.1:1", "nowhere"])
def test_a_redis_that_does_not_answer_is_wrong(tmp_path, address):
    hub = Hub(tmp_path, changes={"REDIS_URL": address})
    hub.manage("prepare")
    report = hub.manage("doctor")
    assert report.returncode == 1
    assert "WRONG  queue: Redis does not answer" in report.stdout
    assert "Traceback" not in report.stderr


def test_days_that_are_too_old_to_be_caught_up_are_noted():
    make_guild(created_at=timezone.now() - timedelta(days=40))
    make_message(sent_at=timezone.now() - timedelta(days=30))
    line = examine()["nights"]
    assert line.startswith("note   nights: 1 day of talk never")
    assert "manage.py consolidate --late" in line


def test_jobs_that_were_never_declared_are_wrong():
    Schedule.objects.all().delete()
    assert "manage.py migrate" in examine_ill()["queue"]


def test_who_keeps_the_database_busy_is_noted(monkeypatch):
    monkeypatch.setattr(db, "why_busy", lambda: "Session 7 keeps others waiting.")
    assert examine()["locks"] == "note   locks: Session 7 keeps others waiting."


def test_a_missing_vector_extension_is_noted_and_nothing_more(monkeypatch):
    monkeypatch.setattr(doctor.db, "can_load_vectors", lambda: False)
    monkeypatch.setattr(doctor.db, "why_no_vectors", lambda: "not to be had")
    line = examine()["vector extension"]
    assert line.startswith("note")
    assert "not to be had" in line


def test_a_new_folder_is_told_to_migrate_by_exit_code_and_words(tmp_path):
    with a_hub(tmp_path) as hub:
        for file in tmp_path.glob(f"{DATABASE}*"):
            file.unlink()
        report = hub.manage("doctor")
    assert report.returncode == 1
    assert "migrate" in report.stdout
    assert "Traceback" not in report.stderr


def test_a_database_that_is_none_is_told_without_a_traceback(tmp_path):
    with a_hub(tmp_path) as hub:
        for file in tmp_path.glob(f"{DATABASE}*"):
            file.unlink()
        (tmp_path / DATABASE).write_bytes(b"this is no database" * 500)
        report = hub.manage("doctor")
    assert report.returncode == 1
    assert [line for line in report.stdout.splitlines() if line.startswith("WRONG  database")]
    assert "Traceback" not in report.stderr
