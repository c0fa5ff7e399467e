"""The throw-away database of what measures: nothing of it stays behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
WAITS = """
import time
import django
django.setup()
from memory.lab.scratch import scratch_database
with scratch_database() as database:
    print(database.folder, flush=True)
    time.sleep(120)
"""


@pytest.mark.sqlite_only("the database is a file in the folder")
def test_sigterm_leaves_nothing_behind(tmp_path):
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "memoryhub.settings", "MEMORYHUB_DATA_DIR": str(tmp_path)}
    measuring = subprocess.Popen([sys.executable, "-c", WAITS], cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True)
    try:
        folder = Path(measuring.stdout.readline().strip())
        assert folder.is_dir()
        measuring.terminate()
        assert measuring.wait(30) == 143
    finally:
        measuring.kill()
        measuring.stdout.close()
    assert not folder.exists()
