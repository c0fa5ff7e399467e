"""The page that says where cases are tested names tests that there are."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_test_that_the_page_names_is_there():
    named = set(re.findall(r"`(test_\w+)`", (ROOT / "docs" / "cases.md").read_text(encoding="utf-8")))
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    assert named
    assert sorted(named - set(re.findall(r"def (test_\w+)\(", sources))) == []
