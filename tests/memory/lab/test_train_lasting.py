"""The direction of what lasts something is the one that its texts give; who changes a text is told to learn again."""

import json

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from memory.lab import train_lasting
from memory.lab.management.commands import train_lasting as command
from memoryhub.ai.embedding.embedder import embedded
from memoryhub.ai.embedding.lasting import WEIGHTS

SHIPPED = json.loads(WEIGHTS.read_text(encoding="utf-8"))


def two_heaps(size=200):
    """Return vectors of which the first half lies to one side."""
    vectors = np.random.default_rng(7).normal(size=(size, 12))
    lasts = np.arange(size) < size // 2
    vectors[lasts, 0] += 4
    return vectors, lasts


def test_the_direction_was_learned_from_the_texts_as_they_are():
    assert SHIPPED["texts"] == train_lasting.fingerprint(), "Run manage.py train_lasting."
    assert SHIPPED["embedder"] == embedded().identity


def test_of_texts_that_were_held_back_six_in_ten_are_seen_where_one_of_ten_is_chatter():
    assert SHIPPED["seen"] > 0.6


def test_no_text_is_both_and_there_are_hundreds_of_each():
    told, chatter = train_lasting.texts()
    assert len(told) > 900
    assert len(chatter) > 900
    assert len({*told, *chatter}) == len(told) + len(chatter)
    assert all(": " in line for line in (*told, *chatter))


def test_two_kinds_of_vectors_are_told_apart():
    vectors, lasts = two_heaps()
    nearness = vectors @ train_lasting.fit(vectors, lasts)
    assert ((nearness > np.median(nearness)) == lasts).mean() > 0.95


@pytest.fixture
def few_texts(tmp_path, monkeypatch):
    """Give the command a few texts and a file of its own."""
    for name, lines in zip(("lasting", "chatter"), train_lasting.texts(), strict=True):
        (tmp_path / f"{name}.txt").write_text("\n".join(lines[:120]), encoding="utf-8")
    monkeypatch.setattr(train_lasting, "TEXTS", tmp_path)
    monkeypatch.setattr(command, "WEIGHTS", tmp_path / "direction.json")
    return tmp_path


def test_the_command_writes_the_direction_and_then_finds_it_right(few_texts, capsys):
    call_command("train_lasting")
    call_command("train_lasting", "--check")
    assert "It is what the texts give." in capsys.readouterr().out


def test_the_command_fails_where_the_direction_is_another(few_texts):
    call_command("train_lasting")
    learned = json.loads((few_texts / "direction.json").read_text())
    learned["direction"] = learned["direction"][::-1]
    (few_texts / "direction.json").write_text(json.dumps(learned))
    with pytest.raises(CommandError, match="train again"):
        call_command("train_lasting", "--check")
