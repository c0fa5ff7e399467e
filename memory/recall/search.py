"""Answers a question with ranked memories, each with its sources, from what may be told in a channel. Reads only."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from memory.index.view import View
from memory.recall import ranking, sql
from memory.recall.common_scale import Scale, for_reading
from memory.recall.deduplication import told_once, without_repeats
from memory.recall.memory_kinds import MEMORY_KINDS, NO_HIT
from memory.recall.newer_first import asks_of_the_past, newer_first
from memory.recall.ranking import Candidate, Criteria, Ranked
from memory.recall.results import Memory, Source
from memory.recall.retrieval import KINDS, Asked, Hit, Query, embedded_query, retrieve_all
from memoryhub import db
from memoryhub.community.days import day_of, local
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.db.guild_scope import in_its_guild

DEFAULT_LIMIT, MOST = 10, 24

SPARE = 4  # notes that may turn out to be told by better ones: a topic and the talks that it joins

# Where the index can't tell whose its rows are, look further, since some will be another's.
FURTHER = 4

# Facts of the past are in no index; this many of the newest are compared word by word.
PAST_FACTS = 200

Result = tuple[Any, Ranked]
"""A row (FactRow, NoteRow or MessageRow) and how it ranks."""


@db.on_replica
@in_its_guild
def recall(
    guild: Guild, *, question: str, now: datetime, channel: Channel | None = None, member: Member | None = None,
    limit: int = DEFAULT_LIMIT, kinds: Collection[str] = KINDS, strict: bool = False, as_of: datetime | None = None,
    preset: str = ranking.DEFAULT, only: Collection[int] | None = None, scale: Scale = for_reading,
) -> list[Memory]:  # fmt: skip
    """Return up to `limit` (1 to 24) memories, best first; an empty question finds nothing.

    Told are memories open to the whole guild, of `channel`, and of its parent. `member` asks about one member only.
    With `strict` nothing is returned that fails the relevance gate; without it the nearest come back in any case.
    `as_of` answers with what was true then; `preset` names one of the rankings, of which the default has a `scale` for
    its kinds; `only` takes a kind's row ids, for who asks for one kind.
    """
    if not guild.memory_on or not question.strip():
        return []
    limit = min(MOST, max(1, limit))
    view = View(guild=guild, channel=channel, members=None if member is None else [member], as_of=as_of, only=only)
    weighed = set(kinds)
    if preset == ranking.DEFAULT:  # notes speak for what was said in their talks, and messages for notes
        weighed |= {"message"} if "note" in kinds else {"note"}
    search = Search(query=embedded_query(question, weighed), view=view, now=now, preset=preset)
    search.look_for(*(search.asked(kind) for kind in KINDS if kind in weighed))
    results: list[Result] = []
    for kind in KINDS[::-1]:  # messages first: notes are ranked by them
        if kind in kinds:
            results += _scaled(search, kind, limit, strict=strict, scale=scale)
    best = sorted(results, key=lambda result: -result[1].score)
    if preset == ranking.DEFAULT:
        best = newer_first(best, question=question, today=day_of(guild, now))
    best = best[: limit + SPARE]
    if select := ranking.PRESETS[preset].select:
        best = best[:limit]
        selected = set(select([ranked.candidate for _, ranked in best]))
        best = [result for result in best if result[1].candidate in selected]
    return told_once(as_memories(best))[:limit]


def _scaled(search: Search, kind: str, limit: int, *, strict: bool, scale: Scale) -> list[Result]:
    """Return the best of a kind with scores that compare with those of the other kinds."""
    most = {"fact": MOST, "note": limit + SPARE}.get(kind, limit)  # what a fact is ahead of counts, too
    found = search.best(kind, most, strict=strict and kind != "fact")
    ranks = [ranked for _, ranked in found]
    scores = scale(kind, ranks) if search.preset == ranking.DEFAULT else [ranked.score for ranked in ranks]
    return [
        (row, ranked._replace(score=round(score, 6)))
        for (row, ranked), score in zip(found, scores, strict=True)
        if ranked.gate or not strict
    ]


@dataclass(frozen=True, kw_only=True)
class Search:
    """One question, asked once from one view, of one kind of memory after the other."""

    query: Query
    view: View
    now: datetime
    preset: str = ranking.DEFAULT
    hits: dict[tuple[str, Sequence[int] | None, int], dict[int, Hit]] = field(default_factory=dict)
    talks: dict[int, float] = field(default_factory=dict)
    """By note the score of the best message of its talk, once messages were ranked."""

    def asked(self, kind: str, members: Sequence[Member] | None = None, *, further: int = 1) -> Asked:
        """Return what the indexes are asked for a kind, of these members if any are given."""
        view = self.view if members is None else replace(self.view, members=members)
        by_member = MEMORY_KINDS[kind].by_member
        all_wanted = view.only is None and (by_member or view.members is None)
        return Asked(kind, view.scope(by_member=by_member), further if all_wanted else FURTHER)

    def look_for(self, *asked: Asked) -> None:
        """Ask the indexes for several kinds and members at once, which is quicker than one after the other."""
        self.hits.update(zip(map(_key, asked), retrieve_all(self.query, asked), strict=True))

    def best(
        self, kind: str, limit: int, *, strict: bool = False, members: Sequence[Member] | None = None
    ) -> list[Result]:
        """Return the best rows of a kind with their ranks; none says what a better one has said already.

        With `strict` only those that pass the relevance gate; with `members` only what is about them, or theirs.
        """
        results = self._rank(kind, self.view if members is None else replace(self.view, members=members))
        return _distinct(results, self._judged(results, strict=strict), limit)

    def sift(self, kind: str, limit: int) -> tuple[list[Result], list[Result]]:
        """Return the best rows that pass the relevance gate, and the best of those that fail it."""
        results = self._rank(kind, self.view)
        failed: dict[int, Ranked] = {}

        def passing() -> Iterator[Ranked]:
            """Judge only as many as are asked for."""
            for ranked in self._judged(results):
                if ranked.gate:
                    yield ranked
                else:
                    failed[ranked.candidate.id] = ranked

        passed = _distinct(results, passing(), limit)
        return passed, [(row, failed[row.pk]) for row, _ in results if row.pk in failed][:limit]

    def of_each(self, kind: str, limits: Mapping[Member, int]) -> list[Result]:
        """Return the best about each member: looked for one by one, with one embedding, and read together."""
        if not limits:
            return []
        hits: dict[int, Hit] = {}
        for member in limits:
            hits |= self._hits(self.asked(kind, [member]))
        results = self._rank(kind, replace(self.view, members=list(limits)), hits)
        by_member: dict[int, list[Ranked]] = {member.pk: [] for member in limits}
        for ranked in self._judged(results):
            by_member[ranked.candidate.subject].append(ranked)
        return [each for member, limit in limits.items() for each in _distinct(results, by_member[member.pk], limit)]

    def messages(self, limit: int, *, here: int, deeper: float = 1.0) -> list[Result]:
        """Return the best messages of all, and beside them the best of the channel itself, `here` of them; best first.

        The index does not know channels, so it looks further: a busy one elsewhere hides none of this one's. `deeper`
        reads that many times as many of what it finds as any search does.
        """
        channel = self.view.channel
        if channel is None:
            return self.best("message", limit)
        hits = self._hits(self.asked("message", further=int(FURTHER * deeper)))
        results = self._rank("message", self.view, hits, here=here, deeper=deeper)
        ranked = [each for _, each in results]
        own = _distinct(results, (each for each in ranked if each.candidate.channel == channel.pk), here)
        chosen = {row.pk for row, _ in (*_distinct(results, ranked, limit), *own)}
        return [result for result in results if result[0].pk in chosen]

    def with_replies(self, messages: Sequence[Result], *, all_followed: bool = False) -> list[Result]:
        """Return messages, each that asks something followed by what was said next, with the score of the question.

        With `all_followed` what was said next after the others comes too, last.
        """
        asking = [(row, ranked) for row, ranked in messages if ranked.parts.get("asking")]
        followed = messages if all_followed else asking
        replies = sql.next_messages(self.view, [row for row, _ in followed])
        answered = {row.pk for row, _ in asking}
        results: dict[int, Result] = {}
        for row, ranked in messages:
            results.setdefault(row.pk, (row, ranked))
            if row.pk in answered and row.pk in replies:
                results.setdefault(replies[row.pk].pk, _after(ranked, replies[row.pk]))
        for row, ranked in followed:
            if row.pk in replies:
                results.setdefault(replies[row.pk].pk, _after(ranked, replies[row.pk]))
        return list(results.values())

    def _rank(
        self, kind: str, view: View, hits: Mapping[int, Hit] | None = None, *, here: int | None = None,
        deeper: float = 1.0,
    ) -> list[Result]:  # fmt: skip
        """Return rows of a kind with their ranks, best first.

        They are what the indexes found, the newest where that may be too little, and what was believed in the past.
        """
        if hits is None:
            hits = self._hits(self.asked(kind, view.members))
        if kind == "note" and self.preset == ranking.DEFAULT and not self.talks:
            self._rank("message", replace(view, only=None))
        reads = self._read(kind, view, hits, here=here, deeper=deeper)
        rows = {row.pk: row for told in reads for row in told.rows}
        pairs = [pair for told in reads for pair in told.notes]
        candidates = self._candidates(kind, rows, hits, self._support(kind, pairs), reads)
        preset = ranking.PRESETS[self.preset]
        ranked = preset.rank(preset.complete(view, candidates), self._criteria)
        if kind == "message":
            scores = {each.candidate.id: each.score for each in ranked}
            for pk, note in pairs:
                self.talks[note] = max(self.talks.get(note, 0.0), scores[pk])
        return [(rows[each.candidate.id], each) for each in ranked]

    def _read(
        self, kind: str, view: View, hits: Mapping[int, Hit], *, here: int | None, deeper: float
    ) -> list[sql.TellableRows]:
        """Read what the indexes found, and the newest besides where of that too little may be told."""
        by_default, most_new = self.preset == ranking.DEFAULT, MEMORY_KINDS[kind].newest
        newest = 0 if by_default and len(hits) >= MOST else most_new
        outdated = PAST_FACTS if kind == "fact" and view.as_of is not None else 0
        told = sql.told(kind, view, hits, newest=newest, outdated=outdated, here=here, deeper=deeper, beside=by_default)
        if newest or len(told.rows) >= MOST:
            return [told]
        return [told, sql.told(kind, view, newest=most_new, beside=by_default)]

    def _candidates(
        self, kind: str, rows: Mapping[int, Any], hits: Mapping[int, Hit], support: Mapping[int, float],
        reads: Sequence[sql.TellableRows],
    ) -> list[Candidate]:  # fmt: skip
        """Return rows as what is ranked, with what stood before them and whether it holds no longer."""
        before = {pk: f"{row.name}: {row.text}" for told in reads for pk, row in told.before.items()}
        alone = 0.0 if kind == "note" else None
        candidates = [
            MEMORY_KINDS[kind].candidate(row, hits.get(pk, NO_HIT), support.get(pk, alone), before.get(pk, ""))
            for pk, row in rows.items()
        ]
        gone = set[int]().union(*(told.outdated for told in reads))
        if gone and not asks_of_the_past(self.query.text, self._criteria.now.date()):
            candidates = [each._replace(outdated=each.id in gone) for each in candidates]
        return candidates

    def _support(self, kind: str, pairs: Sequence[tuple[int, int]]) -> dict[int, float]:
        """Return by row what speaks for it, given the notes that tell of it.

        For a note the best message of its talk, for a topic that of the talks that it joins; for what was said in a
        talk, the note of it.
        """
        support = dict(self.talks) if kind == "note" else {}
        speaking = self.talks if kind == "note" or not pairs else self._note_scores
        for pk, note in pairs:
            support[pk] = max(support.get(pk, 0.0), speaking.get(note, 0.0))
        return support

    @cached_property
    def _note_scores(self) -> dict[int, float]:
        return {pk: hit.score for pk, hit in self._hits(self.asked("note")).items()}

    def _hits(self, asked: Asked) -> dict[int, Hit]:
        if _key(asked) not in self.hits:
            self.look_for(asked)
        return self.hits[_key(asked)]

    def _judged(self, results: Sequence[Result], *, strict: bool = False) -> Iterator[Ranked]:
        return ranking.judged((ranked for _, ranked in results), criteria=self._criteria, strict=strict)

    @property
    def _criteria(self) -> Criteria:
        return Criteria(
            question=self.query.text, now=local(self.view.guild, self.now), thresholds=self.query.thresholds,
            channel=self.view.channel.pk if self.view.channel else None, strictness=self.view.guild.strictness,
        )  # fmt: skip


def _after(ranked: Ranked, reply: sql.MessageRow) -> Result:
    """Return what was said after a message, with the score of that message."""
    candidate = MEMORY_KINDS["message"].candidate(reply, NO_HIT, 0.0)
    return reply, Ranked(candidate, ranked.score, {"reply": ranked.score}, "")


def _key(asked: Asked) -> tuple[str, Sequence[int] | None, int]:
    """Return what tells one question to the indexes from the others of the same view."""
    kind, scope, further = asked
    return kind, None if scope.subjects is None else tuple(scope.subjects), further


def _distinct(results: Sequence[Result], ranked: Iterable[Ranked], limit: int) -> list[Result]:
    """Return the first `limit` of the ranked ones that repeat no better one, with their rows."""
    rows = {row.pk: row for row, _ in results}
    return [(rows[each.candidate.id], each) for each in without_repeats(ranked, limit=limit)]


def as_memories(results: Sequence[Result]) -> list[Memory]:
    """Return rows as memories with their sources, in the same order, with a query or two for each kind."""
    sources: dict[tuple[str, int], list[Source]] = {}
    for kind, memory_kind in MEMORY_KINDS.items():
        if rows := [row for row, ranked in results if ranked.candidate.kind == kind]:
            sources |= {(kind, pk): cited for pk, cited in memory_kind.sources(rows).items()}
    return [
        Memory(
            kind=ranked.candidate.kind, id=getattr(row, "platform_id", row.pk), text=ranked.candidate.text,
            score=ranked.score, created_at=ranked.candidate.said_at, gate=ranked.gate or "", scores=ranked.parts,
            member=getattr(row, "name", None), member_id=getattr(row, "member_id", None),
            sources=sources.get((ranked.candidate.kind, row.pk), []),
        )
        for row, ranked in results
    ]  # fmt: skip
