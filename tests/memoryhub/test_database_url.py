"""DATABASE_URL: an address that names no database is told in one sentence, without the password in it."""

import os
import subprocess
import sys

import pytest
from django.core.exceptions import ImproperlyConfigured

from memoryhub.database_url import databases


def test_a_path_is_relative_to_the_data_folder_or_absolute(tmp_path):
    assert databases("sqlite:///x.sqlite3", folder=tmp_path, sync=False)["default"]["NAME"] == tmp_path / "x.sqlite3"
    assert str(databases("sqlite:////srv/x", folder=tmp_path, sync=False)["default"]["NAME"]) == "/srv/x"


@pytest.mark.parametrize(
    "url",
    [
        "mysql://hub:secret@host/house", "house", "sqlite://host/file", "postgres://hub:secret@host",
        "postgres://hub:secret@[host/house", "postgres://hub:secret@host/house?nonsense=1", "://",
    ],
)  # fmt: skip
def test_another_address_is_refused_in_a_sentence_without_its_password(url, tmp_path):
    with pytest.raises(ImproperlyConfigured) as refused:
        databases(url, folder=tmp_path, sync=False)
    assert "postgres://user:password@host/database" in str(refused.value)
    assert "secret" not in str(refused.value)


def test_a_wrong_address_is_one_sentence_and_no_traceback(tmp_path):
    environment = {**os.environ, "DATABASE_URL": "mysql://x/y", "MEMORYHUB_DATA_DIR": str(tmp_path)}
    command = [sys.executable, "manage.py", "doctor"]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr.startswith("DATABASE_URL names no database that the hub knows.")
    assert "Traceback" not in ended.stderr
