"""Baselines that recall is measured beside: BM25 and dense vectors over the same messages, in the same run."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from importlib.util import find_spec

from memory.lab.evaluation.loaded_guild import LoadedGuild, Progress
from memory.lab.evaluation.measures import DEPTHS
from memoryhub.ai import embedder

Ask = Callable[[str], Sequence[Collection[str]]]
"""From a question to answers, best first; each is what it bears evidence of."""

EMBEDDED_AT_ONCE = 32


class BaselineMissing(Exception):
    """A baseline needs a package that is not installed."""


def require_bm25() -> None:
    """Raise BaselineMissing where the package is not installed: an operator's lock has it not."""
    if find_spec("bm25s") is None:
        raise BaselineMissing("The BM25 baseline needs bm25s, a development dependency. `make dev` installs it.")


def bm25(world: LoadedGuild, _progress: Progress) -> Ask:
    """Rank by BM25 over "author: text", without stemming, stop words or the message before."""
    import bm25s

    logging.getLogger("bm25s").setLevel(logging.WARNING)  # its import sets it to DEBUG
    index = bm25s.BM25()
    index.index(bm25s.tokenize(_texts(world), stopwords=None, show_progress=False), show_progress=False)
    depth = min(max(DEPTHS), len(world.conversation.messages))

    def ask(question: str) -> list[Collection[str]]:
        words = bm25s.tokenize(question, stopwords=None, show_progress=False)
        places, _ = index.retrieve(words, k=depth, show_progress=False)
        return _messages(world, places[0])

    return ask


def dense(world: LoadedGuild, progress: Progress) -> Ask:
    """Rank by the cosine of the question with "author: text", by the embedder of the settings; none without one."""
    import numpy as np

    model, texts = embedder(), _texts(world)
    if model is None:
        return lambda _question: []
    blocks = []
    for start in range(0, len(texts), EMBEDDED_AT_ONCE):
        blocks.append(model.passages(texts[start : start + EMBEDDED_AT_ONCE]))
        done = min(start + EMBEDDED_AT_ONCE, len(texts))
        progress(f"{world.conversation.name}: dense baseline", done, len(texts))
    embedded = np.vstack(blocks)

    def ask(question: str) -> list[Collection[str]]:
        nearest = np.argsort(-(embedded @ model.query(question)), kind="stable")
        return _messages(world, nearest[: max(DEPTHS)].tolist())

    return ask


def _texts(world: LoadedGuild) -> list[str]:
    return [f"{message.author.name}: {message.text}" for message in world.conversation.messages]


def _messages(world: LoadedGuild, places: Sequence[int]) -> list[Collection[str]]:
    return [{world.conversation.messages[place].message_id} for place in places]


BASELINES = {"bm25_messages": bm25, "dense_messages": dense}
