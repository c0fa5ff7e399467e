"""Keeps a context from saying a thing twice: facts that a profile line or a newer fact says, the words just said."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from memory.context.items import Item, LeftOut, Why
from memory.facts.normalization import normalize
from memory.models import Fact
from memory.recall.deduplication import says, says_the_same
from memory.recall.retrieval import Probe
from memoryhub.community.models import Channel, Guild
from memoryhub.language.clip import one_line
from memoryhub.language.same_statement import Meaning, meaning
from memoryhub.search import vectors

_BETWEEN = re.compile(r"[.;!?]\s+")
Split = tuple[list[Item], list[LeftOut]]
JUST_SAID = 3  # of the newest messages one may be the very text that is to be answered


def facts(
    offered: Sequence[Item], lines: Sequence[Item], *, guild: Guild, channel: Channel | None, asked: Probe
) -> Split:
    """Return the facts worth a line, in their order: no profile line says them, and no newer fact that is told too."""
    near = Nearness(guild, channel, [*offered, *lines], asked)
    kept, left_out = _unsaid(offered, [*lines, *_clauses(lines)], near)
    older = {fact.id: newer for fact, newer in near.pairs(kept)}
    left_out += [_repeated(item, older[item.id], "A newer fact") for item in kept if item.id in older]
    return [item for item in kept if item.id not in older], left_out


def _clauses(lines: Sequence[Item]) -> list[Item]:
    """Return what the short summaries say, one by one."""
    return [
        replace(line, text=clause)
        for line in lines
        if line.kind == "member"
        for clause in _BETWEEN.split(line.text)
        if clause
    ]


def _unsaid(offered: Sequence[Item], lines: Sequence[Item], near: Nearness) -> Split:
    kept, left_out = [], []
    for item in offered:
        said = next((line for line in lines if line.member == item.member and near.says(line, item)), None)
        if said is None:
            kept.append(item)
        else:
            left_out.append(_repeated(item, said, "The profile"))
    return kept, left_out


def _repeated(item: Item, said: Item, what: str) -> LeftOut:
    return LeftOut(part="facts", item=item, why=Why.REPEATED, because=f"{what} says it: {said.text}", said=said)


class Nearness:
    """Whether two items say the same: by their words, or by the embeddings that are held of facts.

    No embedding is made: a profile line has that of the fact whose words it is.
    """

    def __init__(self, guild: Guild, channel: Channel | None, items: Sequence[Item], asked: Probe) -> None:
        self._asked = asked
        self._facts: Mapping[tuple[str, str], int] = {}
        self._held: Mapping[int, vectors.Vector] = {}
        self._meanings: dict[str, Meaning] = {}
        if asked.thresholds is not None and any(item.kind == "fact" for item in items):
            self._facts = _worded(guild, channel, [item for item in items if item.kind == "entry"])
            ids = {
                *self._facts.values(),
                *(item.id for item in items if isinstance(item.id, int) and item.kind == "fact"),
            }
            self._held = vectors.get(kind="fact", model=asked.model, ids=ids)

    def says(self, line: Item, fact: Item) -> bool:
        """Say whether the line says what the fact does, and hardly more."""
        return says(self._meaning(line), self._meaning(fact)) or self._near(line, fact)

    def pairs(self, items: Sequence[Item]) -> list[tuple[Item, Item]]:
        """Return every fact that a newer one says, with that newer one; both about the same member."""
        found = []
        for place, one in enumerate(items):
            for other in items[place + 1 :]:
                if one.member == other.member and self._same(one, other):
                    older, newer = sorted((one, other), key=lambda item: (str(item.at), item.score))
                    found.append((older, newer))
        return found

    def _same(self, one: Item, other: Item) -> bool:
        return says_the_same(self._meaning(one), self._meaning(other)) or self._near(one, other)

    def _meaning(self, item: Item) -> Meaning:
        if item.text not in self._meanings:
            self._meanings[item.text] = meaning(item.text)
        return self._meanings[item.text]

    def _near(self, one: Item, other: Item) -> bool:
        here, there = self._vector(one), self._vector(other)
        limit = self._asked.thresholds
        return limit is not None and here is not None and there is not None and float(here @ there) >= limit.duplicate

    def _vector(self, item: Item) -> vectors.Vector | None:
        number = item.id if item.kind == "fact" else self._facts.get((item.member, normalize(item.text)))
        return self._held.get(number) if isinstance(number, int) else None


def _worded(guild: Guild, channel: Channel | None, lines: Sequence[Item]) -> dict[tuple[str, str], int]:
    """Return the believed facts that have the words of these lines, by member and words."""
    if not lines:
        return {}
    words, members = {normalize(line.text) for line in lines}, {line.member for line in lines}
    known = Fact.objects.of(guild).active().heard_in(channel)
    rows = known.filter(subject__platform_id__in=members, normalized__in=words)
    return {(member, said): pk for pk, member, said in rows.values_list("pk", "subject__platform_id", "normalized")}


def transcript(newest_first: Sequence[Item], *, author: str, text: str) -> Split:
    """Leave out the message that is being answered, which the bot has in hand, where it is stored already."""
    words = one_line(text)
    for item in newest_first[:JUST_SAID] if words else ():
        if item.member == author and _is(words, one_line(item.text)):
            because = "It is the message that is being answered."
            rest = [each for each in newest_first if each is not item]
            return rest, [LeftOut(part="transcript", item=item, why=Why.REPEATED, because=because)]
    return list(newest_first), []


def _is(words: str, told: str) -> bool:
    """Say whether a line tells these words, or as many of them as a line may have."""
    return words == told or (told.endswith("…") and len(told) > 1 and words.startswith(told[:-1]))
