from dataclasses import replace

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from memory import pipeline
from memory.index import embeddings, reindexing, writing
from memory.index.documents import note_rows
from memory.models import Fact
from memoryhub.search import keywords, vectors
from tests import toy_embedder
from tests.factories import NOON, make_fact, make_member, make_message, make_note, minutes
from tests.incoming import NORTH, incoming

pytestmark = pytest.mark.django_db

MODEL = toy_embedder.ToyEmbedder.identity


def test_check_counts_what_is_missing_and_what_is_left_over(toy):
    kept, gone = make_fact("Owns a cat."), make_fact("Owns a dog.")
    writing.index_facts([gone])
    embeddings.embed_missing(10)
    Fact.objects.filter(pk=gone.pk).delete()
    found = {(each.index, each.kind): (each.missing, each.orphaned) for each in reindexing.check()}
    assert found["words", "fact"] == (1, 1)
    assert found["vectors", "fact"] == (0, 1)
    assert found["words", "message"] == (0, 0)
    assert kept.pk not in keywords.held(kind="fact")


def test_rebuild_mends_what_check_finds(toy):
    make_fact("Owns a cat.")
    make_note()
    make_message()
    seen = []
    before = reindexing.rebuild(lambda *told: seen.append(told))
    assert sum(each.missing for each in before) == 6
    assert all(each.ok for each in reindexing.check())
    assert seen[-1] == ("embeddings of messages", 1, 1)


def test_the_progress_of_a_rebuild_reaches_its_end(toy):
    make_fact("Owns a cat.")
    make_fact("Owns a dog.")
    seen = []
    reindexing.rebuild(lambda *told: seen.append(told))
    assert seen == [("words of facts", 2, 2), ("embeddings of facts", 2, 2)]


def test_a_note_of_before_is_found_by_its_talk_once_all_is_indexed_anew(found):
    note = make_note(messages=[make_message("The kayak leaks.")])
    keywords.put(kind="note", rows=[replace(row, before="") for row in note_rows([note])])
    assert found("note", "kayak") == []
    reindexing.rebuild()
    assert found("note", "kayak") == [note.pk]


def test_the_reindex_command_reports_and_mends(toy, capsys):
    make_fact("Owns a cat.")
    with pytest.raises(CommandError) as error:
        call_command("reindex", "--check")
    assert error.value.returncode == 1
    call_command("reindex")
    call_command("reindex", "--check")
    assert "cat" not in capsys.readouterr().out


def renamed(member, name):
    """Rename as a door does: by what the member's next message says."""
    message = incoming("hello")
    author = message.author.model_copy(update={"id": member.platform_id, "name": name.lower(), "display_name": name})
    pipeline.receive(message.model_copy(update={"author": author}), guild=NORTH, now=NOON)


def test_after_a_rename_the_rows_of_a_member_are_found_by_the_new_name_only(toy, monkeypatch, found):
    monkeypatch.setattr(reindexing, "BATCH", 2)
    alice, bob = make_member(name="Alice"), make_member(name="Bob")
    said = [make_message(f"Kayaks are for sale, number {number}.", author=alice) for number in range(5)]
    answer = make_message("Which colour?", author=bob)
    fact = make_fact("Owns a kayak.", subject=alice)
    writing.index_messages([*said, answer]), writing.index_facts([fact])
    embeddings.embed_missing(10)
    renamed(alice, "Ada")
    assert reindexing.follow_names(100) >= 6
    assert found("fact", "alice") == found("message", "alice") == []
    assert found("fact", "ada") == [fact.pk]
    assert {*(message.pk for message in said), answer.pk} <= set(found("message", "ada"))
    assert vectors.held(kind="fact", model=MODEL) == set()  # its passage held the old name: it is embedded anew
    assert reindexing.follow_names(100) == 0


def test_a_long_history_is_followed_a_part_at_a_time_and_begun_again_at_another_rename(monkeypatch, found):
    monkeypatch.setattr(reindexing, "BATCH", 2)
    alice = make_member(name="Alice")
    said = [make_message(f"Kayak number {number}.", author=alice) for number in range(6)]
    writing.index_messages(said)
    renamed(alice, "Ada")
    assert reindexing.follow_names(2) == 2
    alice.refresh_from_db()
    assert alice.indexed_to == said[1].pk
    renamed(alice, "Anna")
    reindexing.follow_names(100)
    assert len(found("message", "anna kayak")) >= 6
    assert found("message", "ada") == []


def test_the_minute_follows_renames(toy, found):
    alice = make_member(name="Alice")
    fact = make_fact("Owns a kayak.", subject=alice)
    writing.index_facts([fact])
    renamed(alice, "Ada")
    pipeline.tick(now=NOON + minutes(1))
    assert found("fact", "ada") == [fact.pk]
