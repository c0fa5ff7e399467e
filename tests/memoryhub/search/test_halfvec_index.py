"""The vector index on PostgreSQL: exact or by a graph it finds the same, in its scope; no process keeps anything."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Thread
from typing import Any

import numpy as np
import pytest
from django.db import DatabaseError, connection, transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryhub import db
from memoryhub.search import vectors
from memoryhub.search.scope import Match, Scope
from memoryhub.search.vectors import halfvec_index, neighbor_graph
from memoryhub.search.vectors.vector_types import VectorRow, best, table_of, unit
from tests.memoryhub.search.points import ALICE, BOB, NORTH, SECRET_ROOM, SIZE, SOUTH, put, row, towards
from tests.verification.statements import recorded

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.postgres_only("PostgreSQL's half"),
]

TABLE = table_of("fact", "tiny-16")
PLACES = st.tuples(st.sampled_from([NORTH, SOUTH]), st.sampled_from([ALICE, BOB]), st.sampled_from([0, SECRET_ROOM]))
POINTS = st.lists(st.integers(-5, 5), min_size=4, max_size=4)


@pytest.fixture(autouse=True)
def _fresh_counts():
    forget_counts()


def forget_counts() -> None:
    for known in (neighbor_graph._has_graph, neighbor_graph._total):
        known.cache_clear()
    neighbor_graph._sizes.clear()


@pytest.fixture
def by_graph(monkeypatch):
    """Walk a graph for every scope."""
    monkeypatch.setattr(neighbor_graph, "FEW", 0)
    monkeypatch.setattr(neighbor_graph, "STEP", 0)

    def build() -> None:
        assert neighbor_graph.build_if_big(TABLE)

    return build


def asked(
    embedding: np.ndarray,
    *,
    guild: int = NORTH,
    audiences: Sequence[int] = (0,),
    subjects: Sequence[int] | None = None,
    limit: int = 10,
    also: Sequence[int] = (),
) -> list[Match]:
    scope = Scope(guild=guild, audiences=audiences, subjects=subjects)
    return vectors.search(kind="fact", model="tiny-16", embedding=embedding, scope=scope, limit=limit, also=also)


def drawn(count: int, *, start: int = 1, seed: int = 1, **place: int) -> list[VectorRow]:
    points = np.random.default_rng(seed).standard_normal((count, SIZE), dtype=np.float32)
    return [
        VectorRow(id=number, embedding=point, **{"guild": NORTH, **place}) for number, point in enumerate(points, start)
    ]


@settings(max_examples=60)
@given(
    things=st.lists(st.tuples(PLACES, POINTS), min_size=1, max_size=30),
    question=POINTS,
    audiences=st.lists(st.sampled_from([0, SECRET_ROOM]), max_size=2, unique=True),
    subjects=st.none() | st.lists(st.sampled_from([ALICE, BOB]), max_size=2, unique=True),
    removed=st.sets(st.integers(0, 30)),
    limit=st.sampled_from([2, 30]),
    graph=st.booleans(),
)
def test_the_nearest_of_a_scope_are_those_that_numpy_finds(
    by_graph, things, question, audiences, subjects, removed, limit, graph
):
    vectors.clear()
    db.run(f"DROP INDEX IF EXISTS {TABLE}_graph")
    forget_counts()
    rows = [
        row(number, *point, guild=guild, subject=subject, audience=audience)
        for number, ((guild, subject, audience), point) in enumerate(things)
    ]
    put(*rows)
    if graph:
        by_graph()
    vectors.delete(kind="fact", ids=removed, guild=NORTH)
    vectors.delete(kind="fact", ids=removed)
    inside = [
        each
        for each in rows
        if each.guild == NORTH
        and each.audience in audiences
        and (subjects is None or each.subject in subjects)
        and each.id not in removed
    ]
    also = range(1, 30, 2)
    ids = np.array([each.id for each in inside], np.int64)
    halves = [unit(each.embedding).astype(np.float16).astype(np.float32) @ unit(towards(*question)) for each in inside]
    wanted = best(ids, np.array(halves, np.float32), limit, also) if inside else []
    for _ in ("counted on the way", "counted"):
        found = asked(towards(*question), audiences=audiences, subjects=subjects, limit=limit, also=also)
        assert [match.id for match in found] == [match.id for match in wanted]
        assert [match.score for match in found] == pytest.approx([match.score for match in wanted], abs=2e-6)


def test_in_a_graph_of_many_guilds_one_with_few_finds_all_of_its_own(by_graph):
    put(*drawn(3000, start=100, guild=SOUTH), *drawn(12, seed=3))
    by_graph()
    for question in drawn(20, seed=9):
        found = asked(question.embedding, limit=10)
        exact = halfvec_index._scores(
            TABLE, unit(question.embedding), Scope(guild=NORTH, audiences=[0]), 10, (), by_graph=False
        )
        assert [match.id for match in found] == sorted(exact, key=exact.__getitem__, reverse=True)[:10]


def test_where_the_graph_finds_too_few_all_are_compared(by_graph, monkeypatch):
    put(*drawn(30))
    by_graph()
    scores = halfvec_index._scores
    asked_how = []

    def half_blind(*question: Any, by_graph: bool, count: bool = False) -> dict[int, float]:
        asked_how.append(by_graph)
        found = scores(*question, by_graph=by_graph, count=count)
        return dict(list(found.items())[:2]) if by_graph else found

    monkeypatch.setattr(halfvec_index, "_scores", half_blind)
    assert len(asked(towards(1))) == 10
    assert asked_how == [True, False]


def test_a_members_scope_is_counted_by_its_first_search(by_graph):
    put(*drawn(30), row(999, 1, subject=ALICE))
    by_graph()
    with recorded() as first:
        assert asked(towards(1), subjects=[ALICE], limit=1)
    with recorded() as second:
        assert asked(towards(1), subjects=[ALICE], limit=1)
    assert [sum(TABLE in each for each in statements) for statements in (first, second)] == [1, 1]
    assert "count(*)" in first[-1]
    assert "count(*)" not in second[-1]


def test_a_set_gets_its_graph_once_a_guild_is_big_and_small_scopes_do_without(monkeypatch):
    monkeypatch.setattr(neighbor_graph, "FEW", 50)
    monkeypatch.setattr(neighbor_graph, "STEP", 0)
    put(*drawn(50), *drawn(40, start=1000, guild=SOUTH), *drawn(40, start=2000, guild=3))
    vectors.tend(kind="fact", model="tiny-16")
    assert not neighbor_graph._has_graph(TABLE, 0)
    put(row(999, 1))
    db.run(f"ANALYZE {TABLE}")  # else what vacuum counted in another test would hold
    vectors.tend(kind="fact", model="tiny-16")
    assert neighbor_graph._has_graph(TABLE, 1)
    assert neighbor_graph.suits(TABLE, Scope(guild=NORTH, audiences=[0]), 3)
    assert not neighbor_graph.suits(TABLE, Scope(guild=NORTH, audiences=[0], subjects=[ALICE]), 3)
    assert not neighbor_graph.suits(TABLE, Scope(guild=SOUTH, audiences=[0]), 3)


def test_a_guild_that_is_a_small_part_of_a_set_is_compared_whole(by_graph, monkeypatch):
    put(*drawn(400), *drawn(4000, start=1000, guild=SOUTH))
    by_graph()
    monkeypatch.setattr(neighbor_graph, "STEP", 25)
    db.run(f"ANALYZE {TABLE}")
    assert not neighbor_graph.suits(TABLE, Scope(guild=NORTH, audiences=[0]), 3)
    assert neighbor_graph.suits(TABLE, Scope(guild=SOUTH, audiences=[0]), 3)


@pytest.mark.django_db(transaction=True)
def test_a_graph_that_was_left_half_made_is_made_anew(monkeypatch):
    monkeypatch.setattr(neighbor_graph, "FEW", 10)
    put(*drawn(20))
    db.run(f"ANALYZE {TABLE}")
    vectors.tend(kind="fact", model="tiny-16")
    db.run(f"UPDATE pg_index SET indisvalid = false WHERE indexrelid = '{TABLE}_graph'::regclass")
    neighbor_graph._has_graph.cache_clear()
    assert not neighbor_graph._has_graph(TABLE, 0)
    vectors.tend(kind="fact", model="tiny-16")
    assert neighbor_graph._has_graph(TABLE, 1)
    db.run(f"DROP INDEX {TABLE}_graph")


def test_an_older_pgvector_compares_everything(by_graph, monkeypatch):
    put(*drawn(30))
    by_graph()
    monkeypatch.setattr(neighbor_graph, "FIRST_TO_GO_ON", (99, 0))
    assert not neighbor_graph.suits(TABLE, Scope(guild=NORTH, audiences=[0]), 3)
    assert len(asked(towards(1))) == 10


@pytest.mark.django_db(transaction=True)
def test_what_another_process_changes_is_found_at_once():
    put(row(1, 1, 0), row(2, 1, 1))
    assert [match.id for match in asked(towards(1))] == [1, 2]

    def change() -> None:
        vectors.delete(kind="fact", ids=[1], guild=NORTH)
        put(row(3, 1, 0))
        vectors.move(kind="fact", ids=[2], audience=SECRET_ROOM, guild=NORTH)
        connection.close()

    other = Thread(target=change)
    other.start()
    other.join()
    assert [match.id for match in asked(towards(1))] == [3]


@pytest.mark.django_db(transaction=True)
def test_processes_that_make_the_same_table_at_once_do_not_trip_over_each_other():
    trouble: list[DatabaseError] = []

    def first(number: int) -> None:
        try:
            put(row(number, 1, 0), model="shared-16")
        except DatabaseError as error:
            trouble.append(error)
        connection.close()

    threads = [Thread(target=first, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert trouble == []
    assert vectors.held(kind="fact", model="shared-16") == {0, 1, 2, 3}


@pytest.mark.django_db(transaction=True)
def test_a_table_that_was_made_in_a_transaction_which_failed_is_made_again():
    with transaction.atomic():
        put(row(1, 1, 0), model="late-16")
        transaction.set_rollback(True)
    assert vectors.held(kind="fact", model="late-16") == set()
    put(row(1, 1, 0), model="late-16")
    assert vectors.held(kind="fact", model="late-16") == {1}


def test_an_id_of_another_guild_is_left_alone():
    put(row(1, 1, 0), row(1, 0, 1, guild=SOUTH))
    vectors.move(kind="fact", ids=[1], audience=SECRET_ROOM, guild=SOUTH)
    assert [match.id for match in asked(towards(1))] == [1]
    (kept,) = vectors.get(kind="fact", model="tiny-16", ids=[1], guild=SOUTH).values()
    assert kept[1] == pytest.approx(1, abs=1e-3)
    vectors.delete(kind="fact", ids=[1], guild=SOUTH)
    assert [match.id for match in asked(towards(1))] == [1]
