from dataclasses import replace

import pytest

from memory.index import embeddings, writing
from memory.models import Fact
from memory.recall import retrieval
from memory.recall.search import recall
from memoryhub.db.guild_scope import inside
from memoryhub.search import vectors
from memoryhub.search.scope import WHOLE_GUILD, Scope
from tests import toy_embedder
from tests.factories import NOON, make_fact, make_guild, make_member, make_message, make_note, minutes

pytestmark = pytest.mark.django_db

MODEL = toy_embedder.ToyEmbedder.identity


def test_missing_embeddings_are_made_up_to_the_limit(toy):
    facts = [make_fact(f"Owns {number} cats.") for number in range(3)]
    note = make_note()
    assert embeddings.embed_missing(2) == 2
    assert embeddings.embed_missing(10) == 2
    assert vectors.held(kind="fact", model=MODEL) == {fact.pk for fact in facts}
    assert vectors.held(kind="note", model=MODEL) == {note.pk}
    assert embeddings.embed_missing(10) == 0


def test_embedding_that_is_told_to_stop_ends_after_a_block_and_the_next_run_does_the_rest(toy, monkeypatch):
    monkeypatch.setattr(embeddings, "BATCH", 2)
    facts, note = [make_fact(f"Owns {number} cats.") for number in range(3)], make_note()
    asked = iter([True, False, False])  # both blocks of facts, the one of notes
    with inside(make_guild()):
        assert not embeddings.embed_all_missing(10, keep_going=lambda: next(asked))
        assert vectors.held(kind="fact", model=MODEL) == {fact.pk for fact in facts[1:]}
        assert embeddings.embed_all_missing(10, keep_going=lambda: True)
    assert vectors.held(kind="fact", model=MODEL) == {fact.pk for fact in facts}
    assert vectors.held(kind="note", model=MODEL) == {note.pk}


def test_messages_are_embedded_after_the_rest_the_newest_first(toy):
    older, newer = make_message("Hi all."), make_message("The kayak leaks.", sent_at=NOON + minutes(1))
    bot = make_message("kayak", author=make_member(name="Robo", is_bot=True))
    fact = make_fact()
    assert embeddings.embed_missing(2) == 2
    assert vectors.held(kind="fact", model=MODEL) == {fact.pk}
    assert vectors.held(kind="message", model=MODEL) == {newer.pk}
    assert embeddings.embed_missing(10) == 1
    assert vectors.held(kind="message", model=MODEL) == {older.pk, newer.pk}
    assert bot.pk not in vectors.held(kind="message", model=MODEL)


def test_a_changed_fact_is_embedded_anew(toy):
    fact = make_fact("Owns a cat.")
    embeddings.embed_missing(10)
    fact.text = "Owns a kayak."
    fact.save()
    writing.index_facts([fact])
    embeddings.embed_missing(10)
    (embedding,) = vectors.get(kind="fact", model=MODEL, ids=[fact.pk]).values()
    assert embedding @ toy.query("kayak") > embedding @ toy.query("cat")


def test_another_embedder_embeds_all_anew_and_words_answer_until_it_has(toy, monkeypatch):
    fact = make_fact("Owns a cat.")
    writing.index_facts([fact])
    embeddings.embed_missing(10)
    toy.identity = "toy:other:256"
    monkeypatch.setattr(retrieval, "AT_NEED", 0)
    (told,) = recall(make_guild(), question="cat", now=NOON, kinds=["fact"])
    assert told.scores["semantic"] == 0
    assert embeddings.embed_missing(10) == 1
    (told,) = recall(make_guild(), question="cat", now=NOON, kinds=["fact"])
    assert told.scores["semantic"] > 0


def test_a_question_embeds_a_new_fact_once_for_all_the_scopes_that_it_asks(toy, monkeypatch):
    alice, embedded, passages = make_member(name="Alice"), [], toy.passages
    fact = make_fact("Owns a cat.", subject=alice)
    writing.index_facts([fact])
    monkeypatch.setattr(toy, "passages", lambda texts: embedded.extend(texts) or passages(texts))
    query, everybody = retrieval.embedded_query("cat"), Scope(guild=fact.guild_id, audiences=[WHOLE_GUILD])
    cosines = [
        hits[fact.pk].cosine
        for scope in (everybody, replace(everybody, subjects=[alice.pk]))
        for hits in retrieval.retrieve_all(query, [retrieval.Asked("fact", scope)])
    ]
    assert cosines[0] == cosines[1] > 0
    assert embedded == ["Alice: Owns a cat."]


def test_a_fact_that_changes_while_it_is_embedded_is_embedded_later(toy):
    fact = make_fact()
    toy.while_embedding = lambda: Fact.objects.update(text="Lives in Rome.")
    assert embeddings.embed_missing(10) == 0
    assert vectors.held(kind="fact", model=MODEL) == set()
    toy.while_embedding = lambda: None
    assert embeddings.embed_missing(10) == 1
    assert vectors.held(kind="fact", model=MODEL) == {fact.pk}


def test_without_an_embedder_nothing_is_embedded(monkeypatch):
    monkeypatch.setattr(embeddings, "embedder", lambda: None)
    make_fact()
    assert embeddings.embed_missing(10) == 0
