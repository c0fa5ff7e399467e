"""Which database it is, is asked in one place: elsewhere a statement is written once, for both."""

from __future__ import annotations

import re

import pytest

from tests.house.committed import ROOT
from tests.house.test_architecture import sources

MAY_ASK = ("memoryhub.db", "memoryhub.search")
APART = {
    "memory.lab": "measures the floor of SQLite itself",
    "memoryhub.settings": "names what it is",
    "memoryhub.database_url": "makes the settings of each",
    "memoryhub.site.management.commands.distribute": "is about PostgreSQL alone",
}
ASKS = re.compile(r"\.vendor\b|\bon_postgres\b|backend\.half\(|sqlitevec|memoryhub\.db\.postgres|settings_dict\[")
DIALECT = re.compile(
    r"\bPRAGMA\b|\bsqlite_master\b|\bjson_each\b|\bjson_extract\b|\bifnull\(|\biif\(|\bINSERT OR\b|\browid\b|\bMATCH %s"
    r"|\bpg_[a-z]+|::\w+\[?|\bILIKE\b|\bto_tsvector\b|= ANY\(|\bFOR UPDATE\b|\bjsonb_"
)


def modules() -> list[str]:
    """Return the modules that know nothing of the two databases."""
    apart = (*MAY_ASK, *APART)
    return [name for name in sources() if not any(f"{name}.".startswith(f"{each}.") for each in apart)]


@pytest.mark.parametrize("words", [ASKS, DIALECT], ids=["asks which it is", "speaks only one of them"])
def test_nothing_outside_of_the_seam_depends_on_the_database(words):
    found = {
        f"{name}:{number}: {line.strip()}"
        for name in modules()
        for number, line in enumerate(sources()[name].read_text(encoding="utf-8").splitlines(), 1)
        if words.search(line) and not line.lstrip().startswith("#")
    }
    assert found == set()


def test_one_module_decides():
    decides = re.compile(r'settings\.DATABASES|\["ENGINE"\]')
    assert [name for name in sources() if decides.search(sources()[name].read_text())] == ["memoryhub.db.backend"]


def test_the_pattern_finds_what_it_looks_for():
    assert ASKS.search('if connection.vendor == "postgresql":')
    assert DIALECT.search("SELECT value FROM json_each(%s)")
    assert (ROOT / "memoryhub" / "db" / "backend.py").exists()
