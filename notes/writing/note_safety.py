"""What a note must not hold, whatever the model made of the chat: orders to a model, secrets, addresses nobody gave."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable

from memoryhub.language import sentences
from memoryhub.safety import carries_diagnosis, carries_instruction, carries_secret, sensitive

_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>()\[\]\"']+", re.IGNORECASE)


def refuse(text: str, source: str, *, kept: Collection[str] = ()) -> str | None:
    """Return why a text that is to tell what the source says must not be stored, None when it may.

    `kept` names the sensitive kinds that the guild keeps.
    """
    reasons: dict[str, Callable[[], bool]] = {
        "instruction": lambda: carries_instruction(text),
        "secret": lambda: carries_secret(text),
        "diagnosis": lambda: carries_diagnosis(text),
        "sensitive": lambda: sensitive(text, kept=kept) is not None,
        "address": lambda: not set(_ADDRESS.findall(text)) <= set(_ADDRESS.findall(source)),
    }
    return next((reason for reason, holds in reasons.items() if holds()), None)


def cleaned(text: str, source: str, *, kept: Collection[str] = ()) -> str:
    """Return the text without the sentences that must not be stored; empty if nothing is left that may be."""
    if not refuse(text, source, kept=kept):
        return text
    lines = (
        " ".join(sentence for sentence in sentences(line) if not refuse(sentence, source, kept=kept))
        for line in text.split("\n")
    )
    rest = "\n".join(line for line in lines if line)
    return "" if refuse(rest, source, kept=kept) else rest


def items(texts: Iterable[str], source: str, *, kept: Collection[str] = ()) -> list[str]:
    """Return those of a summary's items that may be stored."""
    return [text for text in texts if not refuse(text, source, kept=kept)]
