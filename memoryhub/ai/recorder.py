"""Tells an upper floor what each model call cost and how it ended; never what was said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

Outcome = Literal["ok", "failed", "budget"]


@dataclass(frozen=True, kw_only=True)
class Call:
    """One question to a model, repairs and retries included. Answers of the embedded rules are not calls.

    `cost_usd` is None when the price of the model is unknown; `error_class` is the failure's reason, "" when none.
    """

    purpose: str
    model: str
    guild: int | None
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: Decimal | None = None
    seconds: float = 0.0
    outcome: Outcome = "ok"
    error_class: str = ""


Sink = Callable[[Call], None]
_sinks: list[Sink] = []


def register(sink: Sink) -> None:
    """Hand every call to `sink` from now on, in the thread that asked."""
    if sink not in _sinks:
        _sinks.append(sink)


def unregister(sink: Sink) -> None:
    """Hand nothing to `sink` any more."""
    _sinks.remove(sink)


def record(call: Call) -> None:
    """Hand the call to every sink."""
    for sink in _sinks:
        sink(call)
