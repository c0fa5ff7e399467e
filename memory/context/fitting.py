"""Fits what the caller brought, and then what is remembered, into a budget of tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from memory.context import budget, rendering
from memory.context.items import Frame, Item, Parts, Rendered

TAIL = 200  # tokens of what was said to the bot that stay readable, whatever else has to go
CUT = "(The beginning was cut.) …"
CUT_TOKENS = budget.tokens(CUT)
REFILLS = 3  # times that room left over is shared out again


def fit_frame(frame: Frame, *, form: str, max_tokens: int) -> Frame:
    """Return base and text alone, cut where they don't fit: the text to its tail first, the base before that tail."""
    if form != rendering.CHAT:
        frame = replace(frame, text="")

    def cost(base: str, text: str) -> int:
        return rendering.write(replace(frame, base=base, text=text), form=form).tokens

    if cost(frame.base, frame.text) <= max_tokens:
        return frame
    base, tail = "", ending(frame.text, TAIL)
    if cost("", tail) <= max_tokens:
        base = _longest(frame.base, budget.first, max_tokens, lambda part: cost(part, tail))
    text = _longest(frame.text, ending, max_tokens, lambda part: cost(base, part))
    return replace(frame, base=base, text=text)


def _longest(text: str, part: Callable[[str, int], str], room: int, cost: Callable[[str], int]) -> str:
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
    if budget.tokens(text) <= room:
        return text
    kept = budget.last(text, room - CUT_TOKENS)
    return CUT + kept if kept else ""


def count(part: str, items: Iterable[Item], *, form: str) -> None:
    """Give the items the tokens of their lines and line breaks."""
    for item in items:
        item.tokens = budget.tokens(rendering.line(part, item, form=form)) + 1


def fit_items(parts: Parts, frame: Frame, *, form: str, max_tokens: int) -> tuple[dict[str, int], Rendered]:
    """Return how many items each part keeps, and the text; the items are counted, best first, and no part is empty.

    Where headings add more than expected, items are cut off again. What headings and days take less than expected,
    since some parts keep nothing, is shared out as well.
    """
    costs = {name: [item.tokens for item in items] for name, items in parts.items()}
    orders = {name: _order(name, items) for name, items in parts.items()}

    def write(kept: dict[str, int]) -> Rendered:
        shown = {name: [items[place] for place in orders[name] if place < kept[name]] for name, items in parts.items()}
        cut = any(kept[name] < len(items) for name, items in parts.items())
        return rendering.write(replace(frame, parts=shown, cut=cut), form=form)

    # What the frame takes is gone in any case; what a heading takes is paid by the first item below it.
    bare, headings = _overhead(costs, lambda kept: write(kept).tokens)
    for name, heading in headings.items():
        costs[name][0] += heading
    room = max(0, max_tokens - bare)
    kept = budget.share_out(costs, room=room, capped=frame.capped)
    rendered = write(kept)
    while rendered.tokens > max_tokens and any(kept.values()):
        kept = budget.cut(costs, kept, excess=rendered.tokens - max_tokens)
        rendered = write(kept)
    spare = max_tokens - rendered.tokens
    for _ in range(REFILLS):
        more = budget.share_out(costs, room=room + spare, capped=frame.capped)
        if more == kept:
            break
        fuller = write(more)
        if fuller.tokens > max_tokens:
            spare //= 2
        else:
            kept, rendered, room, spare = more, fuller, room + spare, max_tokens - fuller.tokens
    return kept, rendered


def _overhead(costs: Mapping[str, Sequence[int]], cost: Callable[[dict[str, int]], int]) -> tuple[int, dict[str, int]]:
    """Return the tokens that are taken by no item: around all parts, and by each part for itself, about."""
    none = dict.fromkeys(costs, 0)
    alone = {name: cost({**none, name: 1}) - items[0] for name, items in costs.items()}
    if len(alone) < 2:  # what one part has for itself cannot be told from what is around all
        return sum(alone.values()), none
    together = cost(dict.fromkeys(costs, 1)) - sum(items[0] for items in costs.values())
    bare = max(0, (sum(alone.values()) - together) // (len(alone) - 1))
    return bare, {name: max(0, taken - bare) for name, taken in alone.items()}


def in_order(part: str, items: Sequence[Item]) -> list[Item]:
    """Return the items as they are told; what was said is told oldest first, however it was chosen."""
    return [items[place] for place in _order(part, items)]


def _order(part: str, items: Sequence[Item]) -> Sequence[int]:
    places = range(len(items))
    if part == "messages":
        moments = [item.at.timestamp() if isinstance(item.at, datetime) else 0.0 for item in items]
        return sorted(places, key=moments.__getitem__)
    return places[::-1] if part == "transcript" else places
