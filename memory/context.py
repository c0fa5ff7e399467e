"""Builds what a bot is handed before it replies: what may be told here, within a budget, each line with its sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory import budget, rendering
from memory.gathering import gather
from memory.memories import Source
from memory.parts import Item, Parts
from profiles.models import Channel, Guild, Member

__all__ = ["Context", "Part", "Turn", "build"]

Format = Literal["xml", "markdown", "json"]
DEFAULT_TOKENS = 2_000

# Kept newest first, told oldest first.
OLDEST_FIRST = ("transcript",)


@dataclass(frozen=True, kw_only=True)
class Turn:
    """The moment a bot asks: where, among whom, what was said, how much it can read and in which form."""

    guild: Guild
    channel: Channel | None
    members: Sequence[Member]
    mentioned: Sequence[Member] = ()
    text: str
    max_tokens: int = DEFAULT_TOKENS
    format: Format = "xml"
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part as it went in: what it takes, how many of its items did not fit, and those that did."""

    name: str
    tokens: int
    dropped: int
    items: list[Item]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The text, never more than the turn's tokens, and what it is made of."""

    text: str
    tokens: int
    parts: list[Part]
    sources: list[Source]


def build(turn: Turn) -> Context:
    """Return the context of a turn: read only, no model asked but one embedding of the text."""
    offered = gather(
        turn.guild, channel=turn.channel, present=turn.members, mentioned=turn.mentioned, text=turn.text, now=turn.now
    )
    costs = {
        name: [len(rendering.line(name, item, form=turn.format)) + 1 for item in items]
        for name, items in offered.items()
    }
    kept, text = _fit(offered, costs, turn)
    parts = [
        Part(
            name=name, tokens=-(-sum(costs[name][: kept[name]]) // budget.CHARACTERS),
            dropped=len(items) - kept[name], items=_in_order(name, items[: kept[name]]),
        )
        for name, items in offered.items()
        if items
    ]  # fmt: skip
    return Context(text=text, tokens=budget.tokens(text), parts=parts, sources=_sources(parts))


def _fit(offered: Parts, costs: dict[str, list[int]], turn: Turn) -> tuple[dict[str, int], str]:
    """Return how many items are kept, and the text; what headings add is cut off again, item by item."""
    room = max(0, turn.max_tokens) * budget.CHARACTERS
    kept = budget.share_out(costs, budget=max(0, turn.max_tokens))
    text = _text(offered, kept, turn.format)
    while len(text) > room:
        kept = budget.cut(costs, kept, excess=len(text) - room)
        text = _text(offered, kept, turn.format)
    return kept, text


def _text(offered: Parts, kept: dict[str, int], form: Format) -> str:
    return rendering.render({name: _in_order(name, items[: kept[name]]) for name, items in offered.items()}, form=form)


def _in_order(name: str, items: list[Item]) -> list[Item]:
    return items[::-1] if name in OLDEST_FIRST else items


def _sources(parts: Sequence[Part]) -> list[Source]:
    """Return every message and note that the context rests on, each once."""
    found = {(each.message_id, each.note_id): each for part in parts for item in part.items for each in item.sources}
    return list(found.values())
