"""Adds the presets of the designs that memoryhub joins to recall and to context, which know them by name only."""

from __future__ import annotations

from django.conf import settings

from memory.compatibility import confidence_ranking, established_facts, user_memory, weighted_ranking
from memory.context import items, turn
from memory.recall import ranking


def register() -> None:
    """Add them; called once, when the app is ready."""
    ranking.PRESETS["seed000"] = ranking.Preset(
        lambda candidates, criteria: weighted_ranking.by_weighted_sum(
            candidates, criteria, weights=settings.MEMORYHUB_SEED000_WEIGHTS,
            word_weights=settings.MEMORYHUB_SEED000_WORD_WEIGHTS,
        )
    )  # fmt: skip
    ranking.PRESETS["seed002"] = ranking.Preset(confidence_ranking.by_confidence, confidence_ranking.within_characters)
    turn.COLLECTORS.update(dict.fromkeys(established_facts.LIMITS, established_facts.collect))
    items.FORMS["user_memory"] = items.Form(user_memory.line, user_memory.render)
