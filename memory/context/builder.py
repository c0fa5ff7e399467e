"""Builds what a bot is handed before it replies: what may be told here, within a budget, each line with its sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from memory.context import budget, established_facts, fitting
from memory.context.collection import gather
from memory.context.hidden import withheld
from memory.context.items import Item, LeftOut, Offered, Parts, Told, Why, Written
from memory.recall.results import Source
from memoryhub.community.models import Channel, Guild, Member

__all__ = ["Context", "Format", "Part", "Preset", "Role", "Turn", "assemble", "build"]

Format = Literal["xml", "markdown", "json", "user_memory", "messages"]
Preset = Literal["default", "seed002", "composer"]
Role = Literal["system", "user"]
DEFAULT_TOKENS = 2_000

CRITICAL = "critical"
REFILLS = 3  # times that room left over is shared out again


@dataclass(frozen=True, kw_only=True)
class Turn:
    """The moment a bot asks: where, among whom, what was said, how much it can read and in which form.

    The first of `members` is the author of `text`, the others are those of the reply chain. `base` is the caller's own
    system text; `transcript`, oldest first, takes the place of the channel's. `memory_role` is where memory stands in a
    chat. `preset` may be one of seed 002's slices. For an `operator` what must not be told here is named as left out.
    `as_of` hands out what was believed then, from what had been said by then.
    """

    guild: Guild
    channel: Channel | None
    members: Sequence[Member]
    mentioned: Sequence[Member] = ()
    text: str
    max_tokens: int = DEFAULT_TOKENS
    format: Format = "xml"
    base: str = ""
    transcript: Sequence[Item] | None = None
    memory_role: Role = "system"
    preset: Preset = "default"
    operator: bool = False
    as_of: datetime | None = None
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part as it went in: what it takes, how many of its items did not fit, and those that did.

    `minimum` and `cap` are what it has for certain and at most, in tokens.
    """

    name: str
    priority: str
    tokens: int
    minimum: int
    cap: int
    dropped: int
    items: list[Item]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The text (and for a chat its messages), never more than the turn's tokens, and what it is made of.

    `notice` says that something was cut; it is empty when nothing was.
    """

    text: str
    tokens: int
    parts: list[Part]
    sources: list[Source]
    left_out: list[LeftOut] = field(default_factory=list)
    notice: str = ""
    messages: list[dict[str, str]] | None = None


def build(turn: Turn) -> Context:
    """Return the context of a turn: read only, no model asked but one embedding of the text."""
    offered = _offered(turn)
    shows_hidden = turn.operator and turn.as_of is None
    hidden = withheld(turn.guild, channel=turn.channel, present=turn.members, text=turn.text) if shows_hidden else []
    frame = Told(
        parts={}, base=turn.base.strip(), text=turn.text.strip(), outside=turn.memory_role == "user",
        person=offered.person,
    )  # fmt: skip
    found = replace(offered, left_out=[*offered.left_out, *hidden])
    return assemble(found, max_tokens=turn.max_tokens, form=turn.format, frame=frame)


def _offered(turn: Turn) -> Offered:
    preset = "seed002" if turn.format == "user_memory" and turn.preset == "default" else turn.preset
    if preset != "default":
        return established_facts.offered(
            turn.guild, channel=turn.channel, members=turn.members, preset=preset, as_of=turn.as_of
        )
    return gather(
        turn.guild, channel=turn.channel, present=turn.members, mentioned=turn.mentioned, text=turn.text, now=turn.now,
        as_of=turn.as_of, max_tokens=turn.max_tokens,
        transcript=None if turn.transcript is None else turn.transcript[::-1],
    )  # fmt: skip


def assemble(offered: Offered, *, max_tokens: int, form: Format, frame: Told | None = None) -> Context:
    """Return what fits of the items offered, in one text; base and text of the frame come before all of them."""
    most = max(0, max_tokens)
    asked = frame or Told(parts={}, person=offered.person)
    held = fitting.fitted(asked, form=form, max_tokens=most)
    parts = {name: [_counted(name, item, form) for item in items] for name, items in offered.parts.items() if items}
    kept, written = _fit(parts, held, most, form)
    if unsaid := _unsaid(offered.left_out, parts, kept):
        for each in unsaid:
            parts[each.part] = _with(parts.get(each.part, []), _counted(each.part, each.item, form))
        parts = {name: parts[name] for name in budget.BY_PART if name in parts}
        kept, written = _fit(parts, held, most, form)
    missing = list(_missing(parts, kept))
    stayed_out = [*missing, *(each for each in offered.left_out if each not in unsaid)]
    told = [*_framed(held, form), *(_part(name, items, kept[name], most) for name, items in parts.items())]
    return Context(
        text=written.text, tokens=written.tokens, messages=written.messages, parts=told, sources=_sources(told),
        left_out=stayed_out, notice=_notice(asked, held, missing, form),
    )  # fmt: skip


def _unsaid(left_out: Sequence[LeftOut], parts: Parts, kept: dict[str, int]) -> list[LeftOut]:
    """Return what was left to a line that says it and that, as it turned out, does not fit."""
    told = {(item.kind, item.id) for name, items in parts.items() for item in items[: kept[name]]}
    return [each for each in left_out if each.said is not None and (each.said.kind, each.said.id) not in told]


def _with(items: Sequence[Item], item: Item) -> list[Item]:
    """Return the items, best first, with one more in the place that its score gives it."""
    place = next((place for place, other in enumerate(items) if other.score < item.score), len(items))
    return [*items[:place], item, *items[place:]]


def _counted(name: str, item: Item, form: str) -> Item:
    return replace(item, tokens=budget.tokens(fitting.line(name, item, form=form)) + 1)


def _fit(parts: Parts, held: Told, most: int, form: str) -> tuple[dict[str, int], Written]:
    """Return how many items are kept, and the text; where headings add more than expected, items are cut off again.

    What headings and days take less than expected, since some parts keep nothing, is shared out as well.
    """
    costs = {name: [item.tokens for item in items] for name, items in parts.items()}
    room = most - _around(parts, held, form)
    kept = budget.share_out(costs, room=room)
    written = _written(parts, kept, held, form)
    while written.tokens > most and any(kept.values()):
        kept = budget.cut(costs, kept, excess=written.tokens - most)
        written = _written(parts, kept, held, form)
    spare = most - written.tokens
    for _ in range(REFILLS):
        more = budget.share_out(costs, room=room + spare)
        if more == kept:
            break
        fuller = _written(parts, more, held, form)
        if fuller.tokens > most:
            spare //= 2
        else:
            kept, written, room, spare = more, fuller, room + spare, most - fuller.tokens
    return kept, written


def _around(parts: Parts, held: Told, form: str) -> int:
    """Return the tokens that are no items', when every part says something."""
    one_each = dict.fromkeys(parts, 1)
    return max(0, _written(parts, one_each, held, form).tokens - sum(items[0].tokens for items in parts.values()))


def _written(parts: Parts, kept: dict[str, int], held: Told, form: str) -> Written:
    told = {name: _in_order(name, items[: kept[name]]) for name, items in parts.items()}
    cut = any(kept[name] < len(items) for name, items in parts.items())
    return fitting.write(replace(held, parts=told, cut=cut), form=form)


def _in_order(name: str, items: list[Item]) -> list[Item]:
    """Return the items as they are told; what was said is told oldest first, however it was chosen."""
    if name == "messages":
        return sorted(items, key=lambda item: str(item.at))
    return items[::-1] if name == "transcript" else items


def _part(name: str, items: list[Item], kept: int, most: int) -> Part:
    share = budget.BY_PART[name]
    return Part(
        name=name, priority=share.priority, tokens=sum(item.tokens for item in items[:kept]), cap=share.cap,
        minimum=min(share.cap, int(share.minimum * most)), dropped=len(items) - kept,
        items=_in_order(name, items[:kept]),
    )  # fmt: skip


def _framed(held: Told, form: str) -> Iterator[Part]:
    """Yield what the caller brought as parts that nothing else pushes out."""
    for name, text in (("base", held.base), ("text", held.text)):
        if text:
            cost = budget.tokens(text)
            item = Item(text=text, kind=name, tokens=cost)
            yield Part(name=name, priority=CRITICAL, tokens=cost, minimum=cost, cap=cost, dropped=0, items=[item])


def _missing(parts: Parts, kept: dict[str, int]) -> Iterator[LeftOut]:
    """Yield what did not fit: into its part in any case, or into this budget."""
    for name, items in parts.items():
        allowed = budget.fitting([item.tokens for item in items], budget.BY_PART[name].cap)
        for place, item in enumerate(items[kept[name] :], kept[name]):
            why = Why.BUDGET if place < allowed else Why.CAP
            yield LeftOut(part=name, item=item, why=why, because=BECAUSE[why])


BECAUSE = {
    Why.BUDGET: "The budget had no room for it; what matters more went in.",
    Why.CAP: "Its part is full: no part may take more than its cap.",
}


def _notice(asked: Told, held: Told, missing: Sequence[LeftOut], form: str) -> str:
    said = [f"{name} was cut" for name, before, after in _texts(asked, held, form) if before != after]
    counts = {name: sum(each.part == name for each in missing) for name in dict.fromkeys(each.part for each in missing)}
    said += [f"{count} of {name}" for name, count in counts.items()]
    return f"Did not fit: {', '.join(said)}." if said else ""


def _texts(asked: Told, held: Told, form: str) -> Iterator[tuple[str, str, str]]:
    yield "base", asked.base, held.base
    if form == fitting.CHAT:
        yield "text", asked.text, held.text


def _sources(parts: Iterable[Part]) -> list[Source]:
    """Return every message and note that the context rests on, each once."""
    found = {(each.message_id, each.note_id): each for part in parts for item in part.items for each in item.sources}
    return list(found.values())
