"""Asks an upper floor whether a guild may spend more today, and tells it what each call cost; never what was said."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from memoryhub.ai.model_errors import ModelFailed
from memoryhub.db.replica import on_primary
from memoryhub.server import tracing

Outcome = Literal["ok", "failed", "budget"]


@dataclass(frozen=True, kw_only=True)
class Call:
    """One question to a model, repairs and retries included. Answers of the embedded rules are not calls.

    `cost_usd` is None when the price of the model is unknown; `error_class` is the failure's reason, "" when none,
    "interrupted" when the caller was stopped.
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


@dataclass
class Spent:
    """What a call under way has cost so far."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: Decimal | None = None


Sink = Callable[[Call], None]
Rule = Callable[[int | None], bool]
_sinks: list[Sink] = []
_rules: list[Rule] = []


def register(sink: Sink, *rules: Rule) -> None:
    """Hand every call to `sink` from now on, in the thread that asked; `rules` say if a guild, by row id, may ask."""
    if sink not in _sinks:
        _sinks.append(sink)
    _rules.extend(rules)


@contextmanager
def heard() -> Iterator[list[Call]]:
    """Yield a list to which every call of the block is added too, whoever makes it in this process."""
    calls: list[Call] = []
    hear = calls.append
    _sinks.append(hear)
    try:
        yield calls
    finally:
        _sinks.remove(hear)


def allowed(*, purpose: str, model: str, guild: int | None) -> bool:
    """Return whether every rule lets the guild ask a model; what is not allowed is recorded."""
    if all(rule(guild) for rule in _rules):
        return True
    record(Call(purpose=purpose, model=model, guild=guild, outcome="budget"))
    return False


def record(call: Call) -> None:
    """Hand the call to every sink."""
    with on_primary():
        for sink in _sinks:
            sink(call)


@contextmanager
def recording(*, purpose: str, model: str, guild: int | None) -> Iterator[Spent]:
    """Record the call that the block makes, however it ends."""
    spent, started, error = Spent(), time.monotonic(), "interrupted"
    try:
        with tracing.span(f"ask {purpose}", {"gen_ai.request.model": model}) as span:
            try:
                yield spent
                error = ""
            except ModelFailed as failure:
                error = failure.reason
                raise
            finally:
                span |= {"gen_ai.usage.input_tokens": spent.tokens_in, "gen_ai.usage.output_tokens": spent.tokens_out}
                span |= {"memoryhub.reason": error} if error else {}
    finally:
        record(
            Call(
                purpose=purpose,
                model=model,
                guild=guild,
                tokens_in=spent.tokens_in,
                tokens_out=spent.tokens_out,
                cost_usd=spent.cost_usd,
                seconds=time.monotonic() - started,
                outcome="failed" if error else "ok",
                error_class=error,
            )
        )
