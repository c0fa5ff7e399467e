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

__all__ = ["Context", "Part", "Turn", "assemble", "build"]

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
    return assemble(offered, max_tokens=turn.max_tokens, form=turn.format)


def assemble(offered: Parts, *, max_tokens: int, form: Format) -> Context:
    """Return what fits of the items offered, in one text."""
    costs = {name: [len(rendering.line(name, item, form=form)) + 1 for item in offered[name]] for name in offered}
    kept, text = _fit(offered, costs, max(0, max_tokens), form)
    parts = [
        Part(
            name=name, tokens=-(-sum(costs[name][: kept[name]]) // budget.CHARACTERS),
            dropped=len(items) - kept[name], items=_in_order(name, items[: kept[name]]),
        )
        for name, items in offered.items()
        if items
    ]  # fmt: skip
    return Context(text=text, tokens=budget.tokens(text), parts=parts, sources=_sources(parts))


def _fit(offered: Parts, costs: dict[str, list[int]], max_tokens: int, form: Format) -> tuple[dict[str, int], str]:
    """Return how many items are kept, and the text; where headings add more than expected, items are cut off again."""
    room = max_tokens * budget.CHARACTERS
    kept = budget.share_out(costs, room=room - _headings(offered, costs, form))
    text = _text(offered, kept, form)
    while len(text) > room:
        kept = budget.cut(costs, kept, excess=len(text) - room)
        text = _text(offered, kept, form)
    return kept, text


def _headings(offered: Parts, costs: dict[str, list[int]], form: Format) -> int:
    """Return the characters that are no items', when every part says something."""
    one_each = {name: min(1, len(items)) for name, items in offered.items()}
    return max(
        0, len(_text(offered, one_each, form)) - sum(costs[name][0] for name, count in one_each.items() if count)
    )


def _text(offered: Parts, kept: dict[str, int], form: Format) -> str:
    return rendering.render({name: _in_order(name, items[: kept[name]]) for name, items in offered.items()}, form=form)


def _in_order(name: str, items: list[Item]) -> list[Item]:
    return items[::-1] if name in OLDEST_FIRST else items


def _sources(parts: Sequence[Part]) -> list[Source]:
    """Return every message and note that the context rests on, each once."""
    found = {(each.message_id, each.note_id): each for part in parts for item in part.items for each in item.sources}
    return list(found.values())
