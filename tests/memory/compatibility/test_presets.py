"""What the presets of the joined designs read, beside how they rank."""

import pytest

from memory.index import writing
from memory.recall.search import recall
from tests.factories import NOON, days, make_fact, make_member, make_message

pytestmark = pytest.mark.django_db
QUOTE = "no coffee for me before noon, tea please"


def found(message, **options):
    memories = recall(message.guild, now=NOON, kinds=("fact",), **options)
    return [(memory.text, memory.scores["lexical"]) for memory in memories]


def test_seed000_compares_a_fact_with_the_words_that_it_rests_on_too():
    message = make_message(QUOTE)
    writing.index_facts([make_fact("Drinks tea.", subject=message.author, evidence=[message])])
    assert found(message, question="tea or coffee", preset="seed000") == [("Drinks tea.", 1.0)]


def test_seed000_reads_no_words_that_were_said_later_than_the_moment_asked_about():
    message = make_message(QUOTE, sent_at=NOON - days(2))
    fact = make_fact("Drinks tea.", subject=message.author, evidence=[message], said_at=NOON - days(2))
    writing.index_facts([fact])
    fact.evidence.update(said_at=NOON)
    assert found(message, question="tea or coffee", preset="seed000", as_of=NOON - days(1)) == [("Drinks tea.", 0.5)]


def test_seed000_reads_no_words_of_somebody_who_said_no():
    message = make_message(QUOTE, author=make_member(name="Bob"))
    writing.index_facts([make_fact("Drinks tea.", subject=make_member(), evidence=[message])])
    message.author.remember = False
    message.author.save()
    assert found(message, question="tea or coffee", preset="seed000") == [("Drinks tea.", 0.5)]
