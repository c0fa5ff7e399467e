"""The vector index on SQLite: codes, their distance, what a process keeps, and that every way finds the same."""

import random
from collections import OrderedDict
from dataclasses import replace
from itertools import count

import numpy as np
import pytest
from django.db import connections, transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryhub import db
from memoryhub.search import vectors
from memoryhub.search.scope import Scope
from memoryhub.search.vectors import distance_bound, exact, memory_cache, quantized, store, vec0
from memoryhub.search.vectors.vector_types import VectorRow, table_of
from tests.memoryhub.search.points import (
    ALICE,
    BOB,
    EVERYBODY,
    NORTH,
    SECRET_ROOM,
    SIZE,
    SOUTH,
    ids,
    put,
    row,
    scattered,
    towards,
)

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.sqlite_only,
]


@pytest.fixture(autouse=True)
def small_sets_get_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quantized, "CODES_FROM", 1)
    monkeypatch.setattr(memory_cache, "_entries", OrderedDict())


PLACES = st.tuples(st.sampled_from([NORTH, SOUTH]), st.sampled_from([ALICE, BOB]), st.sampled_from([0, SECRET_ROOM]))
POINTS = st.lists(st.integers(-5, 5), min_size=4, max_size=4)
MODELS = count()


@settings(max_examples=40)
@given(
    things=st.lists(st.tuples(PLACES, POINTS), min_size=1, max_size=30),
    question=POINTS,
    audiences=st.lists(st.sampled_from([0, SECRET_ROOM]), max_size=2, unique=True),
    subjects=st.none() | st.lists(st.sampled_from([ALICE, BOB]), max_size=2, unique=True),
    removed=st.sets(st.integers(0, 30)),
)
def test_every_way_to_search_agrees_and_none_leaves_the_scope(things, question, audiences, subjects, removed):
    model = f"run-{next(MODELS)}"
    rows = [
        row(number, *point, guild=guild, subject=subject, audience=audience)
        for number, ((guild, subject, audience), point) in enumerate(things)
    ]
    put(*rows[::2], model=model)
    put(*rows[1::2], model=model)
    vectors.delete(kind="fact", ids=removed)
    scope = Scope(guild=NORTH, audiences=audiences, subjects=subjects)
    expected = {
        each.id
        for each in rows
        if each.guild == NORTH
        and each.audience in audiences
        and (subjects is None or each.subject in subjects)
        and each.id not in removed
    }
    # The façade reads for the first question and keeps for the second.
    asked = {"kind": "fact", "model": model, "embedding": towards(*question), "scope": scope}
    oracle, *others = (each.search(**asked, limit=30) for each in (exact, vec0, vectors, vectors, vectors))
    assert others == [oracle] * 4
    assert {match.id for match in oracle} == expected
    wanted = oracle[:2] + [match for match in oracle[2:] if match.id % 2]
    for each in (exact, vec0, vectors):
        assert each.search(**asked, limit=2, also=range(1, 30, 2)) == wanted


def test_codes_are_made_for_a_guild_once_it_is_big(monkeypatch):
    monkeypatch.setattr(quantized, "CODES_FROM", 3)
    put(row(1, 1, 0), row(2, 1, 1), row(9, 1, 0, guild=SOUTH))
    assert quantized.find(kind="fact", model="tiny-16", guild=NORTH) is None
    put(row(3, 0, 1))
    assert ids(vec0, towards(1)) == [1, 2, 3]
    assert quantized.find(kind="fact", model="tiny-16", guild=SOUTH) is None


def test_the_codes_serve_a_big_guild_and_blobs_serve_a_member(monkeypatch):
    put(row(1, 1, 0), row(2, 1, 1))
    asked = []
    within = store.within
    monkeypatch.setattr(memory_cache, "find_all", lambda asked, **_: [None] * len(asked))
    monkeypatch.setattr(vec0, "search_coded", lambda _codes, **question: asked.append("vec0") or [])
    monkeypatch.setattr(store, "within", lambda **question: asked.append("exact") or within(**question))
    ids(vectors, towards(1))
    ids(vectors, towards(1), subjects=[ALICE])
    ids(vectors, towards(1), guild=SOUTH)
    assert asked == ["vec0", "exact", "exact"]


@pytest.mark.parametrize("guessed", [None, 0, 5, 20, 48])
def test_how_far_sqlite_vec_is_told_to_look_changes_no_answer(guessed, monkeypatch):
    put(*scattered(400))
    for seed in range(20):
        question = scattered(1, seed=seed + 100)[0].embedding
        told = ids(vec0, question, limit=3)
        with monkeypatch.context() as patch:
            patch.setattr(distance_bound, "guess", lambda *_: guessed)
            assert ids(vec0, question, limit=3) == told


def test_the_guess_holds_more_codes_than_are_wanted_and_not_all():
    put(*scattered(1000), VectorRow(id=5000, guild=NORTH, audience=SECRET_ROOM, embedding=towards(1)))
    (coded, query) = quantized.find(kind="fact", model="tiny-16", guild=NORTH), scattered(1, seed=7)[0].embedding
    within = distance_bound.guess(coded, query, Scope(guild=NORTH, audiences=[EVERYBODY]), 20)
    near = [each for each in scattered(1000) if distance(coded, each.embedding, query) <= within]
    assert 20 < len(near) < 500
    assert distance_bound.guess(coded, query, Scope(guild=NORTH, audiences=[EVERYBODY]), 200) is None
    assert distance_bound.guess(coded, query, Scope(guild=NORTH, audiences=[SECRET_ROOM]), 20) is None


def distance(coded: quantized.Codes, one: np.ndarray, other: np.ndarray) -> int:
    return (int.from_bytes(coded.of(one)) ^ int.from_bytes(coded.of(other))).bit_count()


def is_kept(guild: int = NORTH, **about: list[int]) -> bool:
    scope = Scope(guild=guild, audiences=[EVERYBODY], **about)
    return memory_cache.find_all(model="tiny-16", asked=[("fact", scope)]) != [None]


def asked_again(*, guild: int = NORTH) -> bool:
    ids(vectors, towards(1), guild=guild)
    ids(vectors, towards(1), guild=guild)
    return is_kept(guild)


def test_what_was_asked_for_twice_is_kept_and_read_no_more(django_assert_num_queries):
    put(row(1, 1, 0), row(2, 0, 1), row(3, 1, 1, subject=BOB))
    assert asked_again()
    with django_assert_num_queries(2):
        assert ids(vectors, towards(1)) == [1, 3, 2]
        assert ids(vectors, towards(1), subjects=[BOB]) == [3]


def test_a_change_of_one_guild_is_seen_at_once_and_lets_the_others_be():
    put(row(1, 1, 0), row(2, 1, 1), row(9, 1, 0, guild=SOUTH))
    assert asked_again()
    assert asked_again(guild=SOUTH)
    vectors.delete(kind="fact", ids=[1])
    assert ids(vectors, towards(1)) == [2]
    assert asked_again()
    vectors.move(kind="fact", ids=[2], audience=SECRET_ROOM)
    assert ids(vectors, towards(1)) == []
    assert asked_again()
    put(row(3, 1, 0))
    assert ids(vectors, towards(1)) == [3]
    assert is_kept(SOUTH)


def test_a_row_that_goes_to_another_guild_is_gone_from_the_first():
    put(row(1, 1, 0), row(2, 1, 1))
    assert asked_again()
    put(row(1, 1, 0, guild=SOUTH))
    assert ids(vectors, towards(1)) == [2]


def test_what_was_kept_of_a_change_that_was_rolled_back_is_not_told():
    put(row(1, 1, 0))
    with transaction.atomic():
        put(row(2, 1, 0))
        assert asked_again()
        transaction.set_rollback(True)
    assert ids(vectors, towards(1)) == [1]
    put(row(3, 1, 0))
    assert ids(vectors, towards(1)) == [1, 3]


def test_a_big_guild_is_not_kept_and_the_longest_unasked_gives_way(monkeypatch):
    monkeypatch.setattr(memory_cache, "MOST", 2)
    monkeypatch.setattr(memory_cache, "MOST_CODES", 2)
    monkeypatch.setattr(memory_cache, "ROOM", 300)  # bytes: two embeddings of 16 numbers with their places are 176
    put(*(row(number, 1, 0, guild=guild) for guild in (NORTH, SOUTH) for number in (10 * guild, 10 * guild + 1)))
    assert asked_again()
    assert asked_again(guild=SOUTH)
    ids(vectors, towards(1))
    assert is_kept()
    put(row(1, 1, 0))
    assert not asked_again()
    assert ids(vectors, towards(1)) == [1, 10, 11]


@pytest.fixture
def codes_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_cache, "MOST", 0)
    monkeypatch.setattr(memory_cache, "ASKED_CODES", 2)


@pytest.mark.usefixtures("codes_only")
def test_the_codes_that_a_process_keeps_find_the_nearest_without_reading_them(django_assert_num_queries):
    put(*scattered(1000), *(replace(each, id=2000 + each.id, audience=SECRET_ROOM) for each in scattered(50, seed=2)))
    assert asked_again()
    missed = 0
    for seed in range(20):
        question = scattered(1, seed=seed + 100)[0].embedding
        for audiences in ([EVERYBODY], [SECRET_ROOM], [EVERYBODY, SECRET_ROOM]):
            with django_assert_num_queries(2):  # what changed, and the embeddings of the nearest codes
                found = ids(vectors, question, audiences=audiences, limit=3)
            missed += len(set(ids(exact, question, audiences=audiences, limit=3)) - set(found))
    assert missed <= 9  # of 180: 16 numbers leave codes coarser than an embedder's do


@pytest.mark.usefixtures("codes_only")
def test_codes_that_are_kept_are_not_brought_up_to_date_for_one_member(django_assert_num_queries):
    put(*scattered(200), row(500, 1, 0, subject=BOB))
    assert asked_again()
    assert not is_kept(subjects=[BOB])
    with django_assert_num_queries(1):  # the member's embeddings
        assert ids(vectors, towards(1), subjects=[BOB]) == [500]


@pytest.mark.usefixtures("codes_only")
def test_the_codes_that_a_process_keeps_follow_each_change():
    put(*scattered(200))
    assert asked_again()
    chance = random.Random(4)
    for number in range(60):
        some = chance.sample(range(1, 400), 5)
        if number % 3 == 0:
            vectors.delete(kind="fact", ids=some)
        elif number % 3 == 1:
            vectors.move(kind="fact", ids=some, audience=SECRET_ROOM)
        else:
            put(*(replace(row, id=each) for row, each in zip(scattered(5, seed=number), some, strict=True)))
        question = scattered(1, seed=number + 500)[0].embedding
        for audience in (EVERYBODY, SECRET_ROOM):
            assert ids(vectors, question, audiences=[audience]) == ids(exact, question, audiences=[audience])


@pytest.mark.usefixtures("codes_only")
def test_who_missed_more_changes_than_are_noted_reads_the_guild_anew(monkeypatch):
    put(row(1, 1, 0), row(2, 0, 1))
    assert asked_again()
    for number in range(store.FOLLOWED + 5):
        vectors.move(kind="fact", ids=[1], audience=number % 2)
    ((noted,),) = db.select(f"SELECT count(*) FROM {table_of('fact', 'tiny-16')}_changes")
    assert noted == store.FOLLOWED
    assert ids(vectors, towards(1)) == [1, 2]


def test_tables_of_an_earlier_release_get_their_notes_of_changes_with_the_next_row():
    put(row(1, 1, 0))
    table = table_of("fact", "tiny-16")
    for statement in (
        *(f"DROP TRIGGER {table}_{name}" for name in ("from", "put", "move", "delete")), f"DROP TABLE {table}_changes",
        f"CREATE TABLE {table}_guilds (guild INTEGER PRIMARY KEY, version INTEGER NOT NULL)",
        f"CREATE TRIGGER {table}_put BEFORE INSERT ON {table} BEGIN INSERT OR REPLACE INTO {table}_guilds VALUES "
        "(NEW.guild, random()); END",
    ):  # fmt: skip
        db.run(statement)
    assert not asked_again()
    assert ids(vectors, towards(1)) == [1]
    put(row(2, 1, 1))
    assert asked_again()
    vectors.delete(kind="fact", ids=[1])
    assert ids(vectors, towards(1)) == [2]
    assert not db.has_table(f"{table}_guilds")


def test_rebuilding_follows_the_mean_that_the_guild_has_now():
    put(row(1, 1, 0), row(2, 1, 0.1))
    before = quantized.find(kind="fact", model="tiny-16", guild=NORTH)
    put(row(3, -1, 0), row(4, -1, 0.1))
    vectors.rebuild(kind="fact", model="tiny-16")
    after = quantized.find(kind="fact", model="tiny-16", guild=NORTH)
    assert before.marks[1, 0] > 0.9
    assert abs(after.marks[1, 0]) < 0.1
    assert ids(vec0, towards(-1)) == [3, 4, 2, 1]


def test_rebuilding_a_set_that_is_not_there_makes_nothing():
    vectors.rebuild(kind="fact", model="unknown")
    assert quantized.find(kind="fact", model="unknown", guild=NORTH) is None


@pytest.fixture
def no_extension(monkeypatch):
    def switch(*, off: bool) -> None:
        monkeypatch.setattr(connections["default"], "vector_trouble", "switched off by the test" if off else "")

    return switch


def test_without_the_extension_everything_is_still_found(no_extension):
    no_extension(off=True)
    put(row(1, 1, 0), row(2, 0, 1))
    vectors.move(kind="fact", ids=[2], audience=SECRET_ROOM)
    vectors.rebuild(kind="fact", model="tiny-16")
    assert ids(vectors, towards(1)) == [1]


def test_codes_that_missed_a_write_are_never_used(no_extension):
    put(row(1, 1, 0), row(2, 0, 1))
    no_extension(off=True)
    put(row(3, 1, 0))
    vectors.delete(kind="fact", ids=[1])
    no_extension(off=False)
    assert ids(vectors, towards(1)) == [3, 2]
    put(row(4, 1, 0))
    assert ids(vec0, towards(1)) == [3, 4, 2]


@pytest.mark.django_db(transaction=True)
def test_the_codes_find_the_same_after_the_file_was_rewritten():
    put(*scattered(1500))
    put(*[VectorRow(id=each.id + 5000, guild=SOUTH, embedding=each.embedding) for each in scattered(1500, seed=2)])
    vectors.delete(kind="fact", ids=range(1, 1501))  # leaves a hole in the numbers of the chunks
    question = scattered(1, seed=9)[0].embedding
    told = ids(vec0, question, guild=SOUTH)
    with vectors.codes_put_aside():
        assert quantized.find(kind="fact", model="tiny-16", guild=SOUTH) is None
        assert db.clear_deleted(rewrite=True)
    assert quantized.find(kind="fact", model="tiny-16", guild=SOUTH) is not None
    assert ids(vec0, question, guild=SOUTH) == told != []
    assert ids(vec0, question, guild=NORTH) == []


def test_messages_take_a_byte_a_number_and_compare_as_before():
    for kind in ("message", "note"):
        put(*scattered(50), kind=kind)
    ((size,),) = db.select(f"SELECT length(embedding) FROM {table_of('message', 'tiny-16')} LIMIT 1")
    assert size == SIZE
    kept, whole = (vectors.get(kind=kind, model="tiny-16", ids=range(1, 51)) for kind in ("message", "note"))
    assert all(abs(np.linalg.norm(each) - 1) < 1e-5 for each in kept.values())
    assert all(abs(float(kept[one] @ kept[1] - whole[one] @ whole[1])) < 0.01 for one in kept)


def test_a_kind_that_has_no_table_yet_hides_no_other():
    put(row(1, 1, 0, subject=ALICE))
    scope = Scope(guild=NORTH, audiences=[EVERYBODY], subjects=[ALICE])
    asked = [vectors.Sought(kind, scope, 3) for kind in ("note", "fact")]
    found = vectors.search_all(asked, model="tiny-16", embedding=towards(1))
    assert [[match.id for match in each] for each in found] == [[], [1]]
