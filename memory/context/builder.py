"""Builds what a bot is handed before it replies: what may be told here, within a budget, each line with its sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from zoneinfo import ZoneInfo

from memory.context import budget, collection, fitting
from memory.context.items import Collected, Frame, Item, LeftOut, Parts, Why
from memory.context.rendering import CHAT
from memory.context.turn import COLLECTORS, DEFAULT_TOKENS, MOST_TOKENS, Context, Format, Part, Preset, Role, Turn
from memoryhub import db
from memoryhub.db.guild_scope import in_its_guild

__all__ = ["DEFAULT_TOKENS", "MOST_TOKENS", "Context", "Format", "Part", "Preset", "Role", "Turn", "assemble", "build"]

CRITICAL = "critical"
BECAUSE = {
    Why.BUDGET: "The budget had no room for it; what matters more went in.",
    Why.CAP: "Its part is full: no part may take more than its cap.",
}


@db.on_replica
@in_its_guild
def build(turn: Turn) -> Context:
    """Return the context of a turn: read only, no model asked but one embedding of the text."""
    if turn.format == "user_memory" and turn.preset == "default":
        turn = replace(turn, preset="seed002")
    collected = collection.collect(turn) if turn.preset == "default" else COLLECTORS[turn.preset](turn)
    if turn.operator and turn.as_of is None:
        collected = replace(collected, left_out=[*collected.left_out, *collection.withheld(turn)])
    _set_clocks(collected, ZoneInfo(turn.guild.time_zone))
    frame = Frame(base=turn.base.strip(), text=turn.text.strip(), outside=turn.memory_role == "user")
    return assemble(collected, max_tokens=turn.max_tokens, form=turn.format, frame=frame)


def _set_clocks(collected: Collected, zone: ZoneInfo) -> None:
    """Give the items their moments by the guild's clock, as a bot reads them."""
    left_out = [each.item for each in collected.left_out]
    for item in chain(*collected.parts.values(), left_out):
        if isinstance(item.at, datetime):
            item.at = item.at.astimezone(zone)


def assemble(collected: Collected, *, max_tokens: int, form: Format, frame: Frame | None = None) -> Context:
    """Return what fits of the items collected, in one text; base and text of the frame come before all of them."""
    most = max(0, max_tokens)
    brought = replace(frame or Frame(), person=collected.person, capped=collected.capped)
    held = fitting.fit_frame(brought, form=form, max_tokens=most)
    parts = {name: list(items) for name, items in collected.parts.items() if items}
    for name, items in parts.items():
        fitting.count(name, items, form=form)
    kept, rendered = fitting.fit_items(parts, held, form=form, max_tokens=most)
    repeated = [each for each in collected.left_out if each.repeats]
    while unsaid := _unsaid(repeated, parts, kept):
        # The lines that say these do not fit: they are offered after all, in the place that their score gives them.
        # What they push out may have said others.
        for each in unsaid:
            items = parts.setdefault(each.part, [])
            place = next((place for place, other in enumerate(items) if other.score < each.item.score), len(items))
            fitting.count(each.part, [each.item], form=form)
            items.insert(place, each.item)
        parts = {name: parts[name] for name in budget.BY_PART if name in parts}
        repeated = [each for each in repeated if each not in unsaid]
        kept, rendered = fitting.fit_items(parts, held, form=form, max_tokens=most)
    missing = list(_missing(parts, kept, held, most))
    inside = list(_told_parts(parts, kept, held, most))
    sources = {(each.message_id, each.note_id): each for part in inside for item in part.items for each in item.sources}
    return Context(
        text=rendered.text, tokens=rendered.tokens, messages=rendered.messages, parts=inside,
        sources=list(sources.values()),
        left_out=[*missing, *(each for each in collected.left_out if not each.repeats), *repeated],
        notice=_notice(brought, held, missing, form),
    )  # fmt: skip


def _unsaid(repeated: Sequence[LeftOut], parts: Parts, kept: Mapping[str, int]) -> list[LeftOut]:
    """Return what was left out for lines of which none is told; first what may say others of them, if it is told."""
    shown = {(item.kind, item.id) for name, items in parts.items() for item in items[: kept[name]]}
    said_by = {(each.item.kind, each.item.id): {(line.kind, line.id) for line in each.repeats} for each in repeated}
    missing = {item: lines for item, lines in said_by.items() if lines.isdisjoint(shown)}
    first = {item for item, lines in missing.items() if missing.keys().isdisjoint(lines - {item})}
    return [each for each in repeated if (each.item.kind, each.item.id) in first]


def _missing(parts: Parts, kept: dict[str, int], held: Frame, most: int) -> Iterator[LeftOut]:
    """Yield what did not fit: into its part in any case, or into this budget."""
    for name, items in parts.items():
        cap = budget.BY_PART[name].cap if held.capped else most
        allowed = budget.count_fitting([item.tokens for item in items], cap)
        for place, item in enumerate(items[kept[name] :], kept[name]):
            why = Why.BUDGET if place < allowed else Why.CAP
            yield LeftOut(part=name, item=item, why=why, because=BECAUSE[why])


def _told_parts(parts: Parts, kept: dict[str, int], held: Frame, most: int) -> Iterator[Part]:
    """Yield what went in; what the caller brought are parts that nothing else pushes out."""
    for name, text in (("base", held.base), ("text", held.text)):
        if text:
            cost = budget.tokens(text)
            item = Item(text=text, kind=name, tokens=cost)
            yield Part(name=name, priority=CRITICAL, tokens=cost, minimum=cost, cap=cost, dropped=0, items=[item])
    for name, items in parts.items():
        share, inside = budget.BY_PART[name], items[: kept[name]]
        yield Part(
            name=name, priority=share.priority, tokens=sum(item.tokens for item in inside),
            cap=share.cap if held.capped else most, minimum=min(share.cap, int(budget.certain(share, most))),
            dropped=len(items) - len(inside), items=fitting.in_order(name, inside),
        )  # fmt: skip


def _notice(brought: Frame, held: Frame, missing: Sequence[LeftOut], form: str) -> str:
    cut = ["base was cut"] if brought.base != held.base else []
    if form == CHAT and brought.text != held.text:
        cut.append("text was cut")
    names = [each.part for each in missing]
    cut += [f"{names.count(name)} of {name}" for name in dict.fromkeys(names)]
    return f"Did not fit: {', '.join(cut)}." if cut else ""
