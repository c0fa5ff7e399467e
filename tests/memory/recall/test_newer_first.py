from datetime import timedelta

import pytest

from memory.recall.newer_first import AS_GOOD, asks_of_the_past, newer_first
from memory.recall.ranking import Ranked
from tests.memory.candidates import NOW, candidate, order

NOW_ASKED, TODAY = "Where does Bob work?", NOW.date()
OLDER = "I work at the bakery."


def ranked(*pairs):
    """Return statements of one member, older before newer as given, with their scores."""
    return [
        (number, Ranked(candidate(number, text, **{"subject": 1, "age": 100 - number, **fields}), score, {}))
        for number, (text, score, fields) in enumerate(pairs, 1)
    ]


def numbers(results, question=NOW_ASKED):
    return order(each for _, each in newer_first(results, question=question, today=TODAY))


def pair(newer, *, gap=0.04, question=NOW_ASKED, **fields):
    return numbers(ranked((OLDER, 0.5, {}), (newer, 0.5 - gap, fields)), question)


@pytest.mark.parametrize(
    "newer",
    [
        "I'm at the mill now.",
        "No longer at the bakery, by the way.",
        "since Monday it's the mill",
        "from march on you find me at the mill",
        "Switched to the mill.",
        "ich bin nicht mehr in der Bäckerei",
        "ab montag bin ich in der Mühle",
        "je ne travaille plus à la boulangerie",
        "ahora trabajo en el molino",
        "agora trabalho no moinho",
    ],
)
def test_a_change_comes_before_what_it_may_have_changed(newer):
    assert pair(newer) == [2, 1]


@pytest.mark.parametrize("newer", ["The mill is a fine place.", "Bread is what I know.", "I snowed in at the bakery."])
def test_what_tells_of_no_change_stays_where_it_is(newer):
    assert pair(newer) == [1, 2]


@pytest.mark.parametrize(
    "question",
    [
        "Where did Bob work?", "Where was Bob before?", "Who used to bake?", "Wo war Bob früher?",
        "Où était Bob avant ?", "¿Dónde fue Bob ayer?", "Onde foi o Bob?",
        "Where is Bob on 3 January 2026?",
    ],
)  # fmt: skip
def test_a_question_about_former_times_is_left_as_it_was_ranked(question):
    assert asks_of_the_past(question, TODAY)
    assert pair("I'm at the mill now.", question=question) == [1, 2]


@pytest.mark.parametrize(
    "question", [NOW_ASKED, "What does Dida do?", "Wer wohnt dort?", "Qui habite ici ?", "Who comes on 3 June 2026?"]
)
def test_a_question_about_today_is_none_about_former_times(question):
    assert not asks_of_the_past(question, TODAY)


def test_a_change_that_is_much_worse_for_the_question_stays_behind():
    assert pair("I'm at the mill now.", gap=AS_GOOD + 0.01) == [1, 2]


def test_what_somebody_else_changed_replaces_nothing():
    assert pair("I'm at the mill now.", subject=2) == [1, 2]


def test_what_is_about_nobody_replaces_nothing():
    rows = ranked((OLDER, 0.5, {"subject": 0}), ("The mill is open now.", 0.48, {"subject": 0}))
    assert numbers(rows) == [1, 2]


def test_what_was_said_in_the_same_talk_replaces_nothing():
    (row, older), (other, newer) = ranked((OLDER, 0.5, {}), ("I'm at the mill now.", 0.48, {}))
    hours = older.candidate.said_at + timedelta(hours=2)
    newer = newer._replace(candidate=newer.candidate._replace(said_at=hours))
    assert numbers([(row, older), (other, newer)]) == [1, 2]


def test_an_older_statement_does_not_come_before_a_newer_one():
    assert numbers(ranked(("I'm at the mill now.", 0.48, {}), ("I work at the bakery.", 0.5, {}))[::-1]) == [2, 1]


def test_a_change_takes_the_score_of_what_it_comes_before_and_goes_no_further():
    rows = ranked(("Has a dog.", 0.6, {"subject": 2}), (OLDER, 0.5, {}), ("I'm at the mill now.", 0.46, {}))
    results = newer_first(rows, question=NOW_ASKED, today=TODAY)
    assert [(row, each.score) for row, each in results] == [(1, 0.6), (3, 0.5), (2, 0.5)]
