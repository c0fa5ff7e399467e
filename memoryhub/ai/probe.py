"""What `manage.py doctor` and the dashboard's health say about models and embeddings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from time import time_ns
from typing import NamedTuple

from pydantic import BaseModel

from memoryhub.ai import circuit_breaker, model_choice
from memoryhub.ai.ask_model import ask_one
from memoryhub.ai.embedding.embedder import embedder, embedding_status
from memoryhub.ai.embedding.remote import Hosted
from memoryhub.ai.model_errors import ModelFailed
from memoryhub.ai.task import Task, Tier


class Finding(NamedTuple):
    """One line of a report; the message says what to do when it is not ok."""

    name: str
    ok: bool
    message: str


class Word(BaseModel):
    """What the probe sends and hopes to get back."""

    word: str


class Seat(NamedTuple):
    """Something that a model is chosen for: a tier, or the fallback."""

    name: str
    tier: Tier
    chosen: Callable[[], model_choice.Choice | None]


def describe() -> list[Finding]:
    """Return what is configured, without using the network."""
    return [*map(_describe, _seats()), Finding("embeddings", *embedding_status()), *_guard()]


def probe() -> list[Finding]:
    """Make one tiny call to each configured model and to the embedder; costs a few tokens and up to a minute."""
    findings = []
    for seat in _seats():
        finding = _describe(seat)
        task = Task(
            purpose="probe", tier=seat.tier, instructions="Answer with the word you are given.", answer=Word,
            prompt=lambda given: given.word, offline=lambda given: given, max_tokens=512,
        )  # fmt: skip
        try:
            if choice := seat.chosen():
                ask_one(choice, task, Word(word="hello"), guild=None)
        except ModelFailed as failure:
            finding = finding._replace(ok=False, message=failure.message)
        findings.append(finding)
    made, embeddings = embedder(), Finding("embeddings", *embedding_status())
    try:
        if isinstance(made, Hosted):
            circuit_breaker.forget(made.service)
        if made is not None:
            made.passages([f"hello at {time_ns()}"])  # no text that was asked for before
    except ModelFailed as failure:
        message = f"{failure.message} Until then recall is by words only."
        embeddings = embeddings._replace(ok=False, message=message)
    return [*findings, embeddings, *_guard()]


def _guard() -> Iterator[Finding]:
    """Say what a guard lacks where the embedded model cannot run; it is asked whatever the settings choose."""
    if find_spec("onnxruntime") is None:  # not loaded for this: it takes a while
        message = (
            "told facts are checked by patterns alone: the embedded model, which sees more orders, does not run here."
        )
        yield Finding("guard", ok=True, message=message)


def _seats() -> Iterator[Seat]:
    for tier in model_choice.TERMS:
        yield Seat(f"{tier} model", tier, partial(model_choice.chosen, tier))
    if model_choice.has_fallback():
        yield Seat("fallback model", "fast", partial(model_choice.fallback, "fast"))


def _describe(seat: Seat) -> Finding:
    try:
        choice = seat.chosen()
    except ModelFailed as failure:
        return Finding(seat.name, ok=False, message=failure.message)
    if choice is None:
        message = "offline: embedded rules. Set MEMORYHUB_MODEL to use a language model."
    else:
        message = f"{choice} at {choice.base_url}" if choice.base_url else str(choice)
    return Finding(seat.name, ok=True, message=message)
