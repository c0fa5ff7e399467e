"""The vector index: the same promises for `exact` and `vec0`, and the façade that chooses between them."""

from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np
import pytest
from django.db import connection, connections, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoryhub import db
from memoryhub.search import vectors
from memoryhub.search.scope import Scope
from memoryhub.search.vectors import distance_bound, exact, memory_cache, quantized, vec0
from memoryhub.search.vectors.vector_types import Row
from tests.memoryhub.search.table_rebuild import rebuild_a_table

pytestmark = pytest.mark.django_db

SIZE = 16
NORTH, SOUTH = 1, 2
EVERYBODY, SECRET_ROOM = 0, 7
ALICE, BOB = 11, 12


@pytest.fixture(autouse=True)
def small_sets_get_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quantized, "CODES_FROM", 1)


@pytest.fixture(params=["exact", "vec0"])
def index(request: pytest.FixtureRequest) -> Any:
    return {"exact": exact, "vec0": vec0}[request.param]


def towards(*parts: float) -> np.ndarray:
    """An embedding with these first numbers, and a small last one so that it always has a direction."""
    vector = np.zeros(SIZE, dtype=np.float32)
    vector[: len(parts)] = parts
    vector[-1] = 0.01
    return vector


def row(number: int, *parts: float, guild: int = NORTH, subject: int = ALICE, audience: int = EVERYBODY) -> Row:
    return Row(id=number, guild=guild, subject=subject, audience=audience, embedding=towards(*parts))


def put(*rows: Row, kind: str = "fact", model: str = "tiny-16") -> None:
    vectors.put(kind=kind, model=model, rows=rows)


def ids(
    index: Any,
    embedding: np.ndarray,
    *,
    guild: int = NORTH,
    audiences: Sequence[int] = (EVERYBODY,),
    subjects: Sequence[int] | None = None,
    limit: int = 10,
    kind: str = "fact",
    model: str = "tiny-16",
) -> list[int]:
    scope = Scope(guild=guild, audiences=audiences, subjects=subjects)
    found = index.search(kind=kind, model=model, embedding=embedding, scope=scope, limit=limit)
    return [match.id for match in found]


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
    ids(index, towards(1))
    assert not [name for name in connection.introspection.table_names() if name.startswith("memoryhub_vector")]


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
    vectors.put(kind="fact", model="other-2", rows=[Row(id=5, guild=NORTH, embedding=np.array([1.0, 2.0]))])
    assert ids(index, towards(1), kind="note") == [1]
    assert ids(index, np.array([1.0, 0.0]), model="other-2") == [5]
    assert ids(index, towards(1)) == [1]


def test_putting_again_replaces_place_and_embedding(index):
    put(row(1, 1, 0), row(2, 0, 1))
    put(row(1, 0, 1, guild=SOUTH, subject=BOB, audience=SECRET_ROOM))
    assert ids(index, towards(1)) == [2]
    assert ids(index, towards(0, 1), guild=SOUTH, audiences=[SECRET_ROOM], subjects=[BOB]) == [1]


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
        put(row(2, 1, 0), Row(id=3, guild=NORTH, embedding=broken))
    with pytest.raises(ValueError, match="finite and not all zeros"):
        ids(index, broken)
    assert ids(index, towards(1)) == [1]


def test_an_embedding_of_another_size_is_refused(index):
    put(row(1, 1, 0))
    with pytest.raises(ValueError, match="one size"):
        put(Row(id=2, guild=NORTH, embedding=np.ones(SIZE + 1)))
    assert ids(index, towards(1)) == [1]


def test_a_thousand_audiences_fit_in_one_question(index):
    put(row(1, 1, 0, audience=900))
    assert ids(index, towards(1), audiences=range(1000)) == [1]


def test_more_can_be_asked_for_than_sqlite_vec_allows(index):
    put(row(1, 1, 0), row(2, 1, 0))
    assert ids(index, towards(1), limit=100_000) == [1, 2]


PLACES = st.tuples(st.sampled_from([NORTH, SOUTH]), st.sampled_from([ALICE, BOB]), st.sampled_from([0, SECRET_ROOM]))
POINTS = st.lists(st.integers(-5, 5), min_size=4, max_size=4)
MODELS = count()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
    monkeypatch.setattr(memory_cache, "find", lambda **_: None)
    monkeypatch.setattr(vec0, "search_coded", lambda _codes, **question: asked.append("vec0") or [])
    monkeypatch.setattr(exact, "search", lambda **question: asked.append("exact") or [])
    ids(vectors, towards(1))
    ids(vectors, towards(1), subjects=[ALICE])
    ids(vectors, towards(1), guild=SOUTH)
    assert asked == ["vec0", "exact", "exact"]


def scattered(count: int, *, seed: int = 1, **place: int) -> list[Row]:
    drawn = np.random.default_rng(seed).standard_normal((count, SIZE), dtype=np.float32)
    return [Row(id=number, guild=NORTH, embedding=vector, **place) for number, vector in enumerate(drawn, 1)]


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
    put(*scattered(1000), Row(id=5000, guild=NORTH, audience=SECRET_ROOM, embedding=towards(1)))
    (coded, query) = quantized.find(kind="fact", model="tiny-16", guild=NORTH), scattered(1, seed=7)[0].embedding
    within = distance_bound.guess(coded, query, Scope(guild=NORTH, audiences=[EVERYBODY]), 20)
    near = [each for each in scattered(1000) if distance(coded, each.embedding, query) <= within]
    assert 20 < len(near) < 500
    assert distance_bound.guess(coded, query, Scope(guild=NORTH, audiences=[EVERYBODY]), 200) is None
    assert distance_bound.guess(coded, query, Scope(guild=NORTH, audiences=[SECRET_ROOM]), 20) is None


def distance(coded: quantized.Codes, one: np.ndarray, other: np.ndarray) -> int:
    return (int.from_bytes(coded.of(one)) ^ int.from_bytes(coded.of(other))).bit_count()


def asked_again(*, guild: int = NORTH) -> bool:
    ids(vectors, towards(1), guild=guild)
    ids(vectors, towards(1), guild=guild)
    return memory_cache.find(kind="fact", model="tiny-16", guild=guild) is not None


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
    assert memory_cache.find(kind="fact", model="tiny-16", guild=SOUTH) is not None


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
    monkeypatch.setattr(memory_cache, "ROOM", 3)
    put(*(row(number, 1, 0, guild=guild) for guild in (NORTH, SOUTH) for number in (10 * guild, 10 * guild + 1)))
    assert asked_again()
    assert asked_again(guild=SOUTH)
    ids(vectors, towards(1))
    assert memory_cache.find(kind="fact", model="tiny-16", guild=NORTH) is not None
    put(row(1, 1, 0))
    assert not asked_again()
    assert ids(vectors, towards(1)) == [1, 10, 11]


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
def test_vectors_survive_a_migration_that_rebuilds_a_table_of_the_models(index):
    put(row(1, 1, 0))
    rebuild_a_table()
    assert ids(index, towards(1)) == [1]
    put(row(2, 1, 0))
    assert ids(index, towards(1)) == [1, 2]
    vectors.clear()


def test_an_embedding_is_kept_as_exactly_as_a_cosine_is_told():
    drawn = np.random.default_rng(7).standard_normal((50, 384), dtype=np.float32)
    put(*(Row(id=n, guild=NORTH, embedding=each) for n, each in enumerate(drawn)), model="wide-384")
    units = drawn / np.linalg.norm(drawn, axis=1)[:, None]
    found = vectors.search(
        kind="fact", model="wide-384", embedding=drawn[0], scope=Scope(guild=NORTH, audiences=[EVERYBODY]), limit=50
    )
    assert {match.id: match.score for match in found} == pytest.approx(dict(enumerate(units @ units[0])), abs=1e-4)


@pytest.mark.django_db(transaction=True)
def test_the_codes_find_the_same_after_the_file_was_rewritten():
    put(*scattered(1500))
    put(*[Row(id=each.id + 5000, guild=SOUTH, embedding=each.embedding) for each in scattered(1500, seed=2)])
    vectors.delete(kind="fact", ids=range(1, 1501))  # leaves a hole in the numbers of the chunks
    question = scattered(1, seed=9)[0].embedding
    told = ids(vec0, question, guild=SOUTH)
    with vectors.codes_put_aside():
        assert quantized.find(kind="fact", model="tiny-16", guild=SOUTH) is None
        assert db.clear_deleted(rewrite=True)
    assert quantized.find(kind="fact", model="tiny-16", guild=SOUTH) is not None
    assert ids(vec0, question, guild=SOUTH) == told != []
    assert ids(vec0, question, guild=NORTH) == []
