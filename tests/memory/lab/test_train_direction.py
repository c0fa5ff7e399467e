"""A direction is the one that its texts give; who changes a text is told to learn again."""

import json
from dataclasses import replace

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from memory.lab.management.commands import train_direction as command
from memory.lab.train_direction import KINDS, fit
from memoryhub.ai.embedding import directions
from memoryhub.ai.embedding.embedder import embedded

pytestmark = pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))


def shipped(kind):
    return json.loads(directions.file_of(kind.name).read_text(encoding="utf-8"))


def test_the_direction_was_learned_from_the_texts_as_they_are(kind):
    assert shipped(kind)["texts"] == kind.fingerprint(), f"Run manage.py train_direction {kind.name}."
    assert shipped(kind)["embedder"] == embedded().identity


def test_of_texts_that_were_held_back_most_are_seen_where_few_of_the_others_are(kind):
    assert shipped(kind)["seen"] > {"lasting": 0.6, "general": 0.8}[kind.name]


def test_no_text_is_of_both_kinds_and_there_are_hundreds_of_each(kind):
    mine, others = kind.texts()
    assert min(len(mine), len(others)) > 500
    assert len({*mine, *others}) == len(mine) + len(others)
    assert all((": " in line) for line in (*mine, *others)) or kind.name != "lasting"


def test_two_kinds_of_vectors_are_told_apart(kind):
    vectors = np.random.default_rng(7).normal(size=(200, 12))
    mine = np.arange(200) < 100
    vectors[mine, 0] += 4
    nearness = vectors @ fit(vectors, mine, kind.ridge)
    assert ((nearness > np.median(nearness)) == mine).mean() > 0.95


@pytest.fixture
def few_texts(kind, tmp_path, monkeypatch):
    """Give the command a few texts and a file of its own."""
    for name, lines in zip(kind.files, kind.texts(), strict=True):
        (tmp_path / f"{name}.txt").write_text("\n".join(lines[:120]), encoding="utf-8")
    monkeypatch.setattr(command, "KINDS", {kind.name: replace(kind, folder=tmp_path)})
    monkeypatch.setattr(directions, "FOLDER", tmp_path)
    return tmp_path / f"{kind.name}.json"


def test_the_command_writes_the_direction_and_then_finds_it_right(kind, few_texts, capsys):
    call_command("train_direction", kind.name)
    call_command("train_direction", kind.name, "--check")
    assert "It is what the texts give." in capsys.readouterr().out


def test_the_command_fails_where_the_direction_is_another(kind, few_texts):
    call_command("train_direction", kind.name)
    learned = json.loads(few_texts.read_text())
    few_texts.write_text(json.dumps({**learned, "direction": learned["direction"][::-1]}))
    with pytest.raises(CommandError, match="train again"):
        call_command("train_direction", kind.name, "--check")
