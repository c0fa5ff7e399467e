"""What the rules learn from talk about work at a screen, and of "we" where many talk."""

from datetime import UTC, datetime

import pytest

from memory import rules
from memory.facts.schemas import ExtractionInput
from memoryhub.ai.chat_fence import Line

MONDAY = datetime(2026, 2, 23, 18, 0, tzinfo=UTC)
WORK = [
    "the webhook returns an error since the upgrade",
    "did you clear the cache on the staging server?",
    "it throws when the config file has no newline",
    "see https://docs.example/api for the parameter list",
    "which branch is the patch on, I can't find the commit",
    "the plugin breaks the login template for me too",
]
LIFE = [
    "how was the concert last night in town?",
    "great, the singer was in a good mood",
    "my sister came along and we danced till late",
    "are you coming to the lake on Sunday?",
    "yes, if somebody brings the tent again",
    "the weather is said to be lovely this time",
]
CROWD = ("Bob", "Carol", "Dave")


def learnt(text: str, *, around: list[str], people: tuple[str, ...] = CROWD) -> list[str]:
    said = [*((people[at % len(people)], line) for at, line in enumerate(around)), ("Alice", text)]
    numbers = {name: at for at, name in enumerate(("Alice", *CROWD), start=1)}
    lines = [
        Line(message=at, author=numbers[name], name=name, text=line, sent_at=MONDAY)
        for at, (name, line) in enumerate(said, start=1)
    ]
    given = ExtractionInput(guild="North", lines=lines, learn_from=[len(lines)])
    return [fact.text for fact in rules.extract(given).facts]


@pytest.mark.parametrize(
    "said",
    [
        "I'm running version 3 of it on an old laptop",
        "I installed the calendar plugin in my garden project",
        "I'm working on the export form this week",
        "I have two accounts here, one for each country",
        "we have a new office server now to do our builds",
        "I'm building a small scraper for train times",
        "I started a new import yesterday and it worked",
        "I've been testing the nightly for a month",
        "been broken for months",
        "used to be the default",
        "I love that the button finally moved",
        "I joined the beta program last week",
        "I finished the migration on Sunday",
        "I bought a licence for the editor",
        "I like to restrict access by group",
        "I love sharepoint. really",
        "we're moving to Kubernetes next month",
    ],
)
def test_a_state_of_the_task_is_no_fact(said):
    assert learnt(said, around=WORK) == []


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("I live in Oslo so my clock is ahead", "Lives in Oslo."),
        ("I'm a nurse at a hospice", "Is a nurse at a hospice."),
        ("I work at a school library", "Works at a school library."),
        ("I used to work as a baker", "Used to work as a baker."),
        ("I've been writing Fortran for twenty years", "Has been writing Fortran for twenty years."),
        ("my daughter is called Ines", "Has a daughter named Ines."),
        ("I like playing chess", "Likes playing chess."),
        ("I speak Finnish", "Speaks Finnish."),
    ],
)
def test_what_tells_of_a_life_is_one_even_there(said, fact):
    assert fact in learnt(said, around=WORK)


@pytest.mark.parametrize(
    "said", ["I'm building a greenhouse this week", "I joined a choir last week", "I bought a canoe in my home town"]
)
def test_the_same_shapes_are_facts_in_a_talk_of_life(said):
    assert learnt(said, around=LIFE)


def test_a_single_sentence_may_show_that_it_is_of_work():
    assert learnt("I'm building a plugin for the wiki", around=[]) == []


@pytest.mark.parametrize("said", ["we'll all end up with tickets for the festival", "we visited our museum in Ghent"])
def test_we_are_a_group_where_many_talk(said):
    assert learnt(said, around=LIFE) == []


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("we're moving to Porto next month", "Is moving to Porto in March 2026."),
        ("my wife and I visited a museum in Ghent", "Visited a museum in Ghent."),
        ("We just got a puppy called Pip!", "Has a puppy named Pip."),
    ],
)
def test_we_are_a_household_where_it_is_one_or_somebody_is_named(said, fact):
    assert learnt(said, around=LIFE) == [fact]


def test_we_of_two_who_talk_are_the_one_who_speaks():
    assert learnt("we visited a museum in Ghent", around=LIFE, people=("Bob",)) == ["Visited a museum in Ghent."]


@pytest.mark.parametrize(
    ("said", "facts"),
    [
        ("I met Ines in Rome and married her in 2019", ["Met Ines in Rome and married her in 2019."]),
        ("I painted the kitchen wall for a week and then he sold the house", []),
        ("I visited my aunt and a friend in Rome while she was ill", ["Visited their aunt and a friend in Rome."]),
        ("I visited my aunt and she lived with an old friend in Rome", ["Visited their aunt."]),
        ("I live in Rome & love the food markets", ["Lives in Rome and loves the food markets."]),
        ("I joined a choir and am learning the cello", ["Joined a choir and is learning the cello."]),
        ("I made memories in Rome, like our trip to the sea", ["Made memories in Rome, like their trip to the sea."]),
        ("I visited a museum in Rome (it was hot.", ["Visited a museum in Rome."]),
    ],
)
def test_nobody_is_pointed_at_who_is_not_named(said, facts):
    assert learnt(said, around=LIFE, people=("Bob",)) == facts


@pytest.mark.parametrize("said", ["Remember, it takes time, don't rush!", "FYI, the meeting is half past six"])
def test_a_hint_is_no_lore(said):
    assert learnt(said, around=LIFE) == []
