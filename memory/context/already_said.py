"""Keeps a context from saying a thing twice: facts that a profile line or a newer fact says, the words just said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from memory.context.items import Item, LeftOut, Why
from memory.context.turn import Turn
from memory.facts.normalization import normalize
from memory.index.view import View
from memory.recall.deduplication import says, says_the_same
from memory.recall.retrieval import Query
from memoryhub import db
from memoryhub.language.clip import one_line
from memoryhub.language.same_statement import Meaning, meaning
from memoryhub.search import vectors

_BETWEEN = re.compile(r"[.;!?]\s+")
Split = tuple[list[Item], list[LeftOut]]
"""What stays, and what is left out."""
JUST_SAID = 3  # of the newest messages one may be the very text that is to be answered
# Written out, since every context asks it.
IN_THESE_WORDS = f"""SELECT row.id, who.platform_id, row.normalized FROM community_member AS who
    {db.in_order()} memory_fact AS row ON coalesce(row.subject_id, 0) = who.id AND row.guild_id = who.guild_id
    WHERE who.guild_id = %s AND {db.among("who.platform_id", kind="text")} AND row.status = 'active'
        AND {db.among("coalesce(row.audience_id, 0)")} AND {db.among("row.normalized", kind="text")}
    ORDER BY row.said_at DESC, row.id DESC"""  # noqa: S608  every value is a parameter


def without_repeated_facts(facts: Sequence[Item], lines: Sequence[Item], *, turn: Turn, query: Query) -> Split:
    """Return the facts worth a line, in their order: no profile line says them, and no newer fact that is told too."""
    clauses = _clauses(lines)  # first, since a short summary is shown first
    likeness = Likeness(turn, [*facts, *lines], query)
    kept, left_out = [], []
    for fact in facts:
        by = [line for line in (*clauses, *lines) if line.member == fact.member and likeness.says(line, fact)]
        if by:
            left_out.append(_repeated("facts", fact, by, "The profile"))
        else:
            kept.append(fact)
    newer_of: dict[int | str | None, Item] = {}
    for place, one in enumerate(kept):
        for other in kept[place + 1 :]:
            if one.member == other.member and likeness.same(one, other):
                older, newer = sorted((one, other), key=lambda item: (str(item.at), item.score))
                newer_of[older.id] = newer
    left_out += [_repeated("facts", fact, [newer_of[fact.id]], "A newer fact") for fact in kept if fact.id in newer_of]
    return [fact for fact in kept if fact.id not in newer_of], left_out


def without_summarized(lines: Sequence[Item]) -> Split:
    """Return the lines of profiles without those that the member's short summary says, or the other way round.

    A line that the question is about stays, for its source; a summary that says no more than such lines goes.
    """
    asked = [line for line in lines if line.kind == "entry" and line.score]
    summaries = [line for line in lines if line.kind == "member"]
    said_by = {line.member: _lines_saying(line, asked) for line in summaries}
    clauses = _clauses(line for line in summaries if not said_by[line.member])
    kept, left_out = [], []
    for line in lines:
        if line.kind == "member":
            by, what = said_by[line.member], "A line of the profile"
        else:
            own = (clause for clause in clauses if clause.member == line.member and not line.score)
            by, what = [each for each in own if says(meaning(each.text), meaning(line.text))], "The summary"
        if by:
            left_out.append(_repeated("profiles", line, by, what))
        else:
            kept.append(line)
    return kept, left_out


def _lines_saying(summary: Item, lines: Sequence[Item]) -> list[Item]:
    """Return the lines about its member that together say all of a summary; none if they don't."""
    found = []
    for clause in _clauses([summary]):
        own = (line for line in lines if line.member == summary.member)
        saying = [line for line in own if says(meaning(line.text), meaning(clause.text))]
        if not saying:
            return []
        found += saying
    return found


def _clauses(lines: Iterable[Item]) -> list[Item]:
    """Return what the short summaries among the lines say, one by one, without the name that each begins with."""
    return [
        replace(line, text=re.sub(rf"^{re.escape(line.about)}(?:['’]s)?\s+", "", clause))
        for line in lines
        if line.kind == "member"
        for clause in _BETWEEN.split(line.text)
        if clause
    ]


def _repeated(part: str, item: Item, by: Sequence[Item], what: str) -> LeftOut:
    because = f"{what} says it: {by[0].text}"
    return LeftOut(part=part, item=item, why=Why.REPEATED, because=because, repeats=tuple(by))


class Likeness:
    """Whether two items say the same: by their words, or by the embeddings that are held of facts.

    No embedding is made: a profile line has that of the believed fact about the same member in the same words.
    """

    def __init__(self, turn: Turn, items: Sequence[Item], query: Query) -> None:
        self._limit = query.thresholds.duplicate if query.thresholds else None
        self._facts: dict[tuple[str, str], int] = {}
        self._embeddings: Mapping[int, vectors.Vector] = {}
        self._meanings: dict[str, Meaning] = {}
        ids = {item.id for item in items if item.kind == "fact" and isinstance(item.id, int)}
        if self._limit is None or not any(item.kind == "fact" for item in items):
            return
        if lines := [item for item in items if item.kind == "entry"]:
            words, members = {normalize(line.text) for line in lines}, {line.member for line in lines}
            heard = db.id_list(View(guild=turn.guild, channel=turn.channel).audiences)
            rows = db.select(IN_THESE_WORDS, [turn.guild.pk, db.text_list(members), heard, db.text_list(words)])
            self._facts = {(member, normalized): pk for pk, member, normalized in rows}
        self._embeddings = vectors.get(
            kind="fact", model=query.model, ids={*self._facts.values(), *ids}, guild=turn.guild.pk
        )

    def says(self, line: Item, fact: Item) -> bool:
        """Say whether the line says what the fact does, and hardly more."""
        return says(self._meaning(line), self._meaning(fact)) or self._near(line, fact)

    def same(self, one: Item, other: Item) -> bool:
        """Say whether two facts say the same."""
        return says_the_same(self._meaning(one), self._meaning(other)) or self._near(one, other)

    def _meaning(self, item: Item) -> Meaning:
        if item.text not in self._meanings:
            self._meanings[item.text] = meaning(item.text)
        return self._meanings[item.text]

    def _near(self, one: Item, other: Item) -> bool:
        here, there = self._embedding(one), self._embedding(other)
        if self._limit is None or here is None or there is None:
            return False
        return float(here @ there) >= self._limit

    def _embedding(self, item: Item) -> vectors.Vector | None:
        pk = item.id if item.kind == "fact" else self._facts.get((item.member, normalize(item.text)))
        return self._embeddings.get(pk) if isinstance(pk, int) else None


def without_answered(newest_first: Sequence[Item], *, turn: Turn) -> Split:
    """Leave out the message that is being answered, which the bot has in hand, where it is stored already.

    A line of the transcript may hold only the beginning of a long message.
    """
    author = turn.members[0].platform_id if turn.members else ""
    words = one_line(turn.text)
    for item in newest_first[:JUST_SAID] if words else ():
        line = one_line(item.text)
        clipped = line.endswith("…") and len(line) > 1 and words.startswith(line[:-1])
        if item.member == author and (words == line or clipped):
            because = "It is the message that is being answered."
            rest = [other for other in newest_first if other is not item]
            return rest, [LeftOut(part="transcript", item=item, why=Why.REPEATED, because=because)]
    return list(newest_first), []
