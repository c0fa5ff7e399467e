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


def test_weights_that_the_texts_do_not_give_are_found(monkeypatch):
    other = {**SHIPPED, "direction": [-number for number in SHIPPED["direction"]]}
    monkeypatch.setattr(command.train_lasting, "train", lambda model: other)
    with pytest.raises(CommandError, match="train again"):
        call_command("train_lasting", check=True)


def test_the_weights_that_the_texts_give_are_written_only_when_that_is_asked_for(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(command.train_lasting, "train", lambda model: SHIPPED)
    call_command("train_lasting", check=True)
    assert "is the one" in capsys.readouterr().out
    monkeypatch.setattr(command, "WEIGHTS", tmp_path / "lasting.json")
    call_command("train_lasting")
    assert json.loads((tmp_path / "lasting.json").read_text(encoding="utf-8")) == SHIPPED
