import pytest

from tests import toy_embedder


@pytest.fixture
def toy(monkeypatch):
    """Put the toy embedder in the place of the settings' one."""
    return toy_embedder.install(monkeypatch)
