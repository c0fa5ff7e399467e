"""Baselines that recall is measured beside: BM25 and dense vectors over the same messages, in the same run."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from importlib.util import find_spec
from typing import Any
from weakref import WeakKeyDictionary

from memory.lab.evaluation.loaded_guild import LoadedGuild
from memory.lab.evaluation.measures import DEPTHS
from memoryhub import language
from memoryhub.ai import embedder
from memoryhub.common.long_work import Progress

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
    return _by_bm25(world, texts_of(world), lambda text: text)


def bm25_windows(world: LoadedGuild, _progress: Progress) -> Ask:
    """Rank by BM25 over stems, stop words cut, of the message before and "author: text"."""
    return _by_bm25(world, _windows(world), _stems)


def window_scores(world: LoadedGuild) -> Callable[[str], Any]:
    """Return what gives for a question every message's score by the same, in their order."""
    index = _index(_windows(world), _stems)

    def scores(question: str) -> Any:
        return index.get_scores(_stems(question).split())

    return scores


def _windows(world: LoadedGuild) -> list[str]:
    sessions, texts = list(world.conversation.sessions.values()), texts_of(world)
    return [
        f"{texts[place - 1]} {text}" if place and sessions[place - 1] == sessions[place] else text
        for place, text in enumerate(texts)
    ]


def _stems(text: str) -> str:
    return " ".join(map(language.stem, language.content(text))) or "-"


def _by_bm25(world: LoadedGuild, texts: Sequence[str], words: Callable[[str], str]) -> Ask:
    index = _index(texts, words)
    depth = min(max(DEPTHS), len(texts))

    def ask(question: str) -> list[Collection[str]]:
        places, _ = index.retrieve(_cut([words(question)]), k=depth, show_progress=False)
        return _messages(world, places[0])

    return ask


def _index(texts: Sequence[str], words: Callable[[str], str]) -> Any:
    import bm25s

    logging.getLogger("bm25s").setLevel(logging.WARNING)  # its import sets it to DEBUG
    index = bm25s.BM25()
    index.index(_cut(list(map(words, texts))), show_progress=False)
    return index


def _cut(texts: list[str]) -> Any:
    import bm25s

    return bm25s.tokenize(texts, stopwords=None, show_progress=False)


def dense(world: LoadedGuild, progress: Progress) -> Ask:
    """Rank by the cosine of the question with "author: text", by the embedder of the settings; none without one."""
    import numpy as np

    model = embedder()
    if model is None:
        return lambda _question: []
    embedded = embedded_messages(world, progress)

    def ask(question: str) -> list[Collection[str]]:
        nearest = np.argsort(-(embedded @ model.query(question)), kind="stable")
        return _messages(world, nearest[: max(DEPTHS)].tolist())

    return ask


_embedded: WeakKeyDictionary[LoadedGuild, Any] = WeakKeyDictionary()


def embedded_messages(world: LoadedGuild, progress: Progress) -> Any:
    """Return the embeddings of a guild's messages as "author: text", made once; there must be an embedder."""
    import numpy as np

    if world not in _embedded:
        model, texts, blocks = embedder(), texts_of(world), []
        assert model is not None
        for start in range(0, len(texts), EMBEDDED_AT_ONCE):
            blocks.append(model.passages(texts[start : start + EMBEDDED_AT_ONCE]))
            done = min(start + EMBEDDED_AT_ONCE, len(texts))
            progress(f"{world.conversation.name}: dense baseline", done, len(texts))
        _embedded[world] = np.vstack(blocks)
    return _embedded[world]


def texts_of(world: LoadedGuild) -> list[str]:
    """Return the messages as baselines and peers are given them."""
    return [f"{message.author.display_name}: {message.text}" for message in world.conversation.messages]


def _messages(world: LoadedGuild, places: Sequence[int]) -> list[Collection[str]]:
    return [{world.conversation.messages[place].message_id} for place in places]


BASELINES = {"bm25_messages": bm25, "bm25_windows": bm25_windows, "dense_messages": dense}
