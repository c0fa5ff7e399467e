"""What `manage.py doctor` and the dashboard's health say about models and embeddings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from pydantic import BaseModel

from memoryhub.ai import model_choice
from memoryhub.ai.ask_model import ask_one
from memoryhub.ai.embedding.embedder import embedder, embedding_status
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


class _Post(NamedTuple):
    """A place that a model is chosen for."""

    name: str
    tier: Tier
    chosen: Callable[[], model_choice.Choice | None]


def describe() -> list[Finding]:
    """Return what is configured, without using the network."""
    return [*map(_described, _posts()), Finding("embeddings", *embedding_status())]


def probe() -> list[Finding]:
    """Make one tiny call to each configured model and to the embedder; costs a few tokens and up to a minute."""
    return [*map(_probed, _posts()), _probed_embedder()]


def _posts() -> Iterator[_Post]:
    for tier in model_choice.TERMS:
        yield _Post(f"{tier} model", tier, partial(model_choice.chosen, tier))
    if model_choice.has_fallback():
        yield _Post("fallback model", "fast", partial(model_choice.fallback, "fast"))


def _described(post: _Post) -> Finding:
    try:
        choice = post.chosen()
    except ModelFailed as failure:
        return Finding(post.name, ok=False, message=failure.message)
    if choice is None:
        told = "offline: embedded rules. Set MEMORYHUB_MODEL to use a language model."
    else:
        told = f"{choice} at {choice.base_url}" if choice.base_url else str(choice)
    return Finding(post.name, ok=True, message=told)


def _probed(post: _Post) -> Finding:
    task = Task(
        purpose="probe",
        tier=post.tier,
        instructions="Answer with the word you are given.",
        answer=Word,
        prompt=lambda given: given.word,
        offline=lambda given: given,
        max_tokens=512,
    )
    described = _described(post)
    try:
        if choice := post.chosen():
            ask_one(choice, task, Word(word="hello"), guild=None)
    except ModelFailed as failure:
        return described._replace(ok=False, message=failure.message)
    return described


def _probed_embedder() -> Finding:
    made, status = embedder(), Finding("embeddings", *embedding_status())
    try:
        if made is not None:
            made.query("hello")
    except ModelFailed as failure:
        return status._replace(ok=False, message=f"{failure.message} Until then recall is by words only.")
    return status
