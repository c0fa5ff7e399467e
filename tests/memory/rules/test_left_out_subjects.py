"""A line that leaves its subject out is about who wrote it, where it tells of a life."""

import pytest

from tests.memory.rules.test_couples import learned


@pytest.mark.parametrize(("said", "told"), [
    ("live in Turku btw", "Lives in Turku."),
    ("work as a plumber these days", "Works as a plumber these days."),
    ("coeliac since 2015", "Is coeliac since 2015."),
    ("plumber, 9 years now", "Is a plumber, 9 years now."),
    ("moving to leipzig in june", "Is moving to Leipzig in June 2026."),
    ("i dont fly", "Doesn't fly."),
    ("odd news, i stopped eating meat", "Stopped eating meat."),
    ("no longer married", "Is no longer married."),
    ("learning Polish with my neighbour", "Is learning Polish with their neighbour."),
    ("doing an apprenticeship in Lille", "Is doing an apprenticeship in Lille."),
    ("broke up with Henk", "Broke up with Henk."),
    ("never learned to swim", "Never learned to swim."),
    ("favourite colour is teal", "Their favourite colour is teal."),
    ("brother lives in Ghent", "Has a brother who lives in Ghent."),
    ("ok so new job: cook at a school", "Started a new job as a cook at a school."),
    ("everyone call me Lo", "Goes by Lo."),
    ("it's my birthday on the 9th of june", "Has a birthday on the 9th of june."),
])  # fmt: skip
def test_it_is_told_of_who_wrote_it(said, told):
    assert learned(said) == [told]


@pytest.mark.parametrize("said", [
    "live on friday", "work on the second verse", "study harder", "learning curve is steep",
    "learning Polish is hard", "moving to the next point", "starting at level 5", "speak English please",
    "mum said no", "brother is a strong word", "have a nice evening", "call me when you are there",
    "player, 2 years old", "from Monday on", "never again", "no longer a matter of taste",
])  # fmt: skip
def test_what_tells_of_no_life_is_left(said):
    assert learned(said) == []


@pytest.mark.parametrize(("said", "told"), [
    ("I work nights so mornings are out", ["Works nights."]),
    ("I do pottery on mondays", ["Does pottery on mondays."]),
    ("my exams start in june", ["Their exams start in June 2026."]),
    ("I wrote a poem for this", []),
    ("I moved to Namur on friday", ["Moved to Namur on 22 May 2026."]),
    ("I'm on days since saturday", ["Is on days since 16 May 2026."]),
    ("I play chess on friday", []),
])  # fmt: skip
def test_habits_dates_and_what_follows_for_others(said, told):
    assert [text for text in learned(said) if "chess" not in text] == told


@pytest.mark.parametrize(("said", "told"), [
    ("my kids go to a school in Ghent", "Their kids go to a school in Ghent."),
    ("my phone is a Fairphone", "Their phone is a Fairphone."),
    ("I'm a night owl", "Is a night owl."),
    ("I'm the youngest of four", "Is the youngest of four."),
    ("I don't own a sofa", "Doesn't own a sofa."),
    ("I'm on parental leave until march", "Is on parental leave until March 2027."),
    ("I support Leeds United", "Supports Leeds United."),
    ("I'm looking for a flat", "Is looking for a flat."),
    ("I'm in a choir called Alba", "Is in a choir called Alba."),
    ("I work nights anyway, at the docks", "Works nights, at the docks."),
    ("I'm 31, Bob", "Is 31."),
    ("I built a boat from old doors, yes", "Built a boat from old doors."),
])  # fmt: skip
def test_states_of_a_life_are_told_plainly(said, told):
    assert learned(said) == [told]


@pytest.mark.parametrize("said", [
    "my mum is calling", "I love that song", "we love each other",
    "I'm a huge fan", "my gran used to say time is money", "I haven't smoked since this morning",
    "I called repr(value) twice in my course", "Bob left so it's only us", "I had that shown to me at the office",
])  # fmt: skip
def test_what_is_so_now_or_points_elsewhere_is_left(said):
    assert learned(said) == []


@pytest.mark.parametrize(("said", "told"), [
    ("I repair clocks", ["Repairs clocks."]),
    ("I make my own cheese", ["Makes their own cheese."]),
    ("I was a miner for twenty years", ["Was a miner for twenty years."]),
    ("always wanted a parrot", ["Always wanted a parrot."]),
    ("son starts school in september", ["Their son starts school in September 2026."]),
    ("I repair it", []), ("I fix the door", []), ("I was a hacker for the army", []),
])  # fmt: skip
def test_what_one_does_again_and_again_is_a_habit(said, told):
    assert learned(said) == told


@pytest.mark.parametrize(("said", "told"), [
    ("night shifts at the harbour, mostly", "Works night shifts at the harbour, mostly."),
    ("mum of three boys", "Is a mum of three boys."),
    ("single dad", "Is a single dad."),
    ("two kids, four and six", "Has two kids, four and six."),
    ("third year of nursing school", "Is in the third year of nursing school."),
    ("based in Cork these days", "Lives in Cork these days."),
    ("raised Quaker in Antwerp", "Was raised Quaker in Antwerp."),
    ("moved here from Accra in 2016", "Moved from Accra in 2016."),
    ("never been outside Europe", "Has never been outside Europe."),
    ("half Danish, half Greek", "Is half Danish, half Greek."),
    ("turning forty in April", "Is turning forty in April 2027."),
    ("twelve years at the post office", "Spent twelve years at the post office."),
    ("ten years of elevator software", "Did ten years of elevator software."),
    ("school librarian", "Is a school librarian."),
    ("engineer at a shipyard", "Is an engineer at a shipyard."),
    ("PhD in Lund, third year", "Is doing a PhD in Lund, third year."),
    ("they made me team lead", "Was made team lead."),
    ("statics exam passed", "Passed their statics exam."),
    ("hamster named Pim", "Has a hamster named Pim."),
    ("she/her btw", "Pronouns are she/her."),
    ("together with Sanne since school", "Is together with Sanne since school."),
    ("vegan since I was fifteen", "Is vegan since they were fifteen."),
])  # fmt: skip
def test_more_of_a_life_is_told_without_a_subject(said, told):
    assert learned(said) == [told]


@pytest.mark.parametrize("said", [
    "two dogs in the park", "good nurse", "your teacher here", "three years in a row", "two years of waiting is enough",
    "no kids in the pool today", "night shift again", "third year in a row", "the nurse at the desk", "first to arrive",
])  # fmt: skip
def test_what_only_looks_like_a_life_is_left(said):
    assert learned(said) == []


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I climb, twice a week", ["Climbs, twice a week."]),
        ("I hate coriander, always have", ["Hates coriander."]),
        ("I'm Welsh, not English", ["Is Welsh."]),
        ("tuesdays I have rowing until seven", ["Has rowing until seven on tuesdays."]),
        ("I'm a nurse, they're four years old, it's fair", ["Is a nurse."]),
        ("I am in Dakar, the lab here is tiny", ["Is in Dakar."]),
        ("I grow tomatoes on the roof, you can have some", ["Grows tomatoes on the roof."]),
        ("I have two cats but they died", []),
        ("I have two cats and they aren't mine", []),
    ],
)
def test_a_part_that_points_elsewhere_is_left_out_unless_it_takes_the_rest_back(said, told):
    assert learned(said) == told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I live above a bakery", "Lives above a bakery."),
        ("I do the sound at a theatre", "Does the sound at a theatre."),
        ("I've been modding since the server opened", "Has been modding since the server opened."),
        ("I'm on a gap year till August", "Is on a gap year till August."),
        ("I'm taking a year off to sail", "Is taking a year off to sail."),
        ("I got my green card", "Got their green card."),
        ("I got into the conservatory", "Got into the conservatory."),
        ("I only drink decaf", "Only drinks decaf."),
        ("I'm a Sunderland fan", "Is a Sunderland fan."),
        ("we bought a house in Fife", "Bought a house in Fife."),
        ("we broke up in spring", "Broke up in spring."),
        ("I handed in my notice", "Handed in their notice."),
        ("I was in the navy", "Was in the navy."),
        ("Jonas and I are moving in together, in Fife", "Is moving in with Jonas, in Fife."),
        ("Maren and I run a bakery in Ghent", "Runs a bakery in Ghent with Maren."),
        ("Stan here, design", "Works in design."),
        ("hi, Stan, Lisbon, hello all", "Is from Lisbon."),
    ],
)
def test_more_of_what_lasts_is_told_plainly(said, told):
    assert learned(said) == [told]


@pytest.mark.parametrize(("said", "told"), [
    ("day 3 as a nurse!", ["Works as a nurse."]),
    ("first week as a bus driver", ["Works as a bus driver."]),
    ("still in Leeds, sadly", ["Is still in Leeds."]),
    ("can't make thursday, band practice", ["Has band practice."]),
    ("can't do sundays anymore, choir", ["Has choir."]),
    ("no raids thursday, karate class", ["Has karate class."]),
    ("running a café with my husband", ["Is running a café with their husband."]),
    ("taught myself the cello from library books", ["Taught themselves the cello from library books."]),
    ("I'll test until the end of july, I promise", []),
    ("can't tonight, sorry", []), ("still in bed", []), ("hi from Rome!", []), ("Bob proposed a new rule", []),
    ("ruined my day", []), ("learning with my wife is hard", []), ("first day as a treat", []),
    ("job interview tomorrow! bike mechanic, a real shop", []),
])  # fmt: skip
def test_who_left_themselves_out_is_known_by_what_is_theirs(said, told):
    assert [text for text in learned(said) if not text.startswith("Has a wife")] == told


@pytest.mark.parametrize(("said", "told"), [
    ("dog ate the cable. again", ["Has a dog."]),
    ("brb kid woke up", ["Has a kid."]),
    ("must stop, the baby's crying", ["Has a baby."]),
    ("twins have their birthday on the 3rd", ["Has twins."]),
    ("cat is a command", []), ("kids are cruel", []), ("dog food is expensive", []), ("the dog is cute", []),
])  # fmt: skip
def test_who_is_named_by_a_bare_noun_is_ones_own(said, told):
    assert learned(said) == told


@pytest.mark.parametrize("said", [
    "I paid that shield back in fish", "I made a cake in the form of a bridge", "MY SISTER WAS BEHIND A TREE",
    "I've been to the kitchen nine times for a cake", "I can't raid in the summer weekend, exams",
])  # fmt: skip
def test_what_happened_once_is_small_talk_among_many(said):
    assert learned(said) == []


def test_what_somebody_is_quoted_with_is_not_the_speakers():
    assert learned('"i am the chosen one and i live in the volcano" - Pim') == []
    assert learned('Noah told me "I am a dog and I live in Rome"') == []
    assert learned('I live in "the" village near "my" Rome') == ['Lives in "the" village near "their" Rome.']
