"""What the minute's chores look at to find rows without an embedding: the newer and the changed ones, each once."""

import pytest
from django.db.models import F
from django.utils import timezone

from memory.curation import corrections
from memory.index import embedded_to, embeddings, writing
from memory.models import EmbeddedTo, Fact
from memoryhub.db.guild_scope import inside
from memoryhub.search import vectors
from tests import toy_embedder
from tests.factories import NOON, days, make_fact, make_guild, make_member

pytestmark = pytest.mark.django_db
MODEL = toy_embedder.ToyEmbedder.identity


@pytest.fixture(autouse=True)
def working(toy):
    """Work in a guild, as its minute's chores do."""
    with inside(make_guild()):
        yield


@pytest.fixture
def compared(monkeypatch):
    """Return the statements that are asked for rows without an embedding, with their values."""
    asked, lacking = [], vectors.lacking
    monkeypatch.setattr(
        vectors, "lacking", lambda sql, params, **more: asked.append((sql, params)) or lacking(sql, params, **more)
    )
    return asked


def embedded():
    return vectors.held(kind="fact", model=MODEL)


def reached():
    return EmbeddedTo.objects.get(kind="fact").reached


def test_once_all_are_embedded_nothing_is_compared_until_something_is_new(compared):
    fact = make_fact("Owns a cat.")
    embeddings.embed_missing(10)
    assert reached() == fact.pk
    compared.clear()
    assert embeddings.embed_missing(10) == 0
    assert not embeddings.are_missing()
    assert compared == []
    newer = make_fact("Owns a kayak.")
    assert embeddings.are_missing()
    assert embeddings.embed_missing(10) == 1
    assert all(fact.pk in params for _, params in compared)
    assert embedded() == {fact.pk, newer.pk}


def test_what_is_left_for_the_next_minute_is_not_taken_for_embedded():
    facts = [make_fact(f"Owns {number} cats.") for number in range(3)]
    embeddings.embed_missing(2)
    assert reached() == 0
    embeddings.embed_missing(2)
    assert embedded() == {fact.pk for fact in facts}
    assert reached() == facts[-1].pk


def test_an_older_row_that_is_changed_is_looked_at_again():
    older, newer = make_fact("Owns a cat."), make_fact("Owns a kayak.")
    embeddings.embed_missing(10)
    writing.index_facts([older])
    assert reached() == older.pk - 1
    assert embeddings.embed_missing(10) == 1
    assert embedded() == {older.pk, newer.pk}


def test_a_row_that_goes_has_nothing_looked_at_again():
    older, newer = make_fact("Owns a cat."), make_fact("Owns a kayak.")
    embeddings.embed_missing(10)
    Fact.objects.filter(pk=older.pk).update(status="archived")
    older.refresh_from_db()
    writing.index_facts([older])
    assert reached() == newer.pk


def test_a_fact_that_is_restored_is_embedded():
    fact = make_fact("Owns a cat.")
    make_fact("Owns a kayak.")
    embeddings.embed_missing(10)
    corrections.archive(fact, actor="operator:test", now=NOON)
    assert fact.pk not in embedded()
    embeddings.embed_missing(10)
    corrections.restore(Fact.objects.get(pk=fact.pk), actor="operator:test", now=NOON)
    embeddings.embed_missing(10)
    assert fact.pk in embedded()


def test_what_changes_between_the_look_and_its_end_is_looked_at_again():
    fact = make_fact("Owns a cat.")
    found = embedded_to.missing("fact", model=MODEL)
    assert found.ids == [fact.pk]
    writing.index_facts([fact])
    embedded_to.all_embedded(found)
    assert reached() == 0


def test_a_row_that_was_changed_while_it_was_embedded_is_embedded_by_the_next_minute(toy):
    fact = make_fact("Owns a cat.")
    toy.while_embedding = lambda: Fact.objects.update(text="Owns a kayak.")
    assert embeddings.embed_missing(10) == 0
    toy.while_embedding = lambda: None
    assert embeddings.embed_missing(10) == 1
    assert embedded() == {fact.pk}


def test_another_embedder_compares_all_anew(toy):
    fact = make_fact("Owns a cat.")
    embeddings.embed_missing(10)
    toy.identity = "toy:other:256"
    assert embeddings.embed_missing(10) == 1
    assert vectors.held(kind="fact", model="toy:other:256") == {fact.pk}


def test_another_guild_has_its_own_place():
    make_fact("Owns a cat.")
    embeddings.embed_missing(10)
    other = make_guild("discord:2")
    with inside(other):
        theirs = make_fact("Owns a kayak.", subject=make_member(other))
        assert embeddings.embed_missing(10) == 1
    assert theirs.pk in embedded()


def test_once_a_day_all_are_compared_in_case_somebody_wrote_past_the_rules():
    fact = make_fact("Owns a cat.")
    embeddings.embed_missing(10)
    vectors.delete(kind="fact", ids=[fact.pk])
    assert embeddings.embed_missing(10) == 0
    EmbeddedTo.objects.update(compared_at=F("compared_at") - days(1))
    assert embeddings.embed_missing(10) == 1
    assert embedded() == {fact.pk}
    assert EmbeddedTo.objects.get(kind="fact").compared_at > timezone.now() - days(1)
