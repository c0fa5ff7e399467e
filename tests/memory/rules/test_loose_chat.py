"""Chat without capitals, apostrophes and full stops: what it states is found, and cut where another begins."""

import pytest

from tests.memory.rules.test_couples import learned


@pytest.mark.parametrize(("said", "told"), [
    ("i told them the first day, i'm celiac", "Is celiac."),
    ("bear in mind i grew up in Karachi", "Grew up in Karachi."),
    ("sooo i handed in my notice", "Handed in their notice."),
    ("asthma since i was 6, the smoke just sits in that dip", "Has asthma since they were 6."),
    ("big thing: nut allergy", "Has a nut allergy."),
    ("type 1 diabetic here", "Is type 1 diabetic."),
    ("i have adhd so bear with me", "Has adhd."),
    ("we're having twins", "Is having twins."),
    ("we've split up", "Split up."),
    ("12 years sober today!", "Has been sober for 12 years."),
    ("5 yrs vegan this month", "Has been vegan for 5 years."),
    ("im on the lunch shift at the Lantern so ill miss it", "Is on the lunch shift at the Lantern."),
    ("night shifts in radiology", "Works night shifts in radiology."),
    ("carpenter not plumber", "Is a carpenter not plumber."),
    ("they offered me the postdoc in Lyon", "Was offered the postdoc in Lyon."),
    ("someone nicked my bike outside work", "Their bike was stolen outside work."),
    ("i'm stepping down as treasurer, told win", "Is stepping down as treasurer."),
    ("i am now a courgette person", "Is now a courgette person."),
    ("second year law student here", "Is a second year law student."),
    ("i eat fish now", "Eats fish now."),
    ("i'm deaf in one ear", "Is deaf in one ear."),
    ("my dads a plumber", "Has a dad who is a plumber."),
    ("my cats name is Tofu", "Has a cat named Tofu."),
    ("my dog's called rex", "Has a dog named Rex."),
    ("i've got choir on tuesdays", "Has choir on tuesdays."),
    ("got two brothers, both in the army", "Has two brothers."),
])  # fmt: skip
def test_a_loose_line_is_understood(said, told):
    assert told in learned(said)


def test_who_gives_name_and_age_tells_what_follows():
    assert learned("im Ana, 17, last year of school", name="Ana") == ["Is 17.", "Is in the last year of school."]
    assert learned("im 34 and ive got two kids") == ["Is 34.", "Has two kids."]


@pytest.mark.parametrize(("said", "told"), [
    ("im a vet nurse, different thing, theirs bite", "Is a vet nurse, different thing."),
    ("i have a new job, and sunday is the worst day there", "Has a new job."),
    ("my daughter is allergic to feathers, doctor was sure", "Their daughter is allergic to feathers."),
    ("i hate coriander, tastes like soap", "Hates coriander."),
    ("14 years in university IT and that's a new one", "Spent 14 years in university IT."),
    ("i live in Almada, my sister is in Porto", "Lives in Almada."),
    ("i used to work at a bike shop so be gentle, please", "Used to work at a bike shop."),
    ("i got a kitten, say hi to the new one", "Got a kitten."),
    ("i hate mushrooms btw, whoever cooks on sunday", "Hates mushrooms."),
    ("i stopped playing chess, its all go on sunday now", "Stopped playing chess."),
])  # fmt: skip
def test_what_tells_of_something_else_is_cut(said, told):
    facts = learned(said)
    assert told in facts
    assert not any(word in " ".join(facts) for word in ("theirs bite", "new one", "sunday", "doctor", "soap"))


@pytest.mark.parametrize("said", [
    "nut allergy? not me", "no nut allergy here", "a nut allergy would be terrible",
    "night shifts in radiology are awful",
    "someone stole my bike in the game", "they stole my heart", "they offered me a job but i turned it down",
    "carpenter not found", "driver not installed", "teacher not happy with me", "im not having twins",
    "i am a terrible person", "i'm not a people person", "5 years clean energy", "i left my bag in the car, sorry",
    "i'm the boss from now on", "call's irish because my mother was, before anyone asks again",
    "we have two, the twins outgrew them in a fortnight",
    "yes i LOVE moving house in the rain", "i dont even mind anymore, lemonade is great", "im lugging 40 cans",
])  # fmt: skip
def test_what_only_looks_so_is_left(said):
    assert learned(said) == []


@pytest.mark.parametrize(("said", "told"), [
    ("as a nurse i can tell you that's normal", ["Is a nurse."]),
    ("speaking as an architect, i hate that roof", ["Is an architect."]),
    ("ever since i moved to Leeds i barely play", ["Moved to Leeds."]),
    ("when i lived in Porto the bread was better", ["Lived in Porto."]),
    ("teacher here, drink water", ["Is a teacher."]),
    ("fellow nurse here", ["Is a nurse."]),
    ("i work nights so can't raid on tuesdays", ["Works nights."]),
    ("as a nurse i would say no", []),
    ("as a kid i feared the dark", []),
    ("the doll dressed up as a nurse i gave away", []),
    ("since i moved to the new flat it rains in", []),
    ("ever since i moved to Firefox i see no ads", []),
])  # fmt: skip
def test_what_is_told_by_the_way_is_understood(said, told):
    assert sorted(learned(said)) == told


def test_a_pet_is_told_with_the_name_that_follows():
    assert learned("i have a rabbit, his name is Dice, so same energy") == ["Has a rabbit named Dice."]


@pytest.mark.parametrize("said", ["no i left in october", "left last week", "i left on 3 May"])
def test_who_left_nobody_knows_what_is_not_told(said):
    assert learned(said) == []
