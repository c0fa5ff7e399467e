"""Where more than two talk, what was done once or is so this week is small talk; two ask each other about it."""

import pytest

from memory.facts.schemas import ExtractionInput
from memory.rules.extractor import extract
from memoryhub.ai.chat_fence import Line
from tests.memory.rules.test_couples import NOW, learned


def of_two(text):
    lines = [Line(message=n, author=n, name=name, text=said, sent_at=NOW)
             for n, (name, said) in enumerate([("Stan", text), ("Bob", "ok")], 1)]  # fmt: skip
    return [fact.text for fact in extract(ExtractionInput(guild="g", lines=lines, learn_from=[1])).facts]


@pytest.mark.parametrize("said", [
    "i towed the trailer on tuesday and got it till easter",
    "i did the kitchen on monday with a client on the phone",
    "helping in my cousins salon this weekend",
    "i'm absent for a week, working in my uncle's vineyard",
    "i'm collecting for the birthday cake today so treat me nicely",
    "put linux on my mother in law's laptop, she likes it",
    "i ran out of time on the last one",
    "my cousin got the old hoover and i got peace",
    "my grandfather is rotating in his grave",
    "my sister's snoring got me up at 5",
    "i swim this morning in the sea, 14 degrees",
    "got a friends labrador on the sofa this week, dribbles like a tap",
    "i haven't seen the sun since boxing day",
    "i won't tag a release on a Friday",
])  # fmt: skip
def test_what_was_so_once_is_left_among_many(said):
    assert learned(said) == []


@pytest.mark.parametrize(("said", "told"), [
    ("i moved to Leeds on 4 May 2026", "Moved to Leeds on 4 May 2026."),
    ("i have rowing until seven on tuesdays", "Has rowing until seven on tuesdays."),
    ("i mained a priest for six years in the other game", "Mained a priest for six years in the other game."),
    ("i retire in june", "Retires in June 2026."),
    ("my brother's birthday is the 3rd of june", "Their brother's birthday is the 3rd of june."),
    ("my kids go to a school in Ghent", "Their kids go to a school in Ghent."),
    ("my cousin Priya lives in Leeds", "Their cousin Priya lives in Leeds."),
    ("my kids are 2, 4 and 7", "Their kids are 2, 4 and 7."),
    ("my kids are 4 and 7, chaos", "Their kids are 4 and 7, chaos."),
    ("my daughter is 6 and plays chess", "Their daughter is 6 and plays chess."),
    ("my husband is with the police", "Their husband is with the police."),
    ("i move to Rotterdam with my mother", "Moves to Rotterdam with their mother."),
])  # fmt: skip
def test_a_life_is_kept_among_many(said, told):
    assert told in learned(said)


def test_what_happened_once_is_kept_of_two():
    assert of_two("I took my cousins to the museum last week, we loved it") != []
    assert learned("I took my cousins to the museum last week, we loved it") == []


@pytest.mark.parametrize(("said", "told"), [
    ("my gran has a printed copy of the map on her fridge", "Has a gran."),
    ("i have a daughter who has the flu, working from home", "Has a daughter."),
    ("i've got a kid to fetch at four", "Has a kid."),
])  # fmt: skip
def test_of_kin_among_many_only_who_they_are_is_kept(said, told):
    assert learned(said) == [told]


@pytest.mark.parametrize("said", [
    "Mabel did 6k!!! 11 years old and she beat Tam",
    "three years in and the cello finally sounds like a cello",
    "my only religion since i was 4",
    "i lost my voice shouting at the match",
    "two pints last night so im running backwards",
])  # fmt: skip
def test_what_only_looks_like_a_state_is_left(said):
    assert learned(said) == []
