"""The guard's weights are those that its texts give, and whoever changes a text is told to train again."""

import json

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from memory.lab import train_guard
from memory.lab.management.commands import train_guard as command
from memoryhub.ai.embedding.embedder import embedded
from memoryhub.safety import means_instruction
from memoryhub.safety.meant_instruction import WEIGHTS

SHIPPED = json.loads(WEIGHTS.read_text(encoding="utf-8"))


def two_heaps(size=200):
    """Return vectors of which the first half lies to one side."""
    vectors = np.random.default_rng(7).normal(size=(size, 12))
    orders = np.arange(size) < size // 2
    vectors[orders, 0] += 4
    return vectors, orders


def test_the_weights_were_learned_from_the_texts_as_they_are():
    assert SHIPPED["texts"] == train_guard.fingerprint(), "Run manage.py train_guard."


def test_the_weights_know_the_texts_that_they_were_learned_from():
    attacks, plain = (each[::40] for each in train_guard.texts())
    model = embedded()
    assert model.identity == SHIPPED["embedder"]
    seen = [means_instruction(vector) for vector in model.passages([*attacks, *plain])]
    right = sum(seen[: len(attacks)]) + seen[len(attacks) :].count(False)
    assert right / len(seen) > 0.9


def test_there_are_as_many_plain_texts_as_attacks_and_none_is_both():
    attacks, plain = train_guard.texts()
    assert len(plain) >= len(attacks) >= 500
    assert len({*attacks, *plain}) == len(attacks) + len(plain)


def test_two_kinds_of_vectors_are_told_apart():
    vectors, orders = two_heaps()
    learned = train_guard.fit(vectors, orders)
    assert ((train_guard.score(vectors, *learned) > 0) == orders).mean() > 0.95


def test_heaps_that_no_plane_parts_are_told_apart_too():
    vectors = np.random.default_rng(7).normal(size=(800, 6))
    vectors[:, :2] += 3 * np.sign(vectors[:, :2])
    orders = vectors[:, 0] * vectors[:, 1] > 0
    learned = train_guard.fit(vectors[:600], orders[:600])
    assert ((train_guard.score(vectors[600:], *learned) > 0) == orders[600:]).mean() > 0.9


def test_learning_twice_gives_the_same_weights():
    vectors, orders = two_heaps()
    for first, again in zip(train_guard.fit(vectors, orders), train_guard.fit(vectors, orders), strict=True):
        assert np.array_equal(first, again)


@pytest.fixture
def few_texts(tmp_path, monkeypatch):
    """Give the command a few texts and a file of weights of its own."""
    for name, lines in zip(("attacks", "plain"), train_guard.texts(), strict=True):
        (tmp_path / f"{name}.txt").write_text("\n".join(lines[:40]), encoding="utf-8")
    monkeypatch.setattr(train_guard, "TEXTS", tmp_path)
    monkeypatch.setattr(command, "WEIGHTS", tmp_path / "weights.json")
    return tmp_path


def test_the_command_writes_weights_and_then_finds_them_right(few_texts, capsys):
    call_command("train_guard")
    call_command("train_guard", "--check")
    assert "It is what the texts give." in capsys.readouterr().out


def test_the_command_finds_weights_right_that_another_processor_gave(few_texts, monkeypatch, capsys):
    call_command("train_guard")
    vectors = train_guard.vectors_of_texts(embedded())
    rounded = vectors + np.random.default_rng(7).normal(scale=1e-3, size=vectors.shape)
    monkeypatch.setattr(train_guard, "vectors_of_texts", lambda model: rounded)
    call_command("train_guard", "--check")
    assert "It is what the texts give." in capsys.readouterr().out


def test_the_command_fails_where_the_weights_are_of_another_strength(few_texts, monkeypatch):
    call_command("train_guard")
    monkeypatch.setattr(train_guard, "RIDGE", 6.0)
    with pytest.raises(CommandError, match="train again"):
        call_command("train_guard", "--check")


def test_the_command_fails_where_the_weights_are_others(few_texts):
    call_command("train_guard")
    learned = json.loads((few_texts / "weights.json").read_text())
    learned["weights"][3] += 1
    (few_texts / "weights.json").write_text(json.dumps(learned))
    with pytest.raises(CommandError, match="train again"):
        call_command("train_guard", "--check")
