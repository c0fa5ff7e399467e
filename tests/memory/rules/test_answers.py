"""A word or two that answer a question are read with it; a remark beside a question is no answer."""

from datetime import UTC, datetime, timedelta

import pytest

from memory.facts.schemas import ExtractionInput
from memory.rules.answers import LONGEST, OF_ALL, statement
from memory.rules.extractor import extract
from memoryhub.ai.chat_fence import Line

NOW = datetime(2026, 5, 23, 12, tzinfo=UTC)
WHERE = ("Bob", "where is everybody from btw")


def learned(*said, reply=None, step=timedelta(minutes=1), learn=None):
    names = list(dict.fromkeys(name for name, _ in said))
    lines = [
        Line(message=n, author=names.index(name), name=name, text=text, sent_at=NOW + n * step)
        for n, (name, text) in enumerate(said)
    ]
    if reply is not None:
        lines[-1] = lines[-1].model_copy(update={"answers": reply})
    given = ExtractionInput(guild="g", lines=lines, learn_from=learn or [len(said) - 1])
    return [fact.text for fact in extract(given).facts]


@pytest.mark.parametrize(
    ("asked", "said", "told"),
    [
        ("where is everybody from btw", "Cork, same as always", "Is from Cork."),
        ("where are you all from?", "Chiang Mai, so raid is at 3 am for me", "Is from Chiang Mai."),
        ("where do you even live", "both in Albuquerque, we found out late", "Lives in Albuquerque."),
        ("what do you study again", "civil engineering, third year", "Studies civil engineering."),
        ("you're a vet??", "vet nurse. mostly I hold cats", "Is a vet nurse."),
        ("what do you do for a living", "carpenter", "Is a carpenter."),
        ("what do you do for work", "engineer lol", "Is an engineer."),
        ("how old are you all?", "31", "Is 31."),
        ("anyone got kids?", "yes two boys, they never sleep", "Has two boys."),
        ("do you have any pets", "a cat called Uno", "Has a cat named Uno."),
        ("what do you play?", "mostly bass", "Plays bass."),
        ("which languages do you speak", "Polish and a bit of Czech", "Speaks Polish and a bit of Czech."),
        ("who do you support", "Leeds United", "Supports Leeds United."),
        ("what do you teach?", "maths. to 14 year olds", "Teaches maths."),
        ("what do you main?", "frost mage", "Mains frost mage."),
        ("where do you work?", "at a museum in Ghent", "Works at a museum in Ghent."),
    ],
)
def test_an_answer_is_read_with_its_question(asked, said, told):
    assert learned(("Bob", asked), ("Alice", said)) == [told]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("where is everybody from btw", "no idea"), ("where is everybody from btw", "the moon, obviously"),
        ("where do you live", "lol nope"), ("what do you study again", "no"), ("you're a vet??", "haha no"),
        ("is Cork nice", "Cork, same as always"), ("where did you put it", "Cork"), ("you're a vet??", "Cork"),
        ("how old are you all?", "31 points"), ("do you have any pets", "a question"), ("what do you play?", "a druid"),
        ("who do you support", "nobody"), ("how old is it", "31"), ("what do you teach tonight?", "maths"),
        ("what do you do for work?", "a museum"), ("what do you want?", "pizza"), ("what do you call it", "bass"),
    ],
)  # fmt: skip
def test_what_answers_nothing_teaches_nothing(asked, said):
    assert learned(("Bob", asked), ("Alice", said)) == []


@pytest.mark.parametrize(
    ("told", "asked", "said", "fact"),
    [
        ("we moved for my wife's job", "what does she do?", "translator, yes", "Has a wife who is a translator."),
        ("brb kid woke up", "how old is yours now?", "two and a half. she likes frogs", "Their kid is two and a half."),
        ("twins have a birthday", "how old will they be", "five!!", "Their twins are five."),
        ("hi", "where does your sister live", "Antwerp", "Has a sister who lives in Antwerp."),
        ("hi", "what does she do?", "translator, mostly Dutch", None),
        ("my wife is late", "where is she from?", "moved from Rome", None),
    ],
)
def test_what_was_asked_of_another_is_told_of_them_or_of_nobody(told, asked, said, fact):
    assert learned(("Alice", told), ("Bob", asked), ("Alice", said)) == ([fact] if fact else [])


def test_who_asks_does_not_answer():
    assert learned(WHERE, ("Bob", "Cork")) == []


def test_what_was_asked_of_one_is_answered_by_the_next_line_and_of_all_by_several():
    study = ("Bob", "what do you study again")
    assert learned(study, ("Teo", "civil engineering"), ("Dex", "bridges! build me one")) == []
    assert learned(WHERE, ("Teo", "Porto"), ("Nin", "Chiang Mai"), ("Alice", "Cork")) == ["Is from Cork."]
    assert learned(WHERE, *[("Teo", "ok")] * OF_ALL, ("Alice", "Cork")) == []


def test_a_reply_answers_what_it_replies_to_and_nothing_else():
    study = ("Bob", "what do you study again")
    between = [("Dex", "hm"), ("Dex", "ok")]
    assert learned(study, *between, ("Teo", "civil engineering"), reply=0) == ["Studies civil engineering."]
    assert learned(study, ("Teo", "civil engineering"), reply=99) == []


def test_a_question_of_long_ago_is_answered_by_nothing():
    assert learned(WHERE, ("Alice", "Cork"), step=timedelta(hours=1)) == []


@pytest.mark.parametrize("odd", [" ", "!", '"', "a ", "where ", "A", "\n"])
def test_what_is_odd_or_long_answers_nothing(odd):
    for times in (LONGEST // len(odd), 100_000):
        lines = [Line(message=n, author=n, name="Bob", text=odd * times, sent_at=NOW) for n in range(2)]
        assert statement(lines[1], lines[:1]) is None


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ([("Alice", "my son was born yesterday!! Otto. 3.1 kg")], "Has a son named Otto."),
        ([("Alice", "it's a girl!!! Lena, everybody healthy")], "Has a daughter named Lena."),
        ([("Alice", "I got a cat. shelter. one eye. called Admiral")], "Has a cat named Admiral."),
        ([("Alice", "I got a rescue, Pim, he's ten")], "Has a rescue named Pim."),
        ([("Alice", "my parrot swears"), ("Bob", "hahaha what's its name"), ("Alice", "Mr. Iyer, after my teacher")],
         "Has a parrot named Mr. Iyer."),
        ([("Alice", "I need to feed the dog"), ("Bob", "what did you end up calling it"), ("Alice", "Biscuit. ow")],
         "Has a dog named Biscuit."),
        ([("Bob", "what's your boat called"), ("Alice", "Segfault")], "Has a boat named Segfault."),
        ([("Alice", "ma fille a de la fièvre"), ("Bob", "you have a daughter?"), ("Alice", "Inès, deux ans")],
         "Has a daughter named Inès."),
        ([("Alice", "we have a new puppy"), ("Alice", "she's called Nala")], "Has a puppy named Nala."),
        ([("Alice", "got a cat for the mice. name's Gutenberg")], "Has a cat named Gutenberg."),
        ([("Alice", "the baby is crying"), ("Bob", "boy or girl?"), ("Alice", "a girl, Ana, nine weeks")],
         "Has a daughter named Ana."),
    ],
)  # fmt: skip
def test_a_name_is_read_with_what_it_names(said, told):
    assert told in learned(*said, learn=range(len(said)))


@pytest.mark.parametrize(
    "said",
    [
        [("Alice", "my parrot swears"), ("Alice", "Morning.")],
        [("Alice", "my parrot swears"), ("Bob", "what's its name"), ("Alice", "Bob. stop it")],
        [("Alice", "my parrot swears"), ("Bob", "what's its name"), ("Alice", "Thanks")],
        [("Alice", "my parrot and my dog fight"), ("Bob", "what's its name"), ("Alice", "Rex")],
        [("Bob", "my parrot swears"), ("Alice", "she's called Nala")],
        [("Alice", "if I had a cat, my cat would sleep"), ("Alice", "called Nala")],
        [("Alice", "*pats my dragon dog*"), ("Bob", "what's its name"), ("Alice", "Smaug")],
        [("Alice", "my parrot swears"), ("Bob", "what's its name"), ("Alice", "maybe Nala?")],
    ],
)
def test_a_name_that_may_be_of_something_else_names_nothing(said):
    assert not any(" named " in text for text in learned(*said, learn=range(len(said))))


def test_a_name_that_is_told_long_after_names_nothing():
    said = [("Alice", "we have a new puppy"), ("Alice", "she's called Nala")]
    assert "Has a puppy named Nala." not in learned(*said, step=timedelta(hours=1), learn=[0, 1])


def test_a_name_rests_on_the_message_that_tells_what_it_names_too():
    lines = [
        Line(message=n, author=0, name="Alice", text=text, sent_at=NOW)
        for n, text in enumerate(["we have a new puppy", "she's called Nala"])
    ]
    facts = extract(ExtractionInput(guild="g", lines=lines, learn_from=[0, 1])).facts
    assert [fact.messages for fact in facts if "Nala" in fact.text] == [[0, 1]]


def test_a_name_is_not_read_with_what_was_learnt_from_before():
    said = [("Alice", "we have a new puppy"), ("Alice", "she's called Nala")]
    assert learned(*said) == []
