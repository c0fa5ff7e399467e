import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from memory import pipeline
from memory.index import writing
from memory.models import Fact
from memory.recall import retrieval
from memory.recall.search import recall
from memoryhub.search import keywords, vectors
from memoryhub.search.scope import Scope
from tests import toy_embedder
from tests.factories import NOON, make_channel, make_fact, make_guild, make_member, make_message, make_note, minutes
from tests.incoming import NORTH, incoming

pytestmark = pytest.mark.django_db

MODEL = toy_embedder.ToyEmbedder.identity


@pytest.fixture
def embedder(monkeypatch):
    return toy_embedder.install(monkeypatch)


def found(kind, query, guild=None, **scope):
    scope = Scope(guild=(guild or make_guild()).pk, audiences=scope.pop("audiences", [0]), **scope)
    return [match.id for match in keywords.search(kind=kind, query=query, scope=scope, limit=10)]


def test_a_fact_is_found_by_its_words_and_by_the_name_of_its_subject():
    fact = make_fact("Lives in Toronto.", subject=make_member(name="Alice"))
    writing.index_facts([fact])
    assert found("fact", "toronto") == found("fact", "alice") == [fact.pk]


def test_facts_that_are_not_active_leave_the_indexes(embedder):
    fact = make_fact()
    writing.index_facts([fact])
    writing.embed_missing(10)
    fact.status = Fact.Status.ARCHIVED
    writing.index_facts([fact])
    assert found("fact", "toronto") == []
    assert vectors.held(kind="fact", model=MODEL) == set()


def test_a_private_fact_is_found_in_its_own_channel_only():
    mods = make_channel(name="mods", private=True)
    fact = make_fact(audience=mods)
    writing.index_facts([fact])
    assert found("fact", "toronto") == []
    assert found("fact", "toronto", audiences=[0, mods.pk]) == [fact.pk]


def test_a_message_is_found_by_the_one_that_it_answers():
    make_message("Where did you buy the kayak?", author=make_member(name="Bob"))
    answer = make_message("At the flea market.")
    writing.index_messages([answer])
    assert found("message", "kayak") == [answer.pk]


def test_a_message_of_another_conversation_stands_before_none():
    make_message("Where did you buy the kayak?", sent_at=NOON - minutes(90))
    later = make_message("Good morning all.", sent_at=NOON)
    writing.index_messages([later])
    assert found("message", "kayak") == []


def test_a_message_of_another_channel_stands_before_none():
    make_message("The kayak leaks.", channel=make_channel(name="mods", private=True), sent_at=NOON)
    open_one = make_message("Good morning all.", sent_at=NOON + minutes(1))
    writing.index_messages([open_one])
    assert found("message", "kayak") == []


def test_bots_and_deleted_messages_are_never_indexed():
    bot = make_message("kayak", author=make_member(name="Robo", is_bot=True))
    deleted = make_message("", deleted_at=NOON)
    after = make_message("Good morning all.")
    writing.index_messages([bot, deleted, after])
    assert keywords.held(kind="message") == {after.pk}
    assert found("message", "kayak") == []


def test_deleting_a_message_takes_its_text_out_of_the_one_after_it():
    first = make_message("The kayak leaks.")
    second = make_message("Good morning all.")
    writing.index_messages([first, second])
    writing.drop("message", [first.pk])
    assert found("message", "kayak") == []
    assert found("message", "morning") == [second.pk]


def test_editing_a_message_changes_what_stands_before_the_next():
    first = make_message("The kayak leaks.")
    second = make_message("Good morning all.")
    writing.index_messages([first, second])
    first.text = "The canoe leaks."
    first.save()
    writing.index_messages([first])
    assert found("message", "kayak") == []
    assert found("message", "canoe") == [first.pk, second.pk]


def test_a_batch_of_many_channels_and_days_is_read_in_a_few_queries(django_assert_max_num_queries):
    channels = [make_channel(name=name) for name in ("one", "two")]
    messages = [make_message(f"word{number}", channel=channels[number % 2]) for number in range(40)]
    with django_assert_max_num_queries(14):
        writing.index_messages(messages)
    assert len(keywords.held(kind="message")) == 40


def test_missing_embeddings_are_made_up_to_the_limit(embedder):
    facts = [make_fact(f"Owns {number} cats.") for number in range(3)]
    note = make_note()
    assert writing.embed_missing(2) == 2
    assert writing.embed_missing(10) == 2
    assert vectors.held(kind="fact", model=MODEL) == {fact.pk for fact in facts}
    assert vectors.held(kind="note", model=MODEL) == {note.pk}
    assert writing.embed_missing(10) == 0


def test_a_changed_fact_is_embedded_anew(embedder):
    fact = make_fact("Owns a cat.")
    writing.embed_missing(10)
    fact.text = "Owns a kayak."
    fact.save()
    writing.index_facts([fact])
    writing.embed_missing(10)
    (embedding,) = vectors.get(kind="fact", model=MODEL, ids=[fact.pk]).values()
    assert embedding @ embedder.query("kayak") > embedding @ embedder.query("cat")


def test_another_embedder_embeds_all_anew_and_words_answer_until_it_has(embedder, monkeypatch):
    fact = make_fact("Owns a cat.")
    writing.index_facts([fact])
    writing.embed_missing(10)
    embedder.identity = "toy:other:256"
    monkeypatch.setattr(retrieval, "AT_NEED", 0)
    (told,) = recall(make_guild(), question="cat", now=NOON, kinds=["fact"])
    assert told.scores["semantic"] == 0
    assert writing.embed_missing(10) == 1
    (told,) = recall(make_guild(), question="cat", now=NOON, kinds=["fact"])
    assert told.scores["semantic"] > 0


def test_a_fact_that_changes_while_it_is_embedded_is_embedded_later(embedder):
    fact = make_fact()
    embedder.while_embedding = lambda: Fact.objects.update(text="Lives in Rome.")
    assert writing.embed_missing(10) == 0
    assert vectors.held(kind="fact", model=MODEL) == set()
    embedder.while_embedding = lambda: None
    assert writing.embed_missing(10) == 1
    assert vectors.held(kind="fact", model=MODEL) == {fact.pk}


def test_without_an_embedder_nothing_is_embedded(monkeypatch):
    monkeypatch.setattr(writing, "embedder", lambda: None)
    make_fact()
    assert writing.embed_missing(10) == 0


def test_check_counts_what_is_missing_and_what_is_left_over(embedder):
    kept, gone = make_fact("Owns a cat."), make_fact("Owns a dog.")
    writing.index_facts([gone])
    writing.embed_missing(10)
    Fact.objects.filter(pk=gone.pk).delete()
    found = {(each.index, each.kind): (each.missing, each.orphaned) for each in writing.check()}
    assert found["words", "fact"] == (1, 1)
    assert found["vectors", "fact"] == (0, 1)
    assert found["words", "message"] == (0, 0)
    assert kept.pk not in keywords.held(kind="fact")


def test_rebuild_mends_what_check_finds(embedder):
    make_fact("Owns a cat.")
    make_note()
    make_message()
    seen = []
    before = writing.rebuild(lambda what, done, total: seen.append((what, total)))
    assert sum(each.missing for each in before) == 5
    assert all(each.ok for each in writing.check())
    assert ("words of messages", 1) in seen
    assert ("embeddings of facts", 1) in seen


def test_the_reindex_command_reports_and_mends(embedder, capsys):
    make_fact("Owns a cat.")
    with pytest.raises(CommandError) as error:
        call_command("reindex", "--check")
    assert error.value.returncode == 1
    call_command("reindex")
    call_command("reindex", "--check")
    assert "cat" not in capsys.readouterr().out


def test_of_messages_of_one_moment_the_first_stored_stands_before_the_second():
    first, second = make_message("How was the harbour?", sent_at=NOON), make_message("Cold!", sent_at=NOON)
    writing.index_messages([second])
    assert found("message", "harbour") == [second.pk]
    writing.index_messages([first])
    assert sorted(found("message", "harbour")) == [first.pk, second.pk]


def renamed(member, name):
    """Rename as a door does: by what the member's next message says."""
    message = incoming("hello")
    author = message.author.model_copy(update={"id": member.platform_id, "name": name.lower(), "display_name": name})
    pipeline.receive(message.model_copy(update={"author": author}), guild=NORTH, now=NOON)


def test_after_a_rename_the_rows_of_a_member_are_found_by_the_new_name_only(embedder, monkeypatch):
    monkeypatch.setattr(writing, "REBUILT_AT_ONCE", 2)
    alice, bob = make_member(name="Alice"), make_member(name="Bob")
    said = [make_message(f"Kayaks are for sale, number {number}.", author=alice) for number in range(5)]
    answer = make_message("Which colour?", author=bob)
    fact = make_fact("Owns a kayak.", subject=alice)
    writing.index_messages([*said, answer]), writing.index_facts([fact])
    writing.embed_missing(10)
    renamed(alice, "Ada")
    assert writing.follow_names(100) >= 6
    assert found("fact", "alice") == found("message", "alice") == []
    assert found("fact", "ada") == [fact.pk]
    assert {*(message.pk for message in said), answer.pk} <= set(found("message", "ada"))
    assert vectors.held(kind="fact", model=MODEL) == set()  # its passage held the old name: it is embedded anew
    assert writing.follow_names(100) == 0


def test_a_long_history_is_followed_a_part_at_a_time_and_begun_again_at_another_rename(monkeypatch):
    monkeypatch.setattr(writing, "REBUILT_AT_ONCE", 2)
    alice = make_member(name="Alice")
    said = [make_message(f"Kayak number {number}.", author=alice) for number in range(6)]
    writing.index_messages(said)
    renamed(alice, "Ada")
    assert writing.follow_names(2) == 2
    alice.refresh_from_db()
    assert alice.indexed_to == said[1].pk
    renamed(alice, "Anna")
    writing.follow_names(100)
    assert len(found("message", "anna kayak")) >= 6
    assert found("message", "ada") == []


def test_the_minute_follows_renames(embedder):
    alice = make_member(name="Alice")
    fact = make_fact("Owns a kayak.", subject=alice)
    writing.index_facts([fact])
    renamed(alice, "Ada")
    pipeline.tick(now=NOON + minutes(1))
    assert found("fact", "ada") == [fact.pk]
