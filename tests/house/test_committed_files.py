"""What is committed works on any machine: no path of one, no package host, nothing that can be made again."""

from __future__ import annotations

import re

import pytest

from tests.house.committed import ROOT, files, text_of

# A home, a work folder, an installed Python: split, so that this file does not find itself.
OF_A_MACHINE = re.compile(
    "|".join(["/" + "root/", "/" + r"home/\w+/", "/" + "Users/", "/" + "work/", r"\.py" + "env/"])
)
MADE = re.compile(r"\.(pyc|sqlite3(-wal|-shm)?|log)$|(^|/)(\.env|\.coverage|\.venv|__pycache__)(/|$)")
LOCKS = ("requirements.txt", "requirements-traces.txt", "requirements-dev.txt")
HOST = re.compile(r"https?://|--(extra-)?index-url|--find-links|--trusted-host|\.(org|com|net|io|dev)\b")


def test_no_committed_file_holds_a_path_of_somebodys_machine():
    found = {str(path.relative_to(ROOT)): OF_A_MACHINE.search(text_of(path)) for path in files()}
    assert {name: match.group() for name, match in found.items() if match} == {}


@pytest.mark.parametrize("lock", LOCKS)
def test_the_locked_requirements_name_no_package_host(lock):
    lines = (ROOT / lock).read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if HOST.search(line)] == []


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_requirement_has_a_hash(lock):
    text = (ROOT / lock).read_text(encoding="utf-8").replace("\\\n", " ")
    rows = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    assert len(rows) > 50
    assert [row for row in rows if "==" not in row or "--hash=sha256:" not in row] == []


def test_no_committed_file_has_both_sides_of_a_merge():
    sides = re.compile(r"^(<{7} |>{7} )", re.MULTILINE)
    assert not [path for path in files() if sides.search(text_of(path))]


def test_nothing_is_committed_that_a_machine_makes():
    assert [path for path in files() if MADE.search(str(path.relative_to(ROOT)))] == []


@pytest.mark.parametrize("mark", ["TO" + "DO", "FIX" + "ME", "X" * 3 + ":"])
def test_no_source_file_holds_a_note_to_do_something_later(mark):
    sources = [path for path in files() if path.suffix in (".py", ".html", ".css", ".js")]
    assert len(sources) > 200
    assert [path for path in sources if re.search(rf"\b{re.escape(mark)}", text_of(path))] == []


def test_an_operator_installs_no_tool_of_the_tests():
    operators, tracing, ours = (_locked(lock) for lock in LOCKS)
    assert operators < tracing < ours
    assert {"pytest", "mypy", "playwright", "bm25s", "simcord"} <= ours - tracing


def _locked(lock: str) -> set[str]:
    return set(re.findall(r"^([a-z0-9._-]+)==", (ROOT / lock).read_text(encoding="utf-8"), re.MULTILINE))
