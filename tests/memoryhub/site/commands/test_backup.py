"""`manage.py backup` and `restore`, as an operator runs them, and what is said of a damaged file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from memoryhub.site.management.commands import restore
from tests.api_client import a_message
from tests.verification.hub import DATABASE, Hub, a_hub, kill_group

PATH = "/api/v1/guilds/discord:1/messages"


NOBODY = 65534  # who owns nothing


@contextmanager
def without_roots_rights() -> Iterator[None]:
    """Read and write as nobody where the tests run as root, who may read everything."""
    was = os.geteuid()
    os.seteuid(was or NOBODY)
    try:
        yield
    finally:
        os.seteuid(was)


def stored(path) -> set[str]:
    with closing(sqlite3.connect(path)) as database:
        return {name for (name,) in database.execute("SELECT platform_id FROM notes_message")}


def test_a_running_hub_is_backed_up_and_a_stopped_one_restored(tmp_path):
    copy = tmp_path / "copy.sqlite3"
    with a_hub(tmp_path) as hub:
        web = hub.serve()
        hub.call("POST", PATH, a_message(1))
        backed_up = hub.manage("backup", str(copy))
        hub.call("POST", PATH, a_message(2))
        again, early = hub.manage("backup", str(copy)), hub.manage("restore", str(copy))
        left = list(tmp_path.glob(f"{DATABASE}.*"))
        kill_group(web)
        restored = hub.manage("restore", str(copy))
        hub.serve()
        hub.call("POST", PATH, a_message(3))
    assert (backed_up.returncode, backed_up.stderr) == (0, "")
    assert "checked" in backed_up.stdout
    assert "is there already" in again.stderr
    assert "The hub is running" in early.stderr
    assert left == []
    assert (restored.returncode, restored.stderr) == (0, "")
    assert stored(tmp_path / DATABASE) == {"m-1", "m-3"}
    [kept] = tmp_path.glob(f"{DATABASE}.2*")
    assert stored(kept) == {"m-1", "m-2"}


def test_who_was_erased_after_the_backup_is_erased_again_by_a_restore(tmp_path):
    copy = tmp_path / "copy.sqlite3"
    with a_hub(tmp_path) as hub:
        web = hub.serve()
        hub.call("POST", PATH, a_message(1))
        hub.call("POST", PATH, a_message(2, author={"id": "u2", "display_name": "Bob"}))
        hub.manage("backup", str(copy))
        hub.manage("forget_member", "--guild", "discord:1", "--member", "u1", "--noinput")
        kill_group(web)
        restored = hub.manage("restore", str(copy))
        hub.serve()
        gone, there = (hub.call("GET", f"/api/v1/guilds/discord:1/members/{name}").status for name in ("u1", "u2"))
        again = hub.call("POST", PATH, a_message(1))
    assert "and now again: 1." in restored.stdout
    assert "and does so still: 0." in restored.stdout
    assert (gone, there) == (404, 200)
    assert again.json["reason"] == "erased"
    assert stored(tmp_path / DATABASE) == {"m-2"}


def test_who_said_no_after_the_backup_is_not_remembered_by_a_restore_either(tmp_path):
    copy, members = tmp_path / "copy.sqlite3", "/api/v1/guilds/discord:1/members"
    with a_hub(tmp_path) as hub:
        web = hub.serve()
        hub.call("POST", PATH, a_message(1))
        hub.manage("backup", str(copy))
        for name in ("u1", "never-seen"):
            hub.call("PUT", f"{members}/{name}/consent", {"remember": False})
        hub.call("PUT", f"{members}/u3/blocked", {"blocked": True})
        kill_group(web)
        restored = hub.manage("restore", str(copy))
        hub.serve()
        authors = enumerate(["u1", "never-seen", "u3"], 5)
        said = [hub.call("POST", PATH, a_message(number, author={"id": name})) for number, name in authors]
    assert "and does so still: 3." in restored.stdout
    assert [answer.json.get("reason") for answer in said] == ["opted_out", "opted_out", "blocked"]


KILLED = """
import os
from django.core.management import call_command
from memoryhub.site.management.commands import restore
restore.migrate = lambda: os._exit(9)
call_command(restore.Command(), {copy!r})
"""


def test_who_was_erased_after_the_backup_is_erased_again_by_the_start_after_a_restore_that_was_killed(tmp_path):
    copy = tmp_path / "copy.sqlite3"
    with a_hub(tmp_path) as hub:
        web = hub.serve()
        hub.call("POST", PATH, a_message(1))
        hub.manage("backup", str(copy))
        hub.manage("forget_member", "--guild", "discord:1", "--member", "u1", "--noinput")
        kill_group(web)
        killed = hub.manage("shell", "--no-imports", "-c", KILLED.format(copy=str(copy)))
        back, made = stored(tmp_path / DATABASE), hub.manage("prepare")
    assert (killed.returncode, back) == (9, {"m-1"})
    assert made.returncode == 0
    assert stored(tmp_path / DATABASE) == set()


def test_a_backup_of_a_newer_release_is_not_restored_and_its_tables_are_noted_by_doctor(tmp_path):
    copy, future = tmp_path / "copy.sqlite3", "INSERT INTO django_migrations (app, name, applied) VALUES (?, ?, ?)"
    with a_hub(tmp_path) as hub:
        with closing(sqlite3.connect(tmp_path / DATABASE)) as database, database:
            database.execute(future, ["memory", "9999_future", "2036-01-01"])
        hub.manage("backup", str(copy))
        restored, doctor = hub.manage("restore", str(copy)), hub.manage("doctor")
    assert restored.returncode == 1
    assert "newer release of memoryhub, whose tables this one does not know (memory.9999_future)" in restored.stderr
    assert "nothing was changed. Install that release" in restored.stderr
    [line] = [line for line in doctor.stdout.splitlines() if line.startswith("note   release")]
    assert "memory.9999_future" in line


def test_a_key_that_did_not_sign_the_receipts_is_told_by_restore_and_doctor(tmp_path):
    copy = tmp_path / "copy.sqlite3"
    with a_hub(tmp_path) as hub:
        web = hub.serve()
        hub.call("POST", PATH, a_message(1))
        hub.manage("forget_member", "--guild", "discord:1", "--member", "u1", "--noinput")
        kill_group(web)
        hub.manage("backup", str(copy))
        well, hub.changes["SECRET_KEY"] = hub.manage("doctor"), "another-key" * 5
        restored, doctor = hub.manage("restore", str(copy)), hub.manage("doctor")
    assert "secret key" not in well.stdout
    assert restored.returncode == 0
    assert "SECRET_KEY is not the one that signed the newest receipt" in restored.stderr
    [line] = [line for line in doctor.stdout.splitlines() if line.startswith("note   secret key")]
    assert "Put back the key" in line


def test_a_copy_that_a_killed_restore_left_is_told_by_doctor_and_gone_after_the_next_start(tmp_path):
    old = tmp_path / f"{DATABASE}.20260302-120000"
    with a_hub(tmp_path) as hub:
        for path in (old, tmp_path / f"{DATABASE}.restoring"):
            path.write_text("everybody's messages")
        [line] = [line for line in hub.manage("doctor").stdout.splitlines() if line.startswith("note   copies")]
        hub.manage("prepare")
    assert f"{old.name}, {DATABASE}.restoring in {tmp_path}" in line
    assert list(tmp_path.glob(f"{DATABASE}.*")) == [old]


def test_what_is_no_backup_is_refused_in_words(tmp_path):
    with a_hub(tmp_path) as hub:
        (tmp_path / "text").write_text("no database" * 500)
        with closing(sqlite3.connect(tmp_path / "other")) as database:
            database.execute("CREATE TABLE apples (weight)")
        refused = [hub.manage("restore", str(tmp_path / name)) for name in ("nothing", "text", "other")]
    for ran, why in zip(refused, ("There is no file", "is damaged", "is no backup of memoryhub"), strict=True):
        assert ran.returncode == 1
        assert why in ran.stderr
        assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("closed", ["file", "folder"])
def test_a_backup_that_this_user_may_not_read_is_not_called_damaged(tmp_path, monkeypatch, closed):
    tmp_path.chmod(0o755)
    monkeypatch.chdir(tmp_path)  # only root may enter the folders above
    folder = Path("folder")
    folder.mkdir()
    (folder / "copy").write_bytes(b"a backup")
    (folder if closed == "folder" else folder / "copy").chmod(0)
    with without_roots_rights(), pytest.raises(CommandError) as refused:
        call_command(restore.Command(), str(folder / "copy"))
    folder.chmod(0o700)
    told = str(refused.value)
    assert told.startswith("folder/copy cannot be read by the user ")
    assert "Permission denied. Let that user do so" in told


def test_a_backup_into_a_folder_that_is_not_there_is_refused_in_words(tmp_path):
    with a_hub(tmp_path) as hub:
        ran = hub.manage("backup", str(tmp_path / "nowhere" / "copy"))
    assert ran.returncode == 1
    assert "There is no backup." in ran.stderr
    assert f"There is no folder {tmp_path / 'nowhere'}: make it first." in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_damaged_database_is_told_by_doctor_and_not_backed_up(tmp_path):
    with a_hub(tmp_path) as hub:
        path = tmp_path / DATABASE
        with closing(sqlite3.connect(path)) as database:
            database.execute("PRAGMA journal_mode = DELETE")
            (page,) = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'fact_subject'").fetchone()
            (size,) = database.execute("PRAGMA page_size").fetchone()
        raw = bytearray(path.read_bytes())
        raw[(page - 1) * size : page * size] = b"\xff" * size
        path.write_bytes(bytes(raw))
        doctor, backup = hub.manage("doctor"), hub.manage("backup", str(tmp_path / "copy"))
    [line] = [line for line in doctor.stdout.splitlines() if line.startswith("WRONG  database")]
    assert "is damaged" in line
    assert "manage.py restore FILE" in line
    assert doctor.returncode == backup.returncode == 1
    assert "is damaged" in backup.stderr
    assert not (tmp_path / "copy").exists()


def test_a_backup_may_be_called_what_is_no_text(tmp_path):
    hub, copy = Hub(tmp_path), tmp_path / "copy\udcff"
    hub.manage("create_api_key", "bot")
    made = hub.manage("backup", str(copy))
    assert (made.returncode, made.stderr) == (0, "")
    assert "copy\\udcff" in made.stdout
    assert copy.exists()
