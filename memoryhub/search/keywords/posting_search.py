"""Ranks texts of a scope by BM25 on PostgreSQL, by the same formula as FTS5, with what is counted in the guild."""

from __future__ import annotations

# ruff: noqa: S608  (the tables' names are constants of the house; every value is a parameter)
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db import connection

from memoryhub import db
from memoryhub.search.keywords import bm25, terms
from memoryhub.search.keywords.bm25 import IN_TEXT, K1, B
from memoryhub.search.keywords.kept_counts import KeptCounts
from memoryhub.search.keywords.keyword_types import known
from memoryhub.search.scope import Match, Scope

kept_counts = KeptCounts[tuple[float, int]]()
LOTS = 2**32  # as many as there are lots, of which the first is minus half of it


def table_of(kind: str) -> str:
    """Return the name of the table of a kind's texts; ValueError for one that is not indexed."""
    return f"memoryhub_words_v1_{known(kind)}"


def postings_of(kind: str) -> str:
    """Return the name of the table of a kind's terms; ValueError for one that is not indexed."""
    return f"memoryhub_postings_v1_{known(kind)}"


@dataclass(frozen=True, slots=True)
class Counts(bm25.Counts):
    """What is counted in a guild: small numbers are exact, large ones within a few percent.

    `inside` counts only those that may be told, `of_subjects` the texts of the members who are asked about.
    """

    inside: dict[int, int]
    of_subjects: int


def search(*, kind: str, query: str, scope: Scope, limit: int) -> list[Match]:
    """Return the `limit` rows of the scope that share the most telling words with the query, best first."""
    table_of(kind)
    words = terms.sought(query)
    if not words or not scope.audiences or (scope.subjects is not None and not scope.subjects):
        return []
    many = len(words) > terms.MOST_WORDS
    asked = [terms.term(word) for word in (terms.longest(words) if many else words)]
    counts = _counts(kind, asked, scope)
    if not counts.texts:
        return []
    asked = counts.telling(asked)
    if scope.subjects is not None and counts.of_subjects < bm25.FEW_TEXTS:
        return _best_of_members(kind, asked, counts, scope, limit)
    if len(asked) > terms.MOST_WORDS:
        asked = bm25.rarest(asked, counts.inside)
    return _best_of_guild(kind, asked, counts, scope, limit) if asked else []


def search_each(*, kind: str, queries: Sequence[str], scope: Scope, limit: int) -> list[list[Match]]:
    """Return what `search` finds for each of the queries."""
    return [search(kind=kind, query=query, scope=scope, limit=limit) for query in queries]


def _counts(kind: str, asked: Sequence[int], scope: Scope) -> Counts:
    """Count in the guild, each up to some number: the lots of those that were counted tell how many there are."""
    place = (connection.settings_dict["NAME"], kind, scope.guild, tuple(sorted(scope.audiences)))
    new = kept_counts.lacking(place, asked)
    sql, params = _all_texts(kind, scope)
    if new:
        more, its_params = _each_term(kind, new, scope)
        sql, params = f"{sql} UNION ALL {more}", [*params, *its_params]
    # In whatever order the server joins its parts: that of all texts has no term.
    (_, subjects_texts, count, last, length), *rows = sorted(db.select(sql, params), key=lambda row: row[0])
    texts = _in_all(count, last)
    kept = kept_counts.still(place, asked, texts=texts)
    if drifted := set(asked) - kept.keys() - set(new):
        rows += db.select(*_each_term(kind, drifted, scope))
    counted = {term: (_in_all(having, last_lot), inside) for _, term, having, last_lot, inside in rows}
    kept_counts.keep(place, {term: each for term, each in counted.items() if each[1]}, texts=texts)
    having = kept | counted
    return Counts(
        texts, float(length or 0) / max(1, count), {term: each for term, (each, _) in having.items()},
        {term: inside for term, (_, inside) in having.items()}, subjects_texts,
    )  # fmt: skip


def _all_texts(kind: str, scope: Scope) -> tuple[str, list[object]]:
    """Return the statement that counts the texts of the members asked about, and of the guild: last lot, length."""
    of_subjects, params = "0", list[object]()
    if scope.subjects is not None:
        of_subjects = f"""(SELECT count(*) FROM (SELECT 1 FROM {table_of(kind)}
            WHERE guild = %s AND subject = ANY(%s::bigint[]) LIMIT {bm25.FEW_TEXTS}) AS row)"""
        params = [scope.guild, db.id_list(scope.subjects)]
    return (
        f"""SELECT 0, {of_subjects}::bigint, count(*), max(lot), sum(length) FROM (
        SELECT lot, length FROM {table_of(kind)} WHERE guild = %s ORDER BY lot LIMIT {terms.COUNTED_TO}) AS row
        """,
        [*params, scope.guild],
    )


def _each_term(kind: str, asked: Collection[int], scope: Scope) -> tuple[str, list[object]]:
    """Return the statement that counts the texts with each term: how many, last lot, how many that may be told."""
    return f"""SELECT 1, asked.term, found.* FROM unnest(%s::bigint[]) AS asked(term) CROSS JOIN LATERAL (
        SELECT count(*), max(row.lot), count(*) FILTER (WHERE row.audience = ANY(%s::bigint[])) FROM (
            SELECT lot, audience FROM {postings_of(kind)} WHERE guild = %s AND term = asked.term
            ORDER BY lot LIMIT {terms.COUNTED_TO}) AS row) AS found""", [
        db.id_list(asked), db.id_list(scope.audiences), scope.guild,
    ]  # fmt: skip


def _in_all(count: int, last: int | None) -> float:
    """Return how many there are, of whom those with the smallest lots were counted, up to `last`."""
    if count < terms.COUNTED_TO or last is None:
        return float(count)
    return (count - 1) * LOTS / (last + LOTS // 2 + 1)


def _best_of_members(kind: str, asked: Sequence[int], counts: Counts, scope: Scope, limit: int) -> list[Match]:
    """Score all texts of some members that have one of the terms; the others are not even taken apart."""
    rows = db.select(
        f"""SELECT row.id, row.length, part.term, part.count
        FROM {table_of(kind)} AS row CROSS JOIN LATERAL unnest(row.terms, row.counts) AS part(term, count)
        WHERE row.guild = %s AND row.subject = ANY(%s::bigint[]) AND row.audience = ANY(%s::bigint[])
        AND row.terms && %s::bigint[] AND part.term = ANY(%s::bigint[])""",
        [scope.guild, db.id_list(scope.subjects or ()), db.id_list(scope.audiences), *[db.id_list(asked)] * 2],
    )
    texts: dict[int, tuple[int, dict[int, int]]] = {}
    for each, length, term, count in rows:
        texts.setdefault(each, (length, {}))[1][term] = count
    if len(asked) > terms.MOST_WORDS:
        asked = bm25.rarest(asked, bm25.counted_in(texts.values()))
    return counts.best(asked, texts, limit)


def _best_of_guild(kind: str, asked: Sequence[int], counts: Counts, scope: Scope, limit: int) -> list[Match]:
    """Score the texts that have one of the rarer terms; the common ones count for the best of them."""
    postings, place = postings_of(kind), "row.guild = %s AND row.term = asked.term"
    rare: list[int] = []
    common: list[int] = []
    read = 0.0
    for term in sorted(asked, key=lambda each: counts.having.get(each, 0.0)):
        read += counts.having.get(term, 0.0)
        (common if rare and read > bm25.MOST_READ else rare).append(term)
    inside = "row.audience = ANY(%s::bigint[])"
    params: list[object] = [db.id_list(scope.audiences)]
    if scope.subjects is not None:
        inside += f""" AND EXISTS (SELECT 1 FROM {table_of(kind)} AS whole WHERE whole.guild = %s
            AND whole.id = row.id AND whole.subject = ANY(%s::bigint[]))"""
        params += [scope.guild, db.id_list(scope.subjects)]
    # A parameter: a statement that differs from guild to guild is planned each time.
    part = f"asked.weight * row.count / (row.count + {IN_TEXT * K1 * (1 - B)}::float8 + %s::float8 * row.length)"
    table = "unnest(%s::bigint[], %s::float8[]) AS asked(term, weight)"
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
