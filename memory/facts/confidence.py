"""How sure we are of a fact, 0.3 to 1.0."""

from __future__ import annotations

import math

EXPLICIT = 1.0  # told to the hub to remember, by a tool, a command or an operator
TOLD_BY_OTHERS = 0.5  # at most, for what somebody says about somebody else
ESTABLISHED = 0.6  # below it a fact is an observation
LORE_CONFIDENCE = 0.72
STEP = 0.1  # a repeat adds this, a lost piece of evidence takes it


def clamp(value: object) -> float:
    """Return a confidence within 0.3..1.0; what is no number counts as 0.5."""
    try:
        number = float(str(value))
    except ValueError:
        return 0.5
    return 0.5 if math.isnan(number) else min(1.0, max(0.3, number))


def reinforced(confidence: float) -> float:
    """Return the confidence after the fact was said again."""
    return clamp(round(confidence + STEP, 3))


def weakened(confidence: float) -> float:
    """Return the confidence after one of several pieces of evidence went."""
    return clamp(round(confidence - STEP, 3))
