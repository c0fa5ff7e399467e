"""What is asked here was said before, and not asked before."""

import pytest

from memory.answers import answering
from memoryhub.ai.embedding.cache import Shared
from tests.memory.told import _near_by_words, tell

__all__ = ["_near_by_words", "tell"]


@pytest.fixture(autouse=True)
def _nothing_kept(monkeypatch):
    monkeypatch.setattr(answering, "_answers", Shared(size=8))
