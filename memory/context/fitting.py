"""Fits the caller's own system text and the words to be answered into a budget, and puts memory between them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from memory.context import budget, render_chat, rendering
from memory.context.items import Item, Told, Written

CHAT = "messages"
TAIL = 200  # tokens of what was said to the bot that stay readable, whatever else has to go
CUT = "(The beginning was cut.) …"
CUTS = budget.tokens(CUT)


def line(part: str, item: Item, *, form: str) -> str:
    """Return an item as it will stand in the text, to know what it costs."""
    return render_chat.line(part, item) if form == CHAT else rendering.line(part, item, form=form)


def write(told: Told, *, form: str) -> Written:
    """Return the context in its form, and what it costs."""
    if form == CHAT:
        messages = render_chat.messages(told)
        cost = sum(budget.tokens(each["content"]) + render_chat.A_MESSAGE for each in messages)
        return Written(json.dumps(messages, ensure_ascii=False) if messages else "", cost, messages)
    memory = rendering.render(told, form=form)
    text = _with_base(told.base, memory, form)
    return Written(text, budget.tokens(text))


def _with_base(base: str, memory: str, form: str) -> str:
    if form == "json" and base:
        return json.dumps({"base": base, **json.loads(memory or "{}")}, ensure_ascii=False)
    return "\n\n".join(filter(None, [base, memory]))


def fitted(frame: Told, *, form: str, max_tokens: int) -> Told:
    """Return base and text alone, cut where they don't fit: the text to its tail first, the base before that tail."""
    if form != CHAT:
        frame = replace(frame, text="")
    if _cost(frame, form) <= max_tokens:
        return frame
    tail = replace(frame, base="", text=ending(frame.text, TAIL))
    if _cost(tail, form) > max_tokens:
        return replace(
            tail, text=_most(frame.text, ending, max_tokens, lambda text: _cost(replace(tail, text=text), form))
        )
    base = _most(frame.base, budget.first, max_tokens, lambda base: _cost(replace(tail, base=base), form))
    based = replace(tail, base=base)
    return replace(
        based, text=_most(frame.text, ending, max_tokens, lambda text: _cost(replace(based, text=text), form))
    )


def _cost(frame: Told, form: str) -> int:
    return write(frame, form=form).tokens


def _most(text: str, part: Callable[[str, int], str], room: int, cost: Callable[[str], int]) -> str:
    """Return the longest part of the text whose cost there is room for."""
    size = budget.tokens(text)
    while size > 0:
        kept = part(text, size)
        excess = cost(kept) - room
        if excess <= 0:
            return kept
        size -= excess
    return ""


def ending(text: str, room: int) -> str:
    """Return the longest end of at most so many tokens, marked as cut."""
    return text if budget.tokens(text) <= room else (CUT + kept if (kept := budget.last(text, room - CUTS)) else "")
