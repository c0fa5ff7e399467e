"""The hub starts light: what is heavy is imported by the first who needs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.committed import ROOT

HEAVY = (
    "pydantic_ai", "openai", "google.genai", "anthropic", "onnxruntime", "onnx", "py3langid", "bm25s", "discord",
    "rich", "ijson",
)  # fmt: skip
FOR_PAGES = ("ninja", "pydantic", "memoryhub.urls", "memory.pipeline", "django.test")
DOORS = {
    "the web": "import memoryhub.asgi, memoryhub.urls",
    "the worker": "import memory.tasks, memoryhub.tasks, django_q.cluster",
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_no_heavy_library_is_imported_by_opening_a_door(door, tmp_path):
    assert imported(f"import django; django.setup(); {door}", HEAVY, tmp_path) == []


def test_the_web_has_loaded_its_pages_and_its_models_before_it_answers(tmp_path, monkeypatch):
    monkeypatch.setenv("MEMORYHUB_MODEL", "openai:gpt-x")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    needed = ("memoryhub.urls", "onnxruntime", "openai")
    assert imported("from memoryhub.asgi import application; application.warm_up()", needed, tmp_path) == [*needed]


def test_a_question_on_the_command_line_imports_no_page_and_no_check_of_them(tmp_path):
    asked = "call_command('recall', 'who sails', guild='discord:1', member=None, channel=None)"
    code = f"""
from django.core.management import CommandError, call_command
import django, contextlib
django.setup()
call_command("migrate", verbosity=0)
with contextlib.suppress(CommandError):
    {asked}
"""
    assert imported(code, (*HEAVY, *FOR_PAGES), tmp_path) == []


def imported(code: str, names: tuple[str, ...], folder: Path) -> list[str]:
    """Return which of the modules another process has imported after this code."""
    code += f"\nimport sys; print(*[n for n in {names!r} if n in sys.modules])"
    environment = {
        **os.environ, "DJANGO_SETTINGS_MODULE": "memoryhub.settings", "MEMORYHUB_DATA_DIR": str(folder),
    }  # fmt: skip
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.stderr == ""
    return ended.stdout.split()
