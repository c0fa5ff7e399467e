"""Answers a question with ranked memories, each with its sources, from what may be told in a channel. Reads only."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from django.conf import settings

from memory.compatibility import confidence_ranking
from memory.index.view import View
from memory.recall import ranking, sql
from memory.recall.deduplication import without_repeats
from memory.recall.memory_kinds import NOTHING, SHELVES
from memory.recall.ranking import Asked, Ranked, judged, scored
from memory.recall.results import Memory, Source
from memory.recall.retrieval import READ, Probe, Signal, find, probe
from memoryhub.community.models import Channel, Guild, Member

__all__ = ["KINDS", "Inquiry", "Memory", "Source", "recall", "tell"]

KINDS = ("fact", "note", "message")
DEFAULT_LIMIT, MOST = 10, 24  # seed 000

# What a point of score is worth, kind by kind, so that equal scores are about equally often right (measured).
WORTH = {"fact": 0.64, "note": 1.0, "message": 0.62}

# Where the index can't tell whose its rows are, look further, since some will be another's.
FURTHER = 4

# Facts of the past are in no index; this many of the newest are compared word by word.
PAST_FACTS = 200

Found = tuple[Any, Ranked]


def recall(
    guild: Guild, *, question: str, now: datetime, channel: Channel | None = None, member: Member | None = None,
    limit: int = DEFAULT_LIMIT, kinds: Collection[str] = KINDS, strict: bool = False, as_of: datetime | None = None,
    preset: str = ranking.DEFAULT,
) -> list[Memory]:  # fmt: skip
    """Return up to `limit` (1 to 24) memories, best first; an empty question finds nothing.

    Told are memories open to the whole guild, of `channel`, and of its parent. `member` asks about one member only.
    With `strict` nothing is returned that fails the relevance gate (000); without it the nearest come back in any case.
    `as_of` answers with what was true then; `preset` names one of the rankings.
    """
    if not guild.memory_on or not question.strip():
        return []
    limit = min(MOST, max(1, limit))
    view = View(guild=guild, channel=channel, members=None if member is None else [member], as_of=as_of)
    inquiry = Inquiry(probe=probe(question), view=view, now=now, preset=preset)
    worth = WORTH if preset == ranking.DEFAULT else dict.fromkeys(KINDS, 1.0)
    found = [
        _times(worth[kind], each)
        for kind in KINDS
        if kind in kinds
        for each in inquiry.best(kind, limit, strict=strict)
    ]
    best = sorted(found, key=lambda each: -each[1].score)[:limit]
    return tell(_within_characters(best) if preset == ranking.SEED002 else best)


def _within_characters(found: Sequence[Found]) -> list[Found]:
    kept = set(confidence_ranking.selected([each.candidate for _, each in found], line=lambda each: each.text))
    return [each for each in found if each[1].candidate in kept]


@dataclass(frozen=True, kw_only=True)
class Inquiry:
    """One question, asked once from one view, of one kind of memory after the other."""

    probe: Probe
    view: View
    now: datetime
    preset: str = ranking.DEFAULT

    def best(
        self, kind: str, limit: int, *, strict: bool = False, members: Sequence[Member] | None = None
    ) -> list[Found]:
        """Return the best rows of a kind with their ranks; none says what a better one has said already.

        With `strict` only those that pass the relevance gate; with `members` only what is about them, or theirs.
        """
        view = self.view if members is None else replace(self.view, members=members)
        found = self._ranked(kind, view, self._signals(kind, view))
        return self._unrepeated(found, self._judged(found, strict=strict), limit)

    def messages(self, limit: int, *, here: int) -> list[Found]:
        """Return the best messages of all, and beside them the best of the channel itself, `here` of them; best first.

        The index does not know channels, so it looks further: a busy one elsewhere hides none of this one's.
        """
        channel = self.view.channel
        if channel is None:
            return self.best("message", limit)
        far = find(self.probe, kind="message", scope=self.view.scope(by_member=True), further=FURTHER)
        near = {*list(far)[: READ["message"]], *sql.said_in(channel, far)[:here]}
        found = self._ranked("message", self.view, {each: far[each] for each in near})
        ranked = list(self._judged(found, strict=False))
        own = self._unrepeated(found, (each for each in ranked if each.candidate.channel == channel.pk), here)
        best = self._unrepeated(found, ranked, limit)
        chosen = {row.pk for row, _ in (*best, *own)}
        return [each for each in found if each[0].pk in chosen]

    def sift(self, kind: str, limit: int) -> tuple[list[Found], list[Found]]:
        """Return the best rows that pass the relevance gate, and the best of those that fail it."""
        found = self._ranked(kind, self.view, self._signals(kind, self.view))
        failed: dict[int, Ranked] = {}
        passed = self._unrepeated(found, self._passing(found, failed), limit)
        return passed, [(row, failed[row.pk]) for row, _ in found if row.pk in failed][:limit]

    def _passing(self, found: Sequence[Found], failed: dict[int, Ranked]) -> Iterator[Ranked]:
        """Yield what passes the gate, as long as more is asked for, and put aside what fails it."""
        for each in self._judged(found, strict=False):
            if each.gate:
                yield each
            else:
                failed[each.candidate.id] = each

    def of_each(self, kind: str, limits: Mapping[Member, int]) -> list[Found]:
        """Return the best about each member: looked for one by one, with one embedding, and read together (004)."""
        if not limits:
            return []
        views = {member.pk: replace(self.view, members=[member]) for member in limits}
        signals = {pk: signal for view in views.values() for pk, signal in self._signals(kind, view).items()}
        found = self._ranked(kind, replace(self.view, members=list(limits)), signals)
        theirs: dict[int, list[Ranked]] = {pk: [] for pk in views}
        for each in self._judged(found, strict=False):
            theirs[each.candidate.subject].append(each)
        return [each for member, most in limits.items() for each in self._unrepeated(found, theirs[member.pk], most)]

    def with_replies(self, messages: Sequence[Found]) -> list[Found]:
        """Return messages, each that asks something followed by what was said next, with the score of the question."""
        asking = [row.pk for row, ranked in messages if ranked.parts.get("asking")]
        replies = sql.next_said(self.view, asking)
        found: dict[int, Found] = {}
        for row, ranked in messages:
            for each in [(row, ranked), *_reply(replies.get(row.pk), ranked)]:
                found.setdefault(each[0].pk, each)
        return list(found.values())

    def _judged(self, found: Sequence[Found], *, strict: bool) -> Iterator[Ranked]:
        return judged((each for _, each in found), asked=self._asked, strict=strict)

    def _unrepeated(self, found: Sequence[Found], ranked: Iterable[Ranked], limit: int) -> list[Found]:
        known = {row.pk: row for row, _ in found}
        return [(known[each.candidate.id], each) for each in without_repeats(ranked, limit=limit)]

    @cached_property
    def _notes(self) -> dict[int, Signal]:
        return self._searched("note", self.view)

    def _ranked(self, kind: str, view: View, signals: Mapping[int, Signal]) -> list[Found]:
        shelf, known = SHELVES[kind], {row.pk: row for row in self._rows(signals, kind, view)}
        support = self._support(kind, known)
        found = [shelf.candidate(row, signals.get(pk, NOTHING), support.get(pk, 0.0)) for pk, row in known.items()]
        return [(known[each.candidate.id], each) for each in scored(found, asked=self._asked, preset=self.preset)]

    def _support(self, kind: str, known: Collection[int]) -> dict[int, float]:
        """Return the scores of the notes that tell of the rows: a conversation about the question holds its answer."""
        told = SHELVES[kind].told
        if told is None or self.preset != ranking.DEFAULT or not known:
            return {}
        support: dict[int, float] = {}
        for pk, note in told(known):
            if note in self._notes:
                support[pk] = max(support.get(pk, 0.0), self._notes[note].promise)
        return support

    @property
    def _asked(self) -> Asked:
        channel = self.view.channel
        return Asked(
            question=self.probe.question, now=self.now, channel=channel.pk if channel else None,
            thresholds=self.probe.thresholds,
            strictness=self.view.guild.strictness,
            weights=settings.MEMORYHUB_SEED000_WEIGHTS, word_weights=settings.MEMORYHUB_SEED000_WORD_WEIGHTS,
        )  # fmt: skip

    def _signals(self, kind: str, view: View) -> dict[int, Signal]:
        return self._notes if kind == "note" and view is self.view else self._searched(kind, view)

    def _searched(self, kind: str, view: View) -> dict[int, Signal]:
        by_member = SHELVES[kind].by_member
        further = 1 if by_member or view.members is None else FURTHER
        return find(self.probe, kind=kind, scope=view.scope(by_member=by_member), further=further)

    def _rows(self, signals: Collection[int], kind: str, view: View) -> list[Any]:
        """Read what the lanes found, the newest where that may be too little, and what was believed in the past."""
        found = sql.known(kind, view, signals)
        if self.preset != ranking.DEFAULT or len(found) < MOST:
            found += sql.newest(kind, view, SHELVES[kind].newest)
        if kind == "fact" and view.as_of is not None:
            found += sql.outdated(view, PAST_FACTS)
        return found


def _reply(row: Any | None, asked: Ranked) -> list[Found]:
    if row is None:
        return []
    candidate = SHELVES["message"].candidate(row, NOTHING, 0.0)
    return [(row, Ranked(candidate, asked.score, {"reply": asked.score}, ""))]


def _times(factor: float, found: Found) -> Found:
    row, ranked = found
    return row, ranked._replace(score=round(ranked.score * factor, 6))


def tell(found: Sequence[Found]) -> list[Memory]:
    """Return rows as memories with their sources, in the same order, with a query or two for each kind."""
    told: dict[tuple[str, int], Memory] = {}
    for kind, shelf in SHELVES.items():
        ours = [each for each in found if each[1].candidate.kind == kind]
        if ours:
            told |= {(kind, row.pk): memory for (row, _), memory in zip(ours, shelf.memories(ours), strict=True)}
    return [told[ranked.candidate.kind, row.pk] for row, ranked in found]
