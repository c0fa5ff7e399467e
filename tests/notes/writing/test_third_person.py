import pytest

from notes.writing.third_person import joined, reported, told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I moved to Toronto last spring.", "Alice said they moved to Toronto last spring."),
        ("I'm good at that, and my boat is mine.", "Alice said they're good at that, and their boat is theirs."),
        ("I was ill, but I am well.", "Alice said they were ill, but they are well."),
        ("We painted our hull, Bob helped us.", "Alice said they painted their hull, Bob helped them."),
        ("The boat needs I don’t know how many planks.", "Alice said the boat needs they don’t know how many planks."),
        ("Flying home tomorrow, I think.", "Alice: Flying home tomorrow, I think."),
        ("The radio works and i can hear you.", "Alice said the radio works and they can hear you."),
        (
            "i need a boat that floats (i.e. another one).",
            "Alice said they need a boat that floats (i.e. another one).",
        ),
        ("Gonna sail the lake and see my aunt.", "Alice said they're gonna sail the lake and see their aunt."),
        ("Had to mend my hull, and the mast.", "Alice had to mend their hull, and the mast."),
        ("Passed my theory test.", "Alice passed their theory test."),
        ("Need the oven on Sunday, I think.", "Alice: Need the oven on Sunday, I think."),
        ("Delayed a whole day, I think.", "Alice: Delayed a whole day, I think."),
        ("Had you been there, the boat were mine.", "Alice: Had you been there, the boat were mine."),
        ('I sang "I will survive" to my aunt.', 'Alice said they sang "I will survive" to their aunt.'),
        ("I told him ‘I love my job’ twice.", "Alice said they told him ‘I love my job’ twice."),
        ("The sign said 'I am full', so I left.", "Alice said the sign said 'I am full', so they left."),
        ("I know the line “my kingdom for a horse", "Alice said they know the line “my kingdom for a horse"),
        ("NASA is on the phone.", "Alice: NASA is on the phone."),
        ("Toronto is cold.", "Alice: Toronto is cold."),
    ],
)
def test_what_somebody_said_is_told_of_them(said, told):
    assert reported("Alice", said, asks=False) == told


def test_a_question_is_told_as_one():
    assert reported("Bob", "Have I missed the raid?", asks=True) == "Bob asked: Have I missed the raid?"


@pytest.mark.parametrize(
    "said",
    [
        "Das U ist charmant am Montag.",
        "A mí me gusta el té.",
        "Was machst du?",
        "We gaan naar huis.",
        "A casa mia.",
        "明日は雨です。",
    ],
)
def test_another_language_stays_as_it_is(said):
    assert reported("Greta", said, asks=False) == f"Greta: {said}"


@pytest.mark.parametrize(
    ("said", "told_so"),
    [
        ("I moved to Toronto last spring.", "Alice moved to Toronto last spring."),
        ("I live in Oslo and love it, it's great!", "Alice lives in Oslo and loves it."),
        ("I'm good at that, and my boat is mine.", "Alice is good at that, and their boat is theirs."),
        ("I've painted my hull, which was hard.", "Alice has painted their hull."),
        ("I no longer live in Oslo.", "Alice said they no longer live in Oslo."),
        ("I and Bob went to the lake.", "Alice said they and Bob went to the lake."),
        ("We meet on Sundays at my house.", "Alice said they meet on Sundays at their house."),
        ("Painting is my way to relax.", "Alice said painting is their way to relax."),
        ('I sang "I will survive" to my aunt.', 'Alice said they sang "I will survive" to their aunt.'),
        ("We gaan naar huis.", "Alice: We gaan naar huis."),
        ("boss 6 is on farm now, I think.", "Alice said boss 6 is on farm now, they think."),
        ("I shall bring the chair.", "Alice shall bring the chair."),
        ("went to the mill with my aunt.", "Alice went to the mill with their aunt."),
        ("gonna sail the lake with my aunt.", "Alice said they're gonna sail the lake with their aunt."),
        ("NASA is on the phone.", "Alice said NASA is on the phone."),
        ("me back on Thursdays when the baby lets me.", "Alice: Me back on Thursdays when the baby lets me."),
        ("The phone is mine.", "Alice said the phone is theirs."),
        ("ill bring my dog.", "Alice will bring their dog."),
        ("im not here and ill be late.", "Alice said they're not here and they'll be late."),
        ("ive got a boat.", "Alice has got a boat."),
        ("id love to join.", "Alice said they'd love to join."),
        ("i cant come on friday.", "Alice can't come on friday."),
        ("i didnt see the raid.", "Alice didn't see the raid."),
        ("we wont sail, i wasnt well.", "Alice said they won't sail, they weren't well."),
        ("Dont ask my aunt.", "Alice: Don't ask my aunt."),
        ("Been there since I was 12.", "Alice: Been there since I was 12."),
        ("ill hang my head out of the window.", "Alice will hang their head out of the window."),
        ("thats my bike since i was 19.", "Alice said that's their bike since they were 19."),
        ("hes my neighbour and the best.", "Alice said he's their neighbour and the best."),
        ("theyre closing the mill in my street.", "Alice: They're closing the mill in my street."),
        ("i sit in bow and hear her laugh.", "Alice sits in bow and hears her laugh."),
        ("ill and at home with my cat.", "Alice said ill and at home with their cat."),
        ("the id card and the boat are mine.", "Alice said the id card and the boat are theirs."),
        ("Im Garten ist es warm.", "Alice: Im Garten ist es warm."),
        ("they're closing the mill in my street.", "Alice: They're closing the mill in my street."),
        ("@Bob I can help you with the hull.", "Alice: @Bob I can help you with the hull."),
        ("la maison dont je parle.", "Alice: La maison dont je parle."),
    ],
)
def test_a_note_tells_it_of_the_one_who_said_it(said, told_so):
    assert told("Alice", said, asks=False) == told_so


def test_two_sentences_of_one_person_are_joined():
    said = ["Alice moved.", "Alice has a dog.", "Alice sails.", "Alice asked: Who sails?"]
    assert joined("Alice", said) == ["Alice moved and has a dog.", "Alice sails.", "Alice asked: Who sails?"]


def test_nothing_is_joined_to_somebody_s_own_words():
    said = ["Alice said: No. I signed today.", "Alice rented a flat.", "Alice said: I start in May."]
    assert joined("Alice", said) == said
