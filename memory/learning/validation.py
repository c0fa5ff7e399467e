"""The guards before a fact is stored: no instruction, no secret, nothing sensitive, and said where it says."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

from memory.facts.normalization import sentence
from memory.facts.schemas import MAX_FACT
from memoryhub.ai.embedding.embedder import embedded
from memoryhub.safety import (
    carries_diagnosis,
    carries_instruction,
    carries_secret,
    denied,
    is_code,
    is_request,
    looks_like_code,
    may_say,
    means_instruction,
    sensitive,
    supported,
)

MIN_FACT = 4  # characters


def refuse(text: str, quote: str, source_text: str, *, kept: Collection[str] = ()) -> str | None:
    """Return why a fact must not be stored, None when it may; `kept` names the sensitive kinds that the guild keeps.

    Reasons: "too short", "secret", "diagnosis", "health", "finances", "instruction", "code", "request", "too long",
    "no quote", "ungrounded".
    """
    if len(text.strip(" .!?")) < MIN_FACT:
        return "too short"
    texts = {text, quote}
    if any(map(carries_secret, texts)):
        return "secret"
    if any(map(carries_diagnosis, texts)):
        return "diagnosis"
    if kind := next(filter(None, (sensitive(words, kept=kept) for words in texts)), None):
        return kind
    if any(map(carries_instruction, texts)):
        return "instruction"
    if is_code(text):
        return "code"
    if is_request(text):
        return "request"
    if len(text) > MAX_FACT:
        return "too long"
    if not supported(quote, source_text):
        return "no quote"
    grounded = text == quote or (supported(text, source_text) and not denied(text, quote))
    return None if grounded else "ungrounded"


def says_so(text: str, quote: str, source_text: str, *, said_on: date, people: Collection[str] = ()) -> bool:
    """Say if a fact with other words than its messages is near in meaning to what was quoted, with names and numbers.

    `said_on` is the day of the last message, `people` are the names of those who are there, one of whom "you" may be.
    It takes embeddings, as `refuse_told`.
    """
    model = embedded()
    if not model or not may_say(text, quote, source_text, said_on=said_on, people=people):
        return False
    fact, *said = model.passages([text, quote, source_text])
    return bool(max(fact @ words for words in said) >= model.thresholds.backed)


def refuse_told(text: str, *, kept: Collection[str] = ()) -> str | None:
    """Return why what somebody tells in so many words must not be stored: as `refuse`, and by what it means.

    That takes an embedding, so ask with no transaction open. Where the embedded model cannot run, patterns stand alone.
    """
    if reason := refuse(text, text, text, kept=kept):
        return reason
    model = embedded()
    if not model or not means_instruction(model.passages([sentence(text)])[0]):
        return None
    return "code" if looks_like_code(text) else "instruction"  # of a meaning that both are near to
