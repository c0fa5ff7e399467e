"""The vector index: the same promises on both databases, whether a scope is compared exactly or by an index."""

import os
from typing import Any

import numpy as np
import pytest
from django.db import connection, transaction

from memoryhub.db import backend
from memoryhub.search import vectors
from memoryhub.search.scope import Scope
from memoryhub.search.vectors.vector_types import VectorRow
from tests.memoryhub.search.points import ALICE, BOB, EVERYBODY, NORTH, SECRET_ROOM, SIZE, SOUTH, ids, put, row, towards
from tests.memoryhub.search.table_rebuild import rebuild_a_table

pytestmark = pytest.mark.django_db


@pytest.fixture(params=["exact", "indexed"])
def index(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Have a scope compared whole, or searched by what each database has for big ones."""
    if not backend.on_postgres():
        from memoryhub.search.vectors import exact, quantized, vec0

        monkeypatch.setattr(quantized, "CODES_FROM", 1)
        return {"exact": exact, "indexed": vec0}[request.param]
    from memoryhub.search.vectors import halfvec_index, neighbor_graph

    graph = "CREATE INDEX IF NOT EXISTS {table}_graph ON {table} USING hnsw (embedding halfvec_ip_ops)"
    if request.param == "indexed":
        monkeypatch.setattr(halfvec_index, "SHAPE_OF_SET", (*halfvec_index.SHAPE_OF_SET, graph))
    monkeypatch.setattr(neighbor_graph, "suits", lambda *_: request.param == "indexed")
    return vectors


def test_the_nearest_come_first_with_their_cosine(index):
    put(row(1, 1, 0), row(2, 1, 1), row(3, 0, 1))
    found = index.search(
        kind="fact", model="tiny-16", embedding=towards(2, 0), scope=Scope(guild=NORTH, audiences=[0]), limit=2
    )
    assert [match.id for match in found] == [1, 2]
    assert found[0].score == pytest.approx(1, abs=1e-3)
    assert found[1].score == pytest.approx(np.sqrt(0.5), abs=1e-3)


def test_nothing_is_found_before_anything_is_put(index):
    assert ids(index, towards(1)) == []


def test_a_search_creates_no_table(index):
    before = connection.introspection.table_names()
    ids(index, towards(1))
    vectors.delete(kind="fact", ids=[1])
    assert connection.introspection.table_names() == before


def test_another_guild_is_never_searched(index):
    put(row(1, 1, 0), row(2, 1, 0, guild=SOUTH))
    assert ids(index, towards(1), guild=SOUTH) == [2]


def test_a_thousand_nearer_vectors_of_others_hide_nothing(index):
    foreign = [row(number, 1, number / 9000, guild=SOUTH) for number in range(100, 700)]
    unheard = [row(number, 1, number / 9000, audience=SECRET_ROOM) for number in range(700, 1100)]
    put(*foreign, *unheard, row(1, 0, 1), row(2, 1, 2))
    assert ids(index, towards(1)) == [2, 1]


def test_a_private_channel_is_found_only_by_its_audience(index):
    put(row(1, 1, 0), row(2, 1, 0, audience=SECRET_ROOM))
    assert ids(index, towards(1)) == [1]
    assert ids(index, towards(1), audiences=[EVERYBODY, SECRET_ROOM]) == [1, 2]
    assert ids(index, towards(1), audiences=[]) == []


def test_what_is_also_asked_for_comes_after_the_nearest_and_only_from_the_scope(index):
    put(row(1, 1, 0), row(2, 1, 1), row(3, 0, 1), row(4, -1, 0), row(5, 1, 0, guild=SOUTH))
    scope = Scope(guild=NORTH, audiences=[EVERYBODY])
    asked = {"kind": "fact", "model": "tiny-16", "embedding": towards(1), "scope": scope, "limit": 1}
    found = index.search(**asked, also=[1, 4, 5, 99])
    assert [match.id for match in found] == [1, 4]
    assert found[1].score == pytest.approx(-1, abs=1e-3)


def test_subjects_narrow_the_search_to_members(index):
    put(row(1, 1, 0, subject=ALICE), row(2, 1, 0, subject=BOB), row(3, 1, 0, subject=0))
    assert ids(index, towards(1), subjects=[BOB]) == [2]
    assert ids(index, towards(1), subjects=[ALICE, 0]) == [1, 3]
    assert ids(index, towards(1), subjects=[]) == []


def test_kinds_and_models_are_sets_of_their_own(index):
    put(row(1, 1, 0))
    put(row(1, 0, 1), kind="note")
    vectors.put(kind="fact", model="other-2", rows=[VectorRow(id=5, guild=NORTH, embedding=np.array([1.0, 2.0]))])
    assert ids(index, towards(1), kind="note") == [1]
    assert ids(index, np.array([1.0, 0.0]), model="other-2") == [5]
    assert ids(index, towards(1)) == [1]


def test_putting_again_replaces_place_and_embedding(index):
    put(row(1, 1, 0), row(2, 0, 1))
    put(row(1, 0, 1, subject=BOB, audience=SECRET_ROOM))
    assert ids(index, towards(1)) == [2]
    assert ids(index, towards(0, 1), audiences=[SECRET_ROOM], subjects=[BOB]) == [1]


def test_what_is_deleted_is_not_found(index):
    put(row(1, 1, 0), row(2, 1, 0))
    put(row(1, 1, 0), kind="note")
    vectors.delete(kind="fact", ids=[1, 99])
    assert ids(index, towards(1)) == [2]
    assert ids(index, towards(1), kind="note") == [1]


def test_what_is_moved_is_heard_by_its_new_audience_only(index):
    put(row(1, 1, 0), row(2, 1, 0))
    vectors.move(kind="fact", ids=[1], audience=SECRET_ROOM)
    assert ids(index, towards(1)) == [2]
    assert ids(index, towards(1), audiences=[SECRET_ROOM]) == [1]


def test_a_rolled_back_write_leaves_everything_as_it_was(index):
    put(row(1, 1, 0), row(2, 0, 1))
    with transaction.atomic():
        put(row(3, 1, 0), row(1, 0, 1))
        vectors.delete(kind="fact", ids=[2])
        vectors.put(kind="note", model="tiny-16", rows=[row(9, 1, 0)])
        transaction.set_rollback(True)
    assert ids(index, towards(1)) == [1, 2]
    assert vectors.held(kind="fact", model="tiny-16") == {1, 2}
    assert ids(index, towards(1), kind="note") == []
    put(row(9, 1, 0), kind="note")
    assert ids(index, towards(1), kind="note") == [9]


def test_a_rolled_back_clear_forgets_nothing(index):
    put(row(1, 1, 0), row(2, 0, 1))
    with transaction.atomic():
        vectors.clear()
        put(row(3, 1, 0))
        transaction.set_rollback(True)
    assert ids(index, towards(1)) == [1, 2]
    put(row(3, 1, 1))
    assert ids(index, towards(1)) == [1, 3, 2]


def test_large_ids_are_kept_whole(index):
    snowflake = 2**62 + 1
    put(row(snowflake, 1, 0, guild=snowflake, subject=snowflake, audience=snowflake))
    assert ids(index, towards(1), guild=snowflake, audiences=[snowflake], subjects=[snowflake]) == [snowflake]


@pytest.mark.parametrize("broken", [np.zeros(SIZE), np.full(SIZE, np.nan), np.full(SIZE, np.inf)])
def test_an_embedding_without_direction_is_refused_and_nothing_of_the_call_is_kept(index, broken):
    put(row(1, 1, 0))
    with pytest.raises(ValueError, match="finite and not all zeros"):
        put(row(2, 1, 0), VectorRow(id=3, guild=NORTH, embedding=broken))
    with pytest.raises(ValueError, match="finite and not all zeros"):
        ids(index, broken)
    assert ids(index, towards(1)) == [1]


def test_an_embedding_of_another_size_is_refused(index):
    put(row(1, 1, 0))
    with pytest.raises(ValueError, match="one size"):
        put(VectorRow(id=2, guild=NORTH, embedding=np.ones(SIZE + 1)))
    assert ids(index, towards(1)) == [1]


def test_a_thousand_audiences_fit_in_one_question(index):
    put(row(1, 1, 0, audience=900))
    assert ids(index, towards(1), audiences=range(1000)) == [1]


def test_more_can_be_asked_for_than_sqlite_vec_allows(index):
    put(row(1, 1, 0), row(2, 1, 0))
    assert ids(index, towards(1), limit=100_000) == [1, 2]


def test_held_and_get_tell_what_is_there():
    put(row(1, 3, 4), row(2, 1))
    assert vectors.held(kind="fact", model="tiny-16") == {1, 2}
    assert vectors.held(kind="fact", model="unknown") == set()
    (kept,) = vectors.get(kind="fact", model="tiny-16", ids=[1, 99]).values()
    assert kept[:2] == pytest.approx([0.6, 0.8], abs=1e-3)


def test_clear_forgets_everything_and_the_next_put_starts_afresh(index):
    put(row(1, 1, 0), row(2, 1, 0))
    vectors.clear()
    assert ids(index, towards(1)) == []
    put(row(3, 1, 0))
    assert ids(index, towards(1)) == [3]


@pytest.mark.django_db(transaction=True)
def test_vectors_survive_a_migration_that_rebuilds_a_table_of_the_models(index):
    put(row(1, 1, 0))
    rebuild_a_table()
    assert ids(index, towards(1)) == [1]
    put(row(2, 1, 0))
    assert ids(index, towards(1)) == [1, 2]
    vectors.clear()


def test_an_embedding_is_kept_as_exactly_as_a_cosine_is_told():
    drawn = np.random.default_rng(7).standard_normal((50, 384), dtype=np.float32)
    put(*(VectorRow(id=n, guild=NORTH, embedding=each) for n, each in enumerate(drawn)), model="wide-384")
    units = drawn / np.linalg.norm(drawn, axis=1)[:, None]
    found = vectors.search(
        kind="fact", model="wide-384", embedding=drawn[0], scope=Scope(guild=NORTH, audiences=[EVERYBODY]), limit=50
    )
    assert {match.id: match.score for match in found} == pytest.approx(dict(enumerate(units @ units[0])), abs=1e-4)


def test_products_are_left_to_one_thread():
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
