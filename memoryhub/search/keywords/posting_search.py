"""Ranks texts of a scope by BM25 on PostgreSQL, by the same formula as FTS5, with what is counted in the guild."""

from __future__ import annotations

# ruff: noqa: S608  (the tables' names are constants of the house; every value is a parameter)
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass

from django.db import connection

from memoryhub import db
from memoryhub.search.kept_plans import LIST, WEIGHTS
from memoryhub.search.keywords import bm25, terms
from memoryhub.search.keywords.bm25 import IN_TEXT, K1, B, Text
from memoryhub.search.keywords.kept_counts import KeptCounts
from memoryhub.search.keywords.keyword_types import Asked, Counted, known, table_of
from memoryhub.search.scope import Match, Scope

kept_counts = KeptCounts[tuple[float, int]]()
LOTS = 2**32  # as many as there are lots, of which the first is minus half of it


def postings_of(kind: str) -> str:
    """Return the name of the table of a kind's terms; ValueError for one that is not indexed."""
    return f"memoryhub_postings_v1_{known(kind)}"


@dataclass(frozen=True, slots=True)
class Counts(bm25.Counts):
    """What is counted in a guild: small numbers are exact, large ones within a few percent.

    `inside` counts only those that may be told.
    """

    inside: dict[int, int]


def search(
    *, kind: str, query: str, scope: Scope, limit: int, counted: Counted | None = None
) -> list[Match]:  # fmt: skip
    """Return the `limit` rows of the scope that share the most telling words with the query, best first."""
    table_of(kind)
    words = terms.sought(query)
    if not words or not scope.audiences or (scope.subjects is not None and not scope.subjects):
        return []
    many = len(words) > terms.MOST_WORDS
    asked = [terms.term(word) for word in (terms.longest(words) if many else words)]
    counts = _counts(kind, asked, scope, counted or Counted())
    if not counts.texts:
        return []
    asked = counts.telling(asked)
    if scope.subjects is not None and (texts := _few(kind, asked, scope)) is not None:
        if len(asked) > terms.MOST_WORDS:
            asked = bm25.rarest(asked, bm25.counted_in(texts.values()))
        return counts.best(asked, texts, limit)
    if len(asked) > terms.MOST_WORDS:
        asked = bm25.rarest(asked, counts.inside)
    return _best_of_guild(kind, asked, counts, scope, limit) if asked else []


def search_all(asked: Sequence[Asked], *, counted: Counted | None = None) -> list[list[Match]]:
    """Return what `search` finds for each of those asked."""
    return [search(**each._asdict(), counted=counted) for each in asked]


def _counts(kind: str, asked: Sequence[int], scope: Scope, counted: Counted) -> Counts:
    """Count in the guild, each up to some number: the lots of those that were counted tell how many there are."""
    place = (connection.settings_dict["NAME"], scope.guild, tuple(sorted(scope.audiences)))
    if (kind, place) not in counted.counts:
        kinds = [each for each in sorted({kind, *counted.kinds}) if (each, place) not in counted.counts]
        counted.counts.update(_count(kinds, asked, scope, place))
    counts: Counts = counted.counts[kind, place]
    return counts


def _count(kinds: Sequence[str], asked: Sequence[int], scope: Scope, place: Hashable) -> dict[Hashable, Counts]:
    """Count in each of the kinds, by one statement."""
    new = {kind: kept_counts.lacking((kind, place), asked) for kind in kinds}
    all_texts = {kind: kept_counts.texts((kind, place)) for kind in kinds}
    parts = [_all_texts(kind, scope) for kind in kinds if all_texts[kind] is None]
    parts += [_each_term(kind, new[kind], scope) for kind in kinds if new[kind]]
    sql, params = " UNION ALL ".join(sql for sql, _ in parts), [each for _, params in parts for each in params]
    rows = db.select(sql, params) if parts else []
    counts: dict[Hashable, Counts] = {}
    for kind in kinds:
        if (found_all := all_texts[kind]) is None:
            # In whatever order the server joins its parts: that of all texts has no term.
            ((_, _, count, last, length),) = [row for row in rows if row[0] == kind and row[1] is None]
            found_all = _in_all(count, last), float(length or 0) / max(1, count)
            kept_counts.keep_texts((kind, place), texts=found_all[0], length=found_all[1])
        texts, mean_length = found_all
        kept = kept_counts.still((kind, place), asked, texts=texts)
        found = [row for row in rows if row[0] == kind and row[1] is not None]
        if drifted := set(asked) - kept.keys() - set(new[kind]):
            found += db.select(*_each_term(kind, drifted, scope))
        counted = {term: (_in_all(having, last_lot), inside) for _, term, having, last_lot, inside in found}
        kept_counts.keep((kind, place), {term: each for term, each in counted.items() if each[1]}, texts=texts)
        having = kept | counted
        counts[kind, place] = Counts(
            texts, mean_length, {term: each for term, (each, _) in having.items()},
            {term: inside for term, (_, inside) in having.items()},
        )  # fmt: skip
    return counts


def _all_texts(kind: str, scope: Scope) -> tuple[str, list[object]]:
    """Return the statement that counts the texts of the guild: how many, last lot, length."""
    texts = f"SELECT lot, length FROM {table_of(kind)} WHERE guild = %s ORDER BY lot LIMIT {terms.COUNTED_TO}"
    return f"SELECT '{kind}', NULL::bigint, count(*), max(lot), sum(length) FROM ({texts}) AS row", [scope.guild]


def _each_term(kind: str, asked: Collection[int], scope: Scope) -> tuple[str, list[object]]:
    """Return the statement that counts the texts with each term: how many, last lot, how many that may be told."""
    return f"""SELECT '{kind}', asked.term, found.* FROM unnest({LIST}) AS asked(term) CROSS JOIN LATERAL (
        SELECT count(*), max(row.lot), count(*) FILTER (WHERE row.audience = ANY({LIST})) FROM (
            SELECT lot, audience FROM {postings_of(kind)} WHERE guild = %s AND term = asked.term
            ORDER BY lot LIMIT {terms.COUNTED_TO}) AS row) AS found""", [
        db.id_list(asked), db.id_list(scope.audiences), scope.guild,
    ]  # fmt: skip


def _in_all(count: int, last: int | None) -> float:
    """Return how many there are, of whom those with the smallest lots were counted, up to `last`."""
    if count < terms.COUNTED_TO or last is None:
        return float(count)
    return (count - 1) * LOTS / (last + LOTS // 2 + 1)


def _few(kind: str, asked: Sequence[int], scope: Scope) -> Mapping[int, Text] | None:
    """Return the texts of some members that have one of the terms, if these members' texts are few in all.

    The others are not even taken apart.
    """
    of_members = f"FROM {table_of(kind)} WHERE guild = %s AND subject = ANY({LIST})"
    place = [scope.guild, db.id_list(scope.subjects or ())]
    rows = db.select(
        f"""WITH many AS MATERIALIZED (SELECT EXISTS (SELECT 1 {of_members} OFFSET {bm25.FEW_TEXTS}) AS so)
        SELECT NULL, 0, 0, 0 FROM many WHERE so
        UNION ALL SELECT row.id, row.length, part.term, part.count FROM (
            SELECT id, length, terms, counts {of_members} AND audience = ANY({LIST}) AND terms && {LIST}
                AND NOT (SELECT so FROM many)) AS row
        CROSS JOIN LATERAL unnest(row.terms, row.counts) AS part(term, count) WHERE part.term = ANY({LIST})""",
        [*place, *place, db.id_list(scope.audiences), *[db.id_list(asked)] * 2],
    )
    texts: dict[int, tuple[int, dict[int, int]]] = {}
    for each, length, term, count in rows:
        if each is None:
            return None
        texts.setdefault(each, (length, {}))[1][term] = count
    return texts


def _best_of_guild(kind: str, asked: Sequence[int], counts: Counts, scope: Scope, limit: int) -> list[Match]:
    """Score the texts that have one of the rarer terms; the common ones count for the best of them."""
    postings, place = postings_of(kind), "row.guild = %s AND row.term = asked.term"
    rare: list[int] = []
    common: list[int] = []
    read = 0.0
    for term in sorted(asked, key=lambda each: counts.having.get(each, 0.0)):
        read += counts.having.get(term, 0.0)
        (common if rare and read > bm25.MOST_READ else rare).append(term)
    inside = f"row.audience = ANY({LIST})"
    params: list[object] = [db.id_list(scope.audiences)]
    if scope.subjects is not None:
        inside += f""" AND EXISTS (SELECT 1 FROM {table_of(kind)} AS whole WHERE whole.guild = %s
            AND whole.id = row.id AND whole.subject = ANY({LIST}))"""
        params += [scope.guild, db.id_list(scope.subjects)]
    # A parameter: a statement that differs from guild to guild is planned each time.
    part = f"asked.weight * row.count / (row.count + {IN_TEXT * K1 * (1 - B)}::float8 + %s::float8 * row.length)"
    table = f"unnest({LIST}, {WEIGHTS}) AS asked(term, weight)"
    # Added up in another order, the same numbers differ in their last bits, which must not settle who is first.
    order = "ORDER BY (best.score * 1e9)::bigint DESC, best.id LIMIT %s"
    sql = f"""SELECT best.id, best.score, best.lot FROM (
        SELECT row.id, sum({part}) AS score, min(row.lot) AS lot FROM {table} CROSS JOIN LATERAL (
            SELECT id, lot, count, length FROM {postings} AS row WHERE {place} AND {inside}
            ORDER BY row.lot LIMIT {bm25.MOST_READ}) AS row
        GROUP BY row.id) AS best {order}"""
    values: list[object] = [counts.for_length, *_weighed(rare, counts), scope.guild, *params]
    if common:
        more = f"""(SELECT coalesce(sum({part}), 0) FROM {table} CROSS JOIN {postings} AS row
            WHERE {place} AND row.lot = best.lot AND row.id = best.id)"""
        sql = f"""SELECT best.id, best.score, best.lot FROM (
            SELECT best.id, best.score + {more} AS score, best.lot FROM ({sql}) AS best) AS best {order}"""
        values = [counts.for_length, *_weighed(common, counts), scope.guild, *values, bm25.BEST_FOUND * limit]
    return [Match(each, score) for each, score, _ in db.select(sql, [*values, limit])]


def _weighed(asked: Sequence[int], counts: Counts) -> tuple[object, list[float]]:
    return db.id_list(asked), [counts.weight(term) * (K1 + 1) for term in asked]
