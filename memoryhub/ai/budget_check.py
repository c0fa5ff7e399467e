"""Asks an upper floor whether a guild may still spend tokens and money today."""

from __future__ import annotations

from collections.abc import Callable

Rule = Callable[[int | None], bool]
_rules: list[Rule] = []


def register(rule: Rule) -> None:
    """Ask `rule` before every model call: it gets the guild's row id and answers whether the call may be made."""
    if rule not in _rules:
        _rules.append(rule)


def unregister(rule: Rule) -> None:
    """Ask `rule` no more."""
    _rules.remove(rule)


def allowed(guild: int | None) -> bool:
    """Return whether every registered rule lets the guild ask a model."""
    return all(rule(guild) for rule in _rules)
