"""A baseline for contexts: what many would build, lines ranked by a window's words, by meaning, and by their notes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from memory.index.documents import note_text
from memory.lab.evaluation.baselines import embedded_messages, window_scores
from memory.lab.evaluation.loaded_guild import LoadedGuild
from memoryhub.ai import embedder
from notes.models import InteractionNote

# What each weighs, all scaled to 1: as the mix that did best on conversations which nobody tuned on.
BY_WORDS, BY_MEANING, BY_NOTE = 0.40, 0.35, 0.25

Order = Callable[[str], Sequence[str]]
"""From a question to the ids of all messages, best first."""


def mixed(world: LoadedGuild) -> Order:
    """Rank all messages of a guild; without an embedder by a window's words alone."""
    import numpy as np

    ids = [message.message_id for message in world.conversation.messages]
    words, model = window_scores(world), embedder()
    if model is None:
        return lambda question: [ids[place] for place in np.argsort(-words(question), kind="stable")]
    lines = embedded_messages(world, lambda *_: None)
    notes = list(InteractionNote.objects.of(world.guild).order_by("pk").prefetch_related("messages"))
    told = model.passages([note_text(note) for note in notes]) if notes else np.zeros((0, lines.shape[1]))
    places = {message: place for place, message in enumerate(ids)}
    holding = [
        [places[each.platform_id] for each in note.messages.all() if each.platform_id in places] for note in notes
    ]

    def order(question: str) -> list[str]:
        embedding = model.query(question)
        support = np.zeros(len(ids))
        for near, inside in zip(_scaled(told @ embedding), holding, strict=True):
            support[inside] = np.maximum(support[inside], near)
        scores = BY_WORDS * _scaled(words(question)) + BY_MEANING * _scaled(lines @ embedding) + BY_NOTE * support
        return [ids[place] for place in np.argsort(-scores, kind="stable")]

    return order


def _scaled(scores: Any) -> Any:
    """Return the scores from 0 (the least) to 1 (the greatest)."""
    least, most = scores.min(initial=float("inf")), scores.max(initial=float("-inf"))
    return (scores - least) / (most - least) if most > least else scores * 0.0
