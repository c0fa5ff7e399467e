"""A database file that other processes and threads see, too."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memoryhub import vectors, words


@pytest.fixture
def shared_database(transactional_db: None) -> Iterator[None]:
    """Commit for real; afterwards every table is emptied, and the indexes, which Django does not know, as well."""
    yield
    vectors.clear()
    words.clear()
