import pytest

from memory.index import embeddings, writing
from memory.models import Fact
from memoryhub.search import keywords, vectors
from memoryhub.search.scope import WHOLE_GUILD, Scope
from tests import toy_embedder
from tests.factories import NOON, make_channel, make_fact, make_member, make_message, make_note, minutes

pytestmark = pytest.mark.django_db

MODEL = toy_embedder.ToyEmbedder.identity


def test_a_fact_is_found_by_its_words_and_by_the_name_of_its_subject(found):
    fact = make_fact("Lives in Toronto.", subject=make_member(name="Alice"))
    writing.index_facts([fact])
    assert found("fact", "toronto") == found("fact", "alice") == [fact.pk]


def test_facts_that_are_not_active_leave_the_indexes(toy, found):
    fact = make_fact()
    writing.index_facts([fact])
    embeddings.embed_missing(10)
    fact.status = Fact.Status.ARCHIVED
    writing.index_facts([fact])
    assert found("fact", "toronto") == []
    assert vectors.held(kind="fact", model=MODEL) == set()


def test_the_embedding_of_a_message_goes_with_its_text(toy):
    edited, dropped, other = (make_message(f"Kayak {number}.", sent_at=NOON + minutes(number)) for number in range(3))
    embeddings.embed_missing(10)
    writing.index_messages([edited])
    writing.drop("message", [dropped.pk], guild=dropped.guild_id)
    assert vectors.held(kind="message", model=MODEL) == {other.pk}


def test_a_message_moves_to_its_audience_with_its_embedding(toy):
    crew = make_channel(name="crew")
    message = make_message("The kayak leaks.", channel=crew)
    writing.index_new_messages([message])
    embeddings.embed_missing(10)
    crew.audience = "channel"
    crew.save()
    message.channel = crew
    writing.move_messages([message])
    asked = {"kind": "message", "model": MODEL, "embedding": toy.query("kayak"), "limit": 9}
    guild = message.guild_id
    assert vectors.search(**asked, scope=Scope(guild=guild, audiences=[WHOLE_GUILD])) == []
    assert [each.id for each in vectors.search(**asked, scope=Scope(guild=guild, audiences=[crew.pk]))] == [message.pk]
    assert vectors.held(kind="message", model=MODEL) == {message.pk}


def test_a_private_fact_is_found_in_its_own_channel_only(found):
    mods = make_channel(name="mods", private=True)
    fact = make_fact(audience=mods)
    writing.index_facts([fact])
    assert found("fact", "toronto") == []
    assert found("fact", "toronto", audiences=[0, mods.pk]) == [fact.pk]


def test_a_message_is_found_by_the_one_that_it_answers(found):
    make_message("Where did you buy the kayak?", author=make_member(name="Bob"))
    answer = make_message("At the flea market.")
    writing.index_messages([answer])
    assert found("message", "kayak") == [answer.pk]


def test_a_message_of_another_conversation_stands_before_none(found):
    make_message("Where did you buy the kayak?", sent_at=NOON - minutes(90))
    later = make_message("Good morning all.", sent_at=NOON)
    writing.index_messages([later])
    assert found("message", "kayak") == []


def test_a_message_of_another_channel_stands_before_none(found):
    make_message("The kayak leaks.", channel=make_channel(name="mods", private=True), sent_at=NOON)
    open_one = make_message("Good morning all.", sent_at=NOON + minutes(1))
    writing.index_messages([open_one])
    assert found("message", "kayak") == []


def test_bots_and_deleted_messages_are_never_indexed(found):
    bot = make_message("kayak", author=make_member(name="Robo", is_bot=True))
    deleted = make_message("", deleted_at=NOON)
    after = make_message("Good morning all.")
    writing.index_messages([bot, deleted, after])
    assert keywords.held(kind="message") == {after.pk}
    assert found("message", "kayak") == []


def test_deleting_a_message_takes_its_text_out_of_the_one_after_it(found):
    first = make_message("The kayak leaks.")
    second = make_message("Good morning all.")
    writing.index_messages([first, second])
    writing.drop("message", [first.pk], guild=first.guild_id)
    assert found("message", "kayak") == []
    assert found("message", "morning") == [second.pk]


def test_editing_a_message_changes_what_stands_before_the_next(found):
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


def test_what_is_dropped_at_once_is_read_in_a_few_queries(django_assert_max_num_queries):
    messages = [make_message(f"word{number}", sent_at=NOON + minutes(number)) for number in range(40)]
    writing.index_messages(messages)
    with django_assert_max_num_queries(12):
        writing.drop("message", [message.pk for message in messages], guild=messages[0].guild_id)
    assert not keywords.held(kind="message")


def test_of_messages_of_one_moment_the_first_stored_stands_before_the_second(found):
    first, second = make_message("How was the harbour?", sent_at=NOON), make_message("Cold!", sent_at=NOON)
    writing.index_messages([second])
    assert found("message", "harbour") == [second.pk]
    writing.index_messages([first])
    assert sorted(found("message", "harbour")) == [first.pk, second.pk]


def test_a_note_is_found_by_what_was_said_in_its_talk(found):
    said = [make_message("The kayak leaks."), make_message("Sealed it with tar.", author=make_member(name="Bob"))]
    note = make_note(messages=said, summary="Alice told of her boat.")
    writing.index_notes([note])
    assert found("note", "kayak") == found("note", "tar") == found("note", "boat") == [note.pk]


def test_a_note_is_found_by_no_word_of_a_bot(found):
    bot = make_message("Kayak!", author=make_member(name="Robo", is_bot=True))
    writing.index_notes([make_note(messages=[bot, make_message("A canoe?")])])
    assert found("note", "kayak") == []
    assert found("note", "canoe")


def test_a_note_is_found_by_the_words_of_an_edited_message_as_they_are_now(found):
    message = make_message("The kayak leaks.")
    note = make_note(messages=[message])
    writing.index_notes([note])
    message.text = "The canoe leaks."
    message.save()
    writing.index_messages([message])
    assert found("note", "kayak") == []
    assert found("note", "canoe") == [note.pk]


def test_the_words_of_a_dropped_message_leave_its_note_and_the_others_stay(found):
    first, second = make_message("The kayak leaks."), make_message("Tar helps.")
    note = make_note(messages=[first, second])
    writing.index_notes([note])
    writing.drop("message", [first.pk], guild=first.guild_id)
    assert found("note", "kayak") == []
    assert found("note", "tar") == found("note", "toronto") == [note.pk]
