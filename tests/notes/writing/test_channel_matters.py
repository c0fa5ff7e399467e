"""What a channel comes back to: nouns and names that several people said in several talks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memoryhub.ai.chat_fence import Line
from notes.writing.channel_matters import shared_matters
from notes.writing.key_sentences import spoken_sentences

START = datetime(2026, 2, 23, 18, 0, tzinfo=UTC)


def matters(*said: tuple[str, str], step: timedelta = timedelta(days=1), several_talks: bool = True) -> list[str]:
    authors = {name: at for at, name in enumerate(dict.fromkeys(name for name, _ in said), start=1)}
    lines = [
        Line(message=at, author=authors[name], name=name, text=text, sent_at=START + step * at)
        for at, (name, text) in enumerate(said)
    ]
    return shared_matters(spoken_sentences(lines), list(authors), limit=12, several_talks=several_talks)


def test_a_noun_that_two_said_on_two_days_is_one():
    assert matters(("Alice", "Who painted the posters?"), ("Bob", "I hung up the posters.")) == ["posters"]


def test_what_one_alone_said_or_one_talk_alone_held_is_none():
    assert matters(("Alice", "I like the posters."), ("Alice", "The posters are wet."), ("Bob", "Good evening.")) == []
    talk = (("Alice", "Who painted the posters?"), ("Bob", "I hung up the posters."), ("Bob", "The posters are wet."))
    later = ("Alice", "Good evening to all.")
    assert "posters" in matters(*talk, step=timedelta(minutes=1))
    lines = [*talk, *[later] * 30]
    assert matters(*lines, step=timedelta(minutes=20)) == ["posters"]
    assert matters(*talk, *[later] * 3, step=timedelta(minutes=10)) == ["posters"]


def test_of_who_speaks_alone_it_is_what_they_spoke_of():
    assert matters(("Alice", "I rented the flat."), ("Alice", "The flat has a garden.")) == ["flat"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I want two for the boat.", "There were two on the boat."),  # a number
        ("Give me the half of it.", "I ate half of it."),
        ("She pays today.", "Who pays tomorrow?"),  # a verb
        ("Take the blue one home.", "I paint the blue posters today."),  # what describes another word
        ("I come on the friday.", "We meet on friday."),  # a day
    ],
)
def test_numbers_verbs_days_and_what_describes_are_none(one, other):
    assert not set(matters(("Alice", one), ("Bob", other))) & {"two", "half", "pays", "blue", "friday"}


@pytest.mark.parametrize(
    ("one", "other", "matter"),
    [
        ("Wer hat die Plakate gemalt?", "Ich hole die Plakate.", "plakate"),
        ("Tengo un barco viejo en casa.", "El barco está mojado.", "barco"),
        ("La baguette était mouillée.", "Qui mange la baguette ?", "baguette"),
    ],
)
def test_nouns_of_other_languages_are_found(one, other, matter):
    assert [found.lower() for found in matters(("Alice", one), ("Bob", other))] == [matter]


def test_a_pair_that_comes_back_stands_for_its_words():
    said = (
        ("Alice", "The loyalty points are gone, I had only a few of the points."),
        ("Bob", "Who pays for loyalty points?"),
    )
    assert matters(*said) == ["loyalty points"]


def test_a_shouted_word_is_no_name():
    assert matters(("Alice", "I can not believe COLOURS like these"), ("Bob", "We love COLOURS like these")) == []


def test_a_name_keeps_its_capital_however_people_write_it():
    said = (("Alice", "we saw gerald at noon"), ("Bob", "I think Gerald was asleep"), ("Alice", "poor gerald"))
    assert matters(*said) == ["Gerald"]


def test_the_names_of_those_who_talk_are_none():
    assert matters(("Alice", "I asked Bob for the boat."), ("Bob", "We took the boat to Alice.")) == ["boat"]
