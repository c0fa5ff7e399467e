"""Learns where what answers a question lies, from the talks in `question_texts` and what is asked of them.

A question and its answer are worded differently, and in a chat much lies nearer to the question than its answer: other
questions, short lines, the same words said of something else. The map that moves a question's embedding is the one by
which, of all lines of a talk, those that answer become the likeliest (softmax of their nearness, cross entropy); it is
held small. One in seven of what is asked is no question, but a turn of a chat for which a line is worth knowing. The
texts were written for this, in five languages, and are part of nothing that is measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.lab import training_texts
from memory.lab.train_direction import KINDS
from memoryhub.ai.embedding.embedder import Embedder
from memoryhub.ai.embedding.question_adapter import QuestionAdapter, unpacked

TEXTS = Path(__file__).parent / "question_texts"
OF_LASTING = "lasting"  # what is asked of the texts of what lasts
PARTS = 5  # of which each is a talk: of more lines than a chat has, hardly one could be found
# Chosen on LoCoMo and the shipped chats. There a temperature of .014 is about as good, and so is a third of what holds
# it small, or three times as much.
TEMPERATURE = 0.02
HELD_SMALL = 0.03
STEPS = 80  # 40 are about as good
CURVATURE = 0.006  # of the loss, times the square of the temperature: with a step of its inverse it falls steadily
CENTRE = "What is it?"  # a question that asks nothing is moved by the bias alone
FIRST = 10  # lines among which an answer counts as found
LEVELS = 127  # in which a number of the matrix is kept, to either side

Vectors = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True, eq=False)
class Talk:
    """The lines of a chat, each `author: text`, and what is asked of it with the places of the lines that answer."""

    lines: list[str]
    asked: list[tuple[str, list[int]]]


@dataclass(frozen=True, kw_only=True, eq=False)
class EmbeddedTalk:
    """Embeddings of a talk's lines and questions, as rows; `answers` has each line's part of each question's answer."""

    lines: Vectors
    questions: Vectors
    answers: Vectors


def talks() -> list[Talk]:
    """Return the parts of the lasting texts and the talks, by name."""
    written = [
        Talk(lines=training_texts.lines_of(path), asked=_asked(path.stem)) for path in sorted(TEXTS.glob("*.txt"))
    ]
    return [*_of_lasting(), *written]


def _asked(name: str) -> list[tuple[str, list[int]]]:
    """Return what a file asks: each line has the numbers of the lines that answer, from 1, a tab and the question."""
    read = [line.split("\t", 1) for line in training_texts.lines_of(TEXTS / f"{name}.tsv")]
    return [(question, [int(number) - 1 for number in numbers.split(",")]) for numbers, question in read]


def _of_lasting() -> list[Talk]:
    kinds, asked, parts = KINDS[OF_LASTING].texts(), _asked(OF_LASTING), []
    for part in range(PARTS):
        cuts = [(len(lines) * part // PARTS, len(lines) * (part + 1) // PARTS) for lines in kinds]
        first, end = cuts[0]
        mine = [(question, [place - first]) for question, (place,) in asked if first <= place < end]
        lines = [line for lines, (start, stop) in zip(kinds, cuts, strict=True) for line in lines[start:stop]]
        parts.append(Talk(lines=lines, asked=mine))
    return parts


def fingerprint() -> str:
    """Return what tells whether the texts are those that the adapter was learned from."""
    return training_texts.fingerprint(
        *([*talk.lines, *(f"{question} {places}" for question, places in talk.asked)] for talk in talks())
    )


def train(model: Embedder) -> dict[str, Any]:
    """Return what `question_adapter.npz` holds; embeds all texts, and takes some minutes."""
    read, centre = [embedded_talk(talk, model) for talk in talks()], model.query(CENTRE)
    held_back = read[-1:]
    seen = [found(held_back, adapter=None), found(held_back, adapter=fit(read[:-1], centre=centre))]
    learned = fit(read, centre=centre)
    change = learned.matrix - np.eye(len(centre), dtype=np.float32)
    steps = np.abs(change).max(0) / LEVELS
    kept = np.rint(change / steps).astype(np.int8)
    as_kept = QuestionAdapter(matrix=unpacked(kept, steps), bias=learned.bias, shift=0.0)
    return {
        "embedder": model.identity,
        "texts": fingerprint(),
        "found": np.array(seen).round(3),
        "shift": np.float32(lost(read, adapter=as_kept)),
        "change": kept,
        "steps": steps,
        "bias": learned.bias,
    }


def embedded_talk(talk: Talk, model: Embedder) -> EmbeddedTalk:
    """Return a talk as its embeddings."""
    answers = np.zeros((len(talk.asked), len(talk.lines)), np.float32)
    for row, (_, places) in enumerate(talk.asked):
        answers[row, places] = 1 / len(places)
    questions = np.stack([model.query(question) for question, _ in talk.asked])
    return EmbeddedTalk(lines=model.passages(talk.lines), questions=questions, answers=answers)


def fit(read: Sequence[EmbeddedTalk], *, centre: Vectors) -> QuestionAdapter:
    """Return the adapter that makes answers likeliest, without a shift: Nesterov's descent in steps of one size."""
    size, total = len(centre), sum(len(talk.questions) for talk in read)
    change = ahead = np.zeros((size + 1, size), np.float32)  # its last row is the bias, to which each question has a 1
    inputs = [np.column_stack([talk.questions - centre, np.ones(len(talk.questions), np.float32)]) for talk in read]
    lines = [talk.lines - talk.lines.mean(0) for talk in read]
    step, speed = 1 / (CURVATURE / TEMPERATURE**2 + HELD_SMALL), 1.0
    for _ in range(STEPS):
        slope = HELD_SMALL * ahead
        for talk, rows, around in zip(read, inputs, lines, strict=True):
            likely = _softmax((talk.questions + rows @ ahead) @ around.T / TEMPERATURE)
            slope = slope + rows.T @ ((likely - talk.answers) @ around) / (TEMPERATURE * total)
        faster = (1 + (1 + 4 * speed**2) ** 0.5) / 2
        before, change = change, ahead - step * slope
        ahead, speed = change + (speed - 1) / faster * (change - before), faster
    matrix = np.eye(size, dtype=np.float32) + change[:-1]
    return QuestionAdapter(matrix=matrix, bias=change[-1] - centre @ change[:-1], shift=0.0)


def _softmax(scores: Vectors) -> Vectors:
    likely: Vectors = np.exp(scores - scores.max(1, keepdims=True))
    likely /= likely.sum(1, keepdims=True)
    return likely


def found(read: Sequence[EmbeddedTalk], *, adapter: QuestionAdapter | None) -> float:
    """Return the share of the answers that are among the ten lines nearest to their questions."""
    shares = []
    for talk in read:
        questions = adapter.moved(talk.questions) if adapter else talk.questions
        nearest = np.argsort(-(questions @ talk.lines.T), axis=1)[:, :FIRST]
        shares.append(np.take_along_axis(talk.answers, nearest, axis=1).sum(1))
    return float(np.concatenate(shares).mean())


def lost(read: Sequence[EmbeddedTalk], *, adapter: QuestionAdapter) -> float:
    """Return how much smaller than before the product of a moved question with a line of its talk is, on average."""
    return float(
        np.mean([((each.questions - adapter.moved(each.questions)) @ each.lines.mean(0)).mean() for each in read])
    )
