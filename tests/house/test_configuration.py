"""Every name that the hub reads from the environment is documented, and every name that is documented is read."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
READERS = {"text", "flag", "words", "number", "shares", "one_of", "zone"}
PROMISED = {
    "SECRET_KEY", "DEBUG", "ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "TIME_ZONE", "DATABASE_URL", "MEMORYHUB_DATA_DIR",
    "REDIS_URL", "MEMORYHUB_MODEL", "MEMORYHUB_CAREFUL_MODEL", "MEMORYHUB_REPLY_MODEL", "MEMORYHUB_EMBEDDING_MODEL",
    "MEMORYHUB_MODEL_BASE_URL", "MEMORYHUB_MODEL_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "ANTHROPIC_API_KEY",
    "DISCORD_TOKEN", "DISCORD_API_BASE", "DISCORD_GATEWAY_URL", "MEMORYHUB_ADMIN_PASSWORD", "MEMORYHUB_LOG_LEVEL",
}  # fmt: skip
"""The contract's names: clients and operators rely on them."""


def names_read() -> set[str]:
    tree = ast.parse((ROOT / "memoryhub" / "settings.py").read_text(encoding="utf-8"))
    return set(_calls_of_env(tree))


def _calls_of_env(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name("env"), attr=attr), args=[ast.Constant(str(name)), *_]):
                if attr in READERS:
                    yield name


def names_documented() -> set[str]:
    """Return the names in the first cells of the document's tables."""
    cells = re.findall(r"^\|([^|]+)\|", DOCUMENT, re.MULTILINE)
    return {name for cell in cells for name in re.findall(r"`([A-Z][A-Z0-9_]+)`", cell)}


def names_of_tools() -> set[str]:
    """Return what `make` and the tests' own set-up read."""
    return set(re.findall(r"[A-Z][A-Z_]+", _text(ROOT / "Makefile") + _text(ROOT / "tests" / "chromium.py")))


def test_every_name_read_is_documented():
    assert names_read() - names_documented() == set()


def test_every_name_documented_is_read():
    assert names_documented() - names_read() - names_of_tools() == set()


def test_every_name_read_is_in_the_example():
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    assert set(re.findall(r"^#([A-Z][A-Z0-9_]+)=", example, re.MULTILINE)) == names_read()


def test_the_example_sets_nothing_by_itself():
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    assert [line for line in example.splitlines() if line and not line.startswith("#")] == []


def test_every_name_of_the_contract_is_read():
    assert PROMISED - names_read() == set()


def test_only_the_settings_read_the_environment():
    reads = re.compile(rf"\benv\.({'|'.join(READERS)})\(|getenv|environ\[|environ\.get")
    readers = {path.relative_to(ROOT).as_posix() for path in _modules() if reads.search(_text(path))}
    assert readers <= {"memoryhub/settings.py", "memoryhub/env.py"}


def _modules() -> list[Path]:
    packages = ("memoryhub", "profiles", "notes", "memory", "botrunner")
    return [path for name in packages for path in (ROOT / name).rglob("*.py")]


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
