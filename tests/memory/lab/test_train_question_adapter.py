"""Questions are moved as their texts give it; who changes a text is told to learn again."""

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from memory.lab import train_question_adapter
from memory.lab.evaluation import guild
from memory.lab.management.commands import train_adapter as command
from memory.lab.train_question_adapter import EmbeddedTalk, Talk, fit, found, lost
from memoryhub.ai.embedding.embedder import embedded
from memoryhub.ai.embedding.question_adapter import WEIGHTS, question_adapter


@pytest.fixture(scope="module")
def shipped():
    with np.load(WEIGHTS) as kept:
        return dict(kept)


@pytest.fixture(scope="module")
def talks():
    return train_question_adapter.talks()


def test_the_adapter_was_learned_from_the_texts_as_they_are(shipped):
    assert str(shipped["texts"]) == train_question_adapter.fingerprint(), "Run manage.py train_adapter."
    assert str(shipped["embedder"]) == embedded().identity


def test_of_a_talk_that_was_held_back_a_tenth_more_answers_are_found(shipped):
    before, after = shipped["found"]
    assert after > before + 0.05


def test_each_question_names_lines_of_its_talk_and_there_are_thousands(talks):
    assert sum(len(talk.asked) for talk in talks) > 8000
    for talk in talks:
        assert all(": " in line for line in talk.lines)
        assert all(places and 0 <= min(places) <= max(places) < len(talk.lines) for _, places in talk.asked)


def test_nothing_that_is_measured_is_learned_from(talks):
    chats = guild.read(None)
    measured = {question.text for chat in chats for question in chat.questions}
    measured |= {f"{each.author.display_name}: {each.text}" for chat in chats for each in chat.messages}
    learned = {text for talk in talks for text in (*talk.lines, *(question for question, _ in talk.asked))}
    assert max(map(len, measured & learned), default=0) < 12  # "Paco: vale"


def talk_of(lines, rng, turn):
    """Return a talk in which what answers a question lies a turn away from it."""
    questions = rng.normal(size=(lines, 12)).astype(np.float32)
    questions /= np.linalg.norm(questions, axis=1, keepdims=True)
    return EmbeddedTalk(lines=questions @ turn, questions=questions, answers=np.eye(lines, dtype=np.float32))


@pytest.fixture(scope="module")
def turned():
    """Return two talks with the same turn of a quarter circle in three planes of twelve directions."""
    rng, turn = np.random.default_rng(7), np.eye(12, dtype=np.float32)
    for first in (0, 4, 8):
        turn[[first, first + 1]] = turn[[first + 1, first]] * np.array([[1], [-1]], np.float32)
    return talk_of(300, rng, turn), talk_of(300, rng, turn)


def test_how_answers_lie_is_learned_and_holds_for_another_talk(turned):
    learned = fit(turned[:1], centre=np.zeros(12, np.float32))
    assert found(turned[1:], adapter=learned) > found(turned[1:], adapter=None) + 0.2


def test_what_is_lost_of_the_nearness_to_any_line_is_given_back(turned):
    learned = fit(turned[:1], centre=np.zeros(12, np.float32))
    given_back = lost(turned[1:], adapter=learned)
    questions, lines = turned[1].questions, turned[1].lines
    nearness = (learned.moved(questions) @ lines.T).mean() + given_back
    assert nearness == pytest.approx((questions @ lines.T).mean(), abs=1e-5)


def test_of_another_embedder_nothing_is_known():
    assert question_adapter("openai:text-embedding-3-small:1536") is None


@pytest.fixture
def few_texts(tmp_path, monkeypatch, talks):
    """Give the command two short talks and a file of its own."""
    few = [
        Talk(lines=talk.lines[:40], asked=[each for each in talk.asked if max(each[1]) < 40][:30])
        for talk in talks[-2:]
    ]
    monkeypatch.setattr(train_question_adapter, "talks", lambda: few)
    monkeypatch.setattr(train_question_adapter, "STEPS", 5)
    monkeypatch.setattr(command, "WEIGHTS", tmp_path / "adapter.npz")
    return tmp_path / "adapter.npz"


def test_the_command_writes_the_adapter_and_then_finds_it_right(few_texts, capsys):
    call_command("train_adapter")
    call_command("train_adapter", "--check")
    assert "It is what the texts give." in capsys.readouterr().out


def test_the_command_fails_where_the_adapter_is_another(few_texts):
    call_command("train_adapter")
    with np.load(few_texts) as kept:
        learned = dict(kept)
    np.savez(few_texts, **{**learned, "change": learned["change"][::-1]})
    with pytest.raises(CommandError, match="train again"):
        call_command("train_adapter", "--check")
