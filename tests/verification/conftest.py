"""A database file that other processes and threads see, too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryhub.search import keywords, vectors

A_TEST = 900  # seconds that a test of this folder has: it starts processes, and on a busy machine each takes its time
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give the tests of this folder more time than the others."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.timeout(A_TEST))


@pytest.fixture
def shared_database(transactional_db: None) -> Iterator[None]:
    """Commit for real; afterwards every table is emptied, and the indexes, which Django does not know, as well."""
    yield
    vectors.clear()
    keywords.clear()
