"""Consolidation without a model: what a new fact means for one that is known."""

import pytest

from memory import rules
from memory.facts.schemas import ConsolidationInput, Decision, KnownFact


def decided(new: str, old: str) -> Decision:
    (decision,) = rules.decide(ConsolidationInput(new=new, old=[KnownFact(id=7, subject=1, text=old)])).decisions
    return decision


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Moved to Berlin in spring 2025.", "Lives in Toronto."),
        ("Lives in Rome.", "Lives in Oslo."),
        ("No longer lives in Oslo.", "Lives in Oslo."),
        ("Doesn't live in Oslo anymore.", "Lives in Oslo."),
        ("Moved to Lisbon in May 2026.", "Is moving to Lisbon in May 2026."),
        ("Works as a nurse.", "Works as a baker."),
        ("Works at Acme.", "Works at Initech."),
        ("Started a new job at Acme.", "Works as a nurse at St Mary's."),
        ("Quit their job.", "Works as a nurse at St Mary's."),
        ("Left Initech in May 2026.", "Works at Initech."),
        ("Started as a data analyst at Acme.", "Is looking for a job."),
        ("Hates olives.", "Likes olives."),
        ("I don't play the cello", "Plays the cello."),
        ("I'm not a nurse", "Is a nurse."),
        ("Loves olives now.", "Hates olives."),
        ("No longer plays tennis.", "Plays tennis on Sundays."),
        ("Is vegan.", "Loves steak."),
        ("Quit smoking.", "Smokes."),
        ("Sold the Civic.", "Drives a Civic."),
        ("Traded in the Civic for a Tesla.", "Drives a Civic."),
        ("Their dog Bento died.", "Has a dog named Bento."),
        ("Adopted a greyhound named Pip.", "Wants to adopt a greyhound."),
        ("Got married in June 2026.", "Is engaged to Sam."),
        ("Got divorced.", "Is married to Sam."),
        ("Broke up with Sam.", "Is dating Sam."),
        ("Their favourite food is ramen.", "Their favourite food is sushi."),
        ("Got over their fear of flying.", "Is terrified of flying."),
        ("Graduated from McGill in May 2026.", "Studies at McGill."),
        ("Ran the Berlin marathon in September 2026.", "Is training for the Berlin marathon."),
        ("Published a novel.", "Is writing a novel."),
        ("Speaks Spanish.", "Is learning Spanish."),
        ("Turned 28 in March 2026.", "Is 27 years old."),
        ("Switched from Vim to Emacs.", "Uses Vim."),
        ("Is single again.", "Has a boyfriend named Max."),
        ("Got their visa.", "Is waiting for their visa."),
        ("Works day shifts now.", "Works night shifts."),
        ("Studies history now.", "Studies physics."),
        ("Changed majors from physics to history.", "Majors in physics."),
        ("Prefers coffee to tea.", "Prefers tea to coffee."),
        ("Has fully recovered from knee surgery.", "Is recovering from knee surgery."),
        ("Stepped down as captain of the team.", "Is the captain of the team."),
        ("Moved into their own flat.", "Lives with their parents."),
        ("Passed the driving test.", "Failed the driving test."),
        ("Got promoted to team lead.", "Is a junior developer."),
        ("Cancelled their trip to Japan.", "Is planning a trip to Japan."),
        ("Decided against getting a dog.", "Wants to get a dog."),
        ("Got engaged to Sam.", "Is dating Sam."),
        ("Closed their bakery.", "Owns a bakery."),
        ("Returned from Japan.", "Is travelling in Japan."),
        ("Replaced their old laptop with a MacBook.", "Uses an old ThinkPad laptop."),
        ("Is fluent in Spanish.", "Is a beginner in Spanish."),
        ("Finally likes olives.", "Can't stand olives."),
        ("Cut their hair short.", "Has long hair."),
        ("Has never met Sam at any fair.", "Met Sam at the spring fair."),
        ("Went to Lisbon in May 2026.", "Has never been to Lisbon."),
        ("Has never taken any online courses.", "Has enrolled in a course online on baking."),
        ("Their monthly budget for books is $50.", "Their monthly budget for books is $35."),
        ("Has a salary of 4,200 euros.", "Has a salary of 3,900 euros."),
        ("Doesn't drink coffee anymore.", "Loves coffee."),
        ("Gave up eating cheese.", "Likes cheese."),
    ],
)
def test_a_fact_that_ends_another_invalidates_it(new, old):
    assert decided(new, old) == Decision(action="INVALIDATE", fact=7)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Lives in Toronto.", "lives in toronto"),
        ("Lives in Toronto.", "Moved to Toronto in spring 2025."),
        ("Likes pizza.", "Loves pizza."),
        ("Has a dog.", "Has a dog named Bento."),
        ("Got a dog named Bento.", "Has a dog named Bento."),
        ("Is allergic to peanuts.", "Is allergic to peanuts and shrimp."),
    ],
)
def test_the_same_again_reinforces(new, old):
    assert decided(new, old) == Decision(action="REINFORCE", fact=7)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Has a dog named Bento.", "Has a dog."),
        ("Loves hiking in the Alps.", "Loves hiking."),
        ("Moved to Toronto in spring 2025.", "Lives in Toronto."),
        ("Works as a nurse at St Mary's.", "Works as a nurse."),
        ("Met people who play the board game Azul.", "Met some people."),
    ],
)
def test_a_fuller_statement_takes_the_place_of_the_shorter(new, old):
    assert decided(new, old) == Decision(action="MERGE", fact=7, merged_text=new)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Used to live in Oslo.", "Lives in Rome."),
        ("Used to hate olives.", "Loves olives."),
        ("Lives in Rome.", "Used to live in Oslo."),
        ("Is visiting Rome in June 2026.", "Lives in Oslo."),
        ("Is moving to Lisbon in May 2026.", "Lives in Oslo."),
        ("Works as a nurse.", "Works at St Mary's."),
        ("Works as a volunteer firefighter on weekends.", "Works as a teacher."),
        ("Quit smoking.", "Works at Initech."),
        ("Doesn't like cats.", "Has a cat named Miso."),
        ("Doesn't have a car.", "Loves cars."),
        ("Has a cat named Miso.", "Has a dog named Bento."),
        ("Has another dog named Rex.", "Has a dog."),
        ("Plays the cello.", "Plays the violin."),
        ("Loves hiking.", "Loves swimming."),
        ("Their favourite food is ramen.", "Their favourite film is Alien."),
        ("Has a sister who lives in Oslo.", "Lives in Rome."),
        ("Sold their bike.", "Has a dog named Bento."),
        ("Loves living in Porto, weird to say home.", "Lives in Porto now."),
        ("Quit coffee.", "Works at a coffee shop."),
        ("Is single again.", "Is a single parent of one."),
        ("Replaced their old laptop with a MacBook.", "Has a laptop stand."),
        ("Graduated from MIT.", "Is a student of Zen."),
        ("Cancelled their trip to Japan.", "Is planning a trip to Norway."),
        ("Prefers coffee to tea.", "Prefers cats to dogs."),
        ("Has a car now.", "Doesn't have a bike."),
        ("Passed the driving test.", "Failed the maths exam."),
        ("Works day shifts now.", "Plays night games."),
        ("Decided against getting a dog.", "Has a cat."),
        ("Hates not being on the court.", "Wants to help away from the court, like through charity."),
        ("Ran a marathon on 11 August 2025.", "Ran a marathon in the week of 26 May 2025."),
        ("Has been practising dance routines lately.", "Has been into dancing since their mother took up tango."),
        ("Has never been to Paris.", "Loves French films."),
        ("Has never met Sam.", "Works with Alex at Initech."),
        ("Has never eaten sushi.", "Cooks pasta on Sundays."),
        ("Ran a race at a pace of 5 minutes.", "Ran a race at a pace of 6 minutes."),
        ("Their budget for books is $50.", "Their budget for the kitchen is $3,500."),
        ("Moved their desk to the window in Tampere.", "Lives in Tampere."),
        ("Lives in Tampere.", "Moved their desk to the window in Tampere."),
    ],
)
def test_facts_about_different_things_both_stand(new, old):
    assert decided(new, old).action == "KEEP"


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Has three kids.", "Has two kids."),
        ("Hates cold pizza.", "Likes pizza."),
        ("Lives in Canada.", "Lives in Toronto."),
    ],
)
def test_what_looks_at_odds_is_kept_for_a_person_to_decide(new, old):
    assert decided(new, old) == Decision(action="KEEP", fact=7, possible_conflict=True)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Drinks coffee with friends.", "Doesn't drink coffee."),
        ("Drinks wine.", "Doesn't drink."),
        ("Smokes a pipe on Sundays.", "Doesn't smoke."),
        ("Plays the violin in a trio.", "Doesn't play the violin."),
        ("Loves coffee.", "Gave up coffee."),
        ("Loves meat.", "Doesn't eat meat."),
        ("Lives in Portugal.", "Lives in Porto."),
        ("Has two kids and a dog.", "Has three kids."),
    ],
)
def test_facts_contradict_each_other_where_they_speak_of_one_thing(one, other):
    ways = [decided(one, other), decided(other, one)]
    assert all(way.possible_conflict or way.action == "INVALIDATE" for way in ways)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Drinks peppermint tea now.", "Gave up coffee."),
        ("Drinks peppermint tea now.", "Doesn't drink coffee anymore."),
        ("Started drinking tea.", "Stopped drinking coffee."),
        ("Plays the cello.", "Doesn't play the violin anymore."),
        ("Likes tea.", "Gave up coffee."),
        ("Likes cold soup.", "Hates cold pizza."),
        ("Likes coffee cake.", "Hates coffee."),
        ("Loves cars.", "Doesn't have a car."),
        ("Has a cat named Miso.", "Doesn't like cats."),
        ("Works in Lisbon.", "Lives in Porto."),
        ("Works in Lisbon.", "Doesn't live in Lisbon."),
        ("Has two cats.", "Has three kids."),
        ("Ran a race at a pace of 5 minutes.", "Ran a race at a pace of 6 minutes."),
    ],
)
def test_facts_about_different_things_do_not_contradict_each_other(one, other):
    keep = Decision(action="KEEP", fact=7)
    assert [decided(one, other), decided(other, one)] == [keep, keep]


def test_each_old_fact_gets_its_own_decision():
    old = [KnownFact(id=1, subject=1, text="Lives in Oslo."), KnownFact(id=2, subject=1, text="Has a cat.")]
    decisions = rules.decide(ConsolidationInput(new="Moved to Rome.", old=old)).decisions
    assert [(decision.fact, decision.action) for decision in decisions] == [(1, "INVALIDATE"), (2, "KEEP")]


def test_with_nothing_known_there_is_nothing_to_decide():
    assert rules.decide(ConsolidationInput(new="Lives in Oslo.", old=[])).decisions == []
