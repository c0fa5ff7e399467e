"""What was refused is known again by its meaning, where there is an embedder."""

from __future__ import annotations

import pytest

from memoryhub.ai import ModelFailed
from profiles.revision import refused_entries
from profiles.revision.refused_entries import reworded

BENTO = "Has a dog named Bento"


def test_other_words_for_the_same_are_found():
    assert reworded([BENTO], ["Keeps a hound called Bento", "Plays chess"], member="Alice") == {
        (BENTO, "Keeps a hound called Bento")
    }


@pytest.mark.parametrize(
    ("refused", "told"),
    [
        (BENTO, "Has a dog named Miso"),
        ("Lives in Oslo", "Lives in Bergen"),
        ("Has 2 cats", "Has 3 cats"),
        ("Likes jazz", "Does not like jazz"),
    ],
)
def test_another_name_number_or_sense_is_something_else(refused, told):
    assert reworded([refused], [told], member="Alice") == frozenset()


def test_without_an_embedder_nothing_is_found(monkeypatch):
    monkeypatch.setattr(refused_entries, "embedder", lambda: None)
    assert reworded([BENTO], [BENTO], member="Alice") == frozenset()


def test_an_embedder_that_fails_stops_no_revision(monkeypatch):
    class Failing:
        def passages(self, texts):
            raise ModelFailed("unavailable")

    monkeypatch.setattr(refused_entries, "embedder", Failing)
    assert reworded([BENTO], [BENTO], member="Alice") == frozenset()
