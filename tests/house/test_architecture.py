"""ARCHITECTURE.md stays short, and names each file that it promises to name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.house.committed import ROOT, files

PACKAGES = ("memoryhub", "profiles", "notes", "memory", "botrunner")
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def rooms(package: str) -> list[str]:
    """Return the modules and folders at the top of a package, without those that Django names."""
    top = {path.relative_to(ROOT / package).parts[0] for path in files() if path.is_relative_to(ROOT / package)}
    return sorted(top - {"__init__.py", "apps.py", "migrations", "templatetags"})


def test_the_page_has_at_most_120_lines():
    assert len(PAGE.splitlines()) <= 120


@pytest.mark.parametrize("package", PACKAGES)
def test_the_page_names_every_file_at_the_top_of_each_package(package):
    assert rooms(package)
    assert [name for name in rooms(package) if name.removesuffix(".py") not in _words()] == []


def _words() -> set[str]:
    return set(PAGE.replace("`", " ").replace("/", " ").replace(",", " ").replace(".py", " ").split())


def sources() -> list[Path]:
    return [path for path in files() if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in PACKAGES]


def test_every_module_opens_with_a_sentence_of_what_it_is_for():
    texts = {path: path.read_text(encoding="utf-8") for path in sources() if "migrations" not in path.parts}
    assert [str(path.relative_to(ROOT)) for path, text in texts.items() if text and not text.startswith('"""')] == []
