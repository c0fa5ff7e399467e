"""What a note must not hold, whatever the model made of the chat: orders to a model, secrets, addresses nobody gave."""

from __future__ import annotations

import re
from collections.abc import Callable

from memoryhub.guards import carries_instruction, carries_secret
from memoryhub.language import sentences

_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>()\[\]\"']+", re.IGNORECASE)


def refuse(text: str, source: str) -> str | None:
    """Return why a text that is to tell what the source says must not be stored, None when it may."""
    reasons: dict[str, Callable[[], bool]] = {
        "instruction": lambda: carries_instruction(text),
        "secret": lambda: carries_secret(text),
        "address": lambda: not set(_ADDRESS.findall(text)) <= set(_ADDRESS.findall(source)),
    }
    return next((reason for reason, holds in reasons.items() if holds()), None)


def cleaned(text: str, source: str) -> str:
    """Return the text without the sentences that must not be stored; empty if nothing is left that may be."""
    if not refuse(text, source):
        return text
    lines = (
        " ".join(sentence for sentence in sentences(line) if not refuse(sentence, source)) for line in text.split("\n")
    )
    kept = "\n".join(line for line in lines if line)
    return "" if refuse(kept, source) else kept
