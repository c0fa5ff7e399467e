"""The word index on PostgreSQL finds and ranks as FTS5 does, scope and erasure included."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Thread
from typing import Any

import pytest
from django.db import connection, transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryhub import db
from memoryhub.search import keywords
from memoryhub.search.keywords import TextRow, bm25, fts5, kept_counts, posting_search, terms
from memoryhub.search.keywords.posting_search import postings_of, table_of
from memoryhub.search.scope import Scope
from tests.memoryhub.search.fts5_in_memory import Memory, memory  # noqa: F401
from tests.verification.statements import recorded

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.postgres_only("PostgreSQL's half"),
]

GUILD, OTHER = 1, 2
WORDS = (
    "bike",
    "bikes",
    "red",
    "painting",
    "painted",
    "boat",
    "the",
    "of",
    "käse",
    "黒猫が",
    "猫",
    "Straße",
    "привет",
    "3.11",
    "🦇bat",
)
TEXTS = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
PLACES = st.tuples(st.sampled_from([11, 12]), st.sampled_from([0, 7]))
SUBJECTS = st.none() | st.lists(st.sampled_from([11, 12]), max_size=2, unique=True)


def scope(guild: int = GUILD, audiences: Sequence[int] = (0,), subjects: Sequence[int] | None = None) -> Scope:
    return Scope(guild=guild, audiences=audiences, subjects=subjects)


def find(query: str, limit: int = 10, **place: Any) -> list[int]:
    return [match.id for match in keywords.search(kind="fact", query=query, scope=scope(**place), limit=limit)]


def put(*texts: str, start: int = 1, guild: int = GUILD, **place: int) -> None:
    rows = [TextRow(id=number, text=text, guild=guild, **place) for number, text in enumerate(texts, start)]
    keywords.put(kind="fact", rows=rows)


def postings(where: str = "true") -> int:
    ((count,),) = db.select(f"SELECT count(*) FROM {postings_of('fact')} WHERE {where}")
    return count


@settings(max_examples=100)
@given(
    things=st.lists(st.tuples(PLACES, TEXTS, TEXTS), min_size=1, max_size=25),
    changed=st.dictionaries(st.integers(0, 24), st.none() | TEXTS, max_size=5),
    query=TEXTS,
    subjects=SUBJECTS,
    audiences=st.sampled_from([[0], [7], [0, 7]]),
    limits=st.sampled_from([(2, 2000), (12, 2000), (12, 0)]),
)
def test_rows_are_ranked_as_fts5_ranks_them(memory, things, changed, query, subjects, audiences, limits):  # noqa: F811
    rows = {
        number: TextRow(id=number, guild=GUILD, subject=subject, audience=audience, text=text, before=before)
        for number, ((subject, audience), text, before) in enumerate(things)
    }
    place, found = scope(GUILD, audiences, subjects), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(terms, "MOST_WORDS", limits[0])
        patch.setattr(bm25, "FEW_TEXTS", limits[1])
        for half in (fts5, keywords):
            half.clear()
            half.put(kind="message", rows=list(rows.values()))
            for number, text in changed.items():
                if number in rows and text is not None:
                    half.put(kind="message", rows=[TextRow(id=number, guild=GUILD, audience=7, text=text)])
                elif number in rows:
                    half.delete(kind="message", ids=[number], guild=GUILD)
            found.append(half.search(kind="message", query=query, scope=place, limit=10))
    assert [match.id for match in found[1]] == [match.id for match in found[0]]
    assert [match.score for match in found[1]] == pytest.approx([match.score for match in found[0]], rel=1e-6)


def test_another_half_would_be_noticed(monkeypatch):
    put("a red bike", "the bike is red, and so is the boat beside it")
    before = [match.score for match in keywords.search(kind="fact", query="red boat", scope=scope(), limit=9)]
    monkeypatch.setattr(bm25, "K1", 1.3)
    monkeypatch.setattr(posting_search, "K1", 1.3)
    assert before != [match.score for match in keywords.search(kind="fact", query="red boat", scope=scope(), limit=9)]


@pytest.mark.parametrize("subjects", [None, [11]])
def test_words_that_most_texts_have_count_only_for_what_the_rarer_ones_find(monkeypatch, subjects):
    monkeypatch.setattr(bm25, "FEW_TEXTS", 0)
    put(*["red bike"] * 20, *["red boat"] * 3, "blue boat", subject=11)
    whole = find("red boat", subjects=subjects)
    monkeypatch.setattr(bm25, "MOST_READ", 5)
    assert find("red boat", subjects=subjects)[:4] == whole[:4] == [21, 22, 23, 24]
    assert find("red", subjects=subjects, limit=50) != []


def test_what_is_counted_from_a_sample_is_near_what_there_is(monkeypatch):
    put(*["red bike"] * 300, *["boat"] * 700)
    monkeypatch.setattr(terms, "COUNTED_TO", 200)
    asked = [terms.term("bike"), terms.term("boat")]
    counts = posting_search._counts("fact", asked, scope(), keywords.Counted())
    assert counts.texts == pytest.approx(1000, rel=0.2)
    assert [counts.having[terms.term(word)] for word in ("bike", "boat")] == pytest.approx([300, 700], rel=0.2)


def test_how_many_texts_there_are_is_not_counted_at_every_question_where_they_are_many(monkeypatch):
    def counted() -> int:
        with recorded() as kept:
            assert find("bike") == [1]
        return sum("sum(length)" in each for each in kept)

    monkeypatch.setattr(kept_counts, "_now", lambda: 1)
    monkeypatch.setattr(kept_counts, "FEW", 3)
    put("red bike", "boat")
    assert [counted(), counted()] == [1, 1]
    put("painting", start=3)
    assert [counted(), counted()] == [1, 0]
    monkeypatch.setattr(kept_counts, "_now", lambda: 2)
    assert counted() == 1


def test_what_another_guild_says_weighs_nothing():
    put("a red bike", "a blue bike", "bread")
    alone = keywords.search(kind="fact", query="red bike", scope=scope(), limit=9)
    put(*["red"] * 50, start=100, guild=OTHER)
    assert keywords.search(kind="fact", query="red bike", scope=scope(), limit=9) == alone


def test_nothing_of_a_text_that_was_deleted_or_changed_is_left():
    put("a red bike", "a blue bike")
    keywords.delete(kind="fact", ids=[1], guild=GUILD)
    put("green", start=2)
    (terms_left,) = db.select(f"SELECT array_agg(term) FROM {postings_of('fact')}")
    assert set(terms_left[0]) == {terms.term("green")}
    assert db.select(f"SELECT id, terms FROM {table_of('fact')}") == [(2, [terms.term("green")])]


def test_an_id_of_another_guild_is_not_deleted_with_ours():
    put("bike")
    put("bike", guild=OTHER)
    keywords.delete(kind="fact", ids=[1], guild=GUILD)
    assert (find("bike"), find("bike", guild=OTHER)) == ([], [1])
    keywords.delete(kind="fact", ids=[1])
    assert find("bike", guild=OTHER) == []


def test_of_an_id_that_is_put_twice_at_once_the_last_text_stays():
    rows = [TextRow(id=1, guild=GUILD, text=text) for text in ("red", "blue")]
    keywords.put(kind="fact", rows=rows)
    assert (find("red"), find("blue"), postings()) == ([], [1], 1)


@pytest.mark.django_db(transaction=True)
def test_two_who_put_the_same_row_at_once_leave_one_text():
    def often(text: str) -> None:
        for _ in range(40):
            put(text, text)
        connection.close()

    threads = [Thread(target=often, args=[text]) for text in ("red", "blue", "green")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert postings() == 2


@pytest.mark.django_db(transaction=True)
def test_what_others_write_in_a_guild_is_not_waited_for():
    put("red")
    waited = []

    def write() -> None:
        with transaction.atomic():
            connection.cursor().execute("SET LOCAL lock_timeout = 2000")
            put("blue", start=3)
        waited.append(find("blue"))
        connection.close()

    with transaction.atomic():
        put("bike", start=2)
        keywords.delete(kind="fact", ids=[1], guild=GUILD)
        other = Thread(target=write)
        other.start()
        other.join()
    assert waited == [[3]]


def test_the_scope_is_part_of_what_is_read(monkeypatch):
    put(*["bike bike"] * 300, start=100, guild=OTHER)
    put(*["bike bike"] * 300, start=500, audience=7)
    put("a bike in a much longer sentence than theirs", subject=11)
    for most, few in ((20_000, 2000), (3, 0)):
        monkeypatch.setattr(bm25, "MOST_READ", most)
        monkeypatch.setattr(bm25, "FEW_TEXTS", few)
        assert find("bike", limit=3) == find("bike", limit=3, subjects=[11]) == [1]
