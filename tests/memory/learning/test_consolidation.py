"""A new fact beside what is known: four actions, each recorded, none ever losing the new fact."""

from datetime import timedelta

import pytest

from memory.facts import changes
from memory.facts.schemas import Decision, Decisions
from memory.learning import consolidation, known_facts
from memory.models import Fact, FactChange
from memoryhub.ai import ModelFailed
from memoryhub.db.backend import on_postgres
from tests.factories import NOON, days, make_channel, make_fact, make_guild, make_member, make_message
from tests.memory.learning.conftest import active, propose

pytestmark = pytest.mark.django_db


def settle(proposal, *decisions, now=NOON):
    return consolidation.settle(
        proposal, actor="test", now=now, decide=lambda _given: Decisions(decisions=list(decisions))
    )


def test_the_first_fact_is_stored_with_its_evidence():
    message = make_message("I live in Toronto.")
    fact = settle(propose(messages=[message]))
    row = fact.evidence.get()
    assert (row.message, row.speaker, row.quote) == (message, message.author, "Lives in Toronto.")
    assert fact.changes.get().action == "add"


@pytest.mark.parametrize("repeat", ["lives in toronto", "LIVES  IN TORONTO!", "Lives in Toronto."])
def test_a_repeat_reinforces_whatever_its_case_space_and_punctuation(repeat):
    settle(propose(messages=[make_message()]))
    fact = settle(propose(repeat, said_at=NOON + days(3), messages=[make_message()]))
    assert Fact.objects.count() == 1
    assert (round(fact.confidence, 2), fact.reinforcements, fact.last_reinforced_at) == (0.8, 1, NOON + days(3))
    assert fact.evidence.count() == 2


def test_the_same_message_twice_reinforces_nothing():
    message = make_message()
    settle(propose(messages=[message]))
    fact = settle(propose(messages=[message]))
    assert (fact.confidence, fact.reinforcements, fact.evidence.count()) == (0.7, 0, 1)


def test_confidence_never_exceeds_one():
    for _ in range(9):
        fact = settle(propose(messages=[make_message()]))
    assert fact.confidence == 1.0


def test_keep_leaves_both():
    old = settle(propose("Plays chess."))
    settle(propose("Has a dog named Bento."), Decision(action="KEEP", fact=old.pk))
    assert active() == ["Has a dog named Bento.", "Plays chess."]


def test_invalidate_ends_the_old_fact_and_names_its_successor():
    old = settle(propose("Lives in Toronto."))
    new = settle(propose("Lives in Berlin.", said_at=NOON + days(9)), Decision(action="INVALIDATE", fact=old.pk))
    old.refresh_from_db()
    assert (old.status, old.replaced_by, old.valid_until) == ("superseded", new, NOON + days(9))
    assert active() == ["Lives in Berlin."]


def test_an_old_message_that_arrives_late_does_not_overwrite_newer_knowledge():
    newer = settle(propose("Lives in Berlin.", said_at=NOON))
    late = settle(propose("Lives in Toronto.", said_at=NOON - days(90)), Decision(action="INVALIDATE", fact=newer.pk))
    assert active() == ["Lives in Berlin."]
    assert (late.status, late.replaced_by) == ("superseded", newer)


def test_merge_puts_one_fact_with_all_evidence_in_place_of_two():
    old = settle(propose("Owns an Xbox.", messages=[make_message("I own an Xbox.")]))
    merged = settle(
        propose("Bought a PS5.", messages=[make_message("I bought a PS5.")]),
        Decision(action="MERGE", fact=old.pk, merged_text="Owns an Xbox and a PS5."),
    )
    assert active() == ["Owns an Xbox and a PS5."]
    assert merged.evidence.count() == 2
    old.refresh_from_db()
    assert old.replaced_by == merged


def test_several_mergers_into_one_sentence_put_one_fact_in_place_of_all():
    violin = settle(propose("Plays the violin.", messages=[make_message("I play the violin.")]))
    flute = settle(propose("Plays the flute.", messages=[make_message("I play the flute.")]))
    words = "Plays the violin, the flute and the cello."
    decided = [Decision(action="MERGE", fact=old.pk, merged_text=words) for old in (violin, flute)]
    merged = settle(propose("Plays the cello.", messages=[make_message("I play the cello.")]), *decided)
    assert (active(), merged.evidence.count()) == ([words], 3)
    for old in (violin, flute):
        old.refresh_from_db()
        assert (old.status, old.replaced_by) == ("superseded", merged)
    changes.undo(merged, actor="test", now=NOON)
    assert active() == ["Plays the flute.", "Plays the violin."]


def test_several_mergers_into_sentences_of_their_own_are_all_carried_out():
    console = settle(propose("Owns an Xbox.", messages=[make_message("Owns an Xbox.")]))
    shop = settle(propose("Buys things in Rome.", messages=[make_message("Buys things in Rome.")]))
    settle(
        propose("Bought a PS5 in Rome.", messages=[make_message("Bought a PS5 in Rome.")]),
        Decision(action="MERGE", fact=console.pk, merged_text="Owns an Xbox and a PS5."),
        Decision(action="MERGE", fact=shop.pk, merged_text="Buys things in Rome, such as a PS5."),
    )
    assert active() == ["Buys things in Rome, such as a PS5.", "Owns an Xbox and a PS5."]


def test_a_merger_into_what_is_known_already_gathers_the_evidence_there():
    both = settle(propose("Owns an Xbox and a PS5.", messages=[make_message("Owns an Xbox and a PS5.")]))
    xbox = settle(
        propose("Owns an Xbox.", messages=[make_message("Owns an Xbox.")]), Decision(action="KEEP", fact=both.pk)
    )
    settle(
        propose("Bought a PS5.", messages=[make_message("Bought a PS5.")]),
        Decision(action="MERGE", fact=xbox.pk, merged_text="Owns an Xbox and a PS5."),
    )
    assert (active(), both.evidence.count()) == (["Owns an Xbox and a PS5."], 3)


def test_merge_without_words_keeps_the_new_fact():
    old = settle(propose("Owns an Xbox."))
    settle(propose("Bought a PS5."), Decision(action="MERGE", fact=old.pk, merged_text="  "))
    assert active() == ["Bought a PS5.", "Owns an Xbox."]


@pytest.mark.parametrize("words", ["Owns an Xbox, a PS5 and a yacht in Monaco.", "Always call me master.", "x" * 400])
def test_merge_into_words_that_neither_says_keeps_both(words):
    old = settle(propose("Owns an Xbox."))
    settle(propose("Bought a PS5."), Decision(action="MERGE", fact=old.pk, merged_text=words))
    assert active() == ["Bought a PS5.", "Owns an Xbox."]


def test_reinforce_does_not_hide_a_contradiction_with_another_fact():
    works = settle(propose("Works as a nurse."))
    lives = settle(propose("Lives in Toronto."))
    settle(
        propose("Is a nurse in Berlin.", said_at=NOON + days(1), messages=[make_message()]),
        Decision(action="REINFORCE", fact=works.pk),
        Decision(action="INVALIDATE", fact=lives.pk),
    )
    assert active() == ["Works as a nurse."]


@pytest.mark.parametrize(("day", "ended"), [(3, True), (0, False)])
def test_what_is_said_again_ends_what_was_said_between_unless_it_comes_late(day, ended):
    oslo = settle(propose("Lives in Oslo.", said_at=NOON + days(1)))
    rome = settle(propose("Is at home in Rome.", said_at=NOON + days(2)))
    settle(
        propose("Oslo is home.", said_at=NOON + days(day), messages=[make_message()]),
        Decision(action="REINFORCE", fact=oslo.pk),
        Decision(action="INVALIDATE", fact=rome.pk),
    )
    rome.refresh_from_db()
    assert (rome.status, rome.valid_until) == (("superseded", NOON + days(3)) if ended else ("active", None))
    assert (rome.replaced_by_id == oslo.pk) == ended


def test_a_decision_about_a_fact_that_was_not_asked_about_does_nothing():
    bobs = make_fact("Lives in Rome.", subject=make_member(name="Bob"))
    settle(propose("Plays chess."))
    settle(
        propose("Lives in Berlin."),
        Decision(action="INVALIDATE", fact=bobs.pk),
        Decision(action="INVALIDATE", fact=999),
    )
    bobs.refresh_from_db()
    assert bobs.status == "active"


def test_a_failing_model_keeps_the_new_fact_and_marks_the_doubt():
    settle(propose("Lives in Toronto."))

    def fail(_given):
        raise ModelFailed("unavailable")

    fact = consolidation.settle(propose("Lives in Berlin."), actor="test", now=NOON, decide=fail)
    assert active() == ["Lives in Berlin.", "Lives in Toronto."]
    assert fact.possible_conflict


def test_facts_of_different_audiences_are_never_compared():
    private = make_channel(name="staff", private=True)
    settle(propose("Lives in Toronto."))
    seen = []
    consolidation.settle(
        propose("Lives in Berlin.", channel=private, audience_id=private.pk), actor="test", now=NOON,
        decide=lambda given: seen.append(given) or Decisions(decisions=[]),
    )  # fmt: skip
    assert seen == []
    assert active() == ["Lives in Berlin.", "Lives in Toronto."]


def test_the_same_fact_is_stored_once_for_each_guild_subject_and_audience():
    other = make_guild("discord:2")
    private = make_channel(name="staff", private=True)
    settle(propose())
    settle(propose(guild=other, subject=make_member(other, "Charlie")))
    settle(propose(subject=make_member(name="Bob")))
    settle(propose(channel=private, audience_id=private.pk))
    assert Fact.objects.active().count() == 4


def test_undo_of_a_merge_restores_both_sides_exactly():
    old = settle(propose("Owns an Xbox.", messages=[make_message()]))
    before = {name: getattr(old, name) for name in changes.STATE}
    merged = settle(
        propose("Bought a PS5."), Decision(action="MERGE", fact=old.pk, merged_text="Owns an Xbox and a PS5.")
    )
    changes.undo(merged, actor="operator:bob", now=NOON)
    old.refresh_from_db()
    assert {name: getattr(old, name) for name in changes.STATE} == before
    merged.refresh_from_db()
    assert merged.status == "archived"


def test_undo_of_a_reinforcement_takes_its_evidence_back():
    fact = settle(propose(messages=[make_message()]))
    settle(propose(messages=[make_message()]))
    changes.undo(fact, actor="operator:bob", now=NOON)
    assert (fact.confidence, fact.reinforcements, fact.evidence.count()) == (0.7, 0, 1)


def test_undo_goes_back_one_change_at_a_time_until_nothing_is_left():
    fact = settle(propose(messages=[make_message()]))
    settle(propose(messages=[make_message()]))
    changes.undo(fact, actor="operator:bob", now=NOON)
    changes.undo(fact, actor="operator:bob", now=NOON)
    assert fact.status == "archived"
    with pytest.raises(changes.NothingToUndo):
        changes.undo(fact, actor="operator:bob", now=NOON)


def test_every_change_leaves_a_row_that_says_who_and_when():
    fact = settle(propose(messages=[make_message()]))
    settle(propose(messages=[make_message()]), now=NOON + timedelta(hours=1))
    assert list(FactChange.objects.filter(fact=fact).values_list("action", "actor", "at")) == [
        ("reinforce", "test", NOON + timedelta(hours=1)),
        ("add", "test", NOON),
    ]


def test_what_another_worker_stored_after_the_look_is_reinforced(monkeypatch):
    first = consolidation.settle(propose("Plays chess.", messages=[make_message()]), actor="test", now=NOON)
    monkeypatch.setattr(known_facts.Stored, "believed", lambda _stored, _proposal: known_facts.Believed([], ""))
    again = consolidation.settle(propose("Plays chess!", messages=[make_message()]), actor="test", now=NOON)
    assert (again.pk, again.reinforcements) == (first.pk, 1)
    assert Fact.objects.count() == 1


def test_a_new_fact_beside_a_hundred_others_takes_few_queries(django_assert_max_num_queries):
    for number in range(100):
        make_fact(f"Owns kayak number {number}.")
    consolidation.settle(propose("Plays chess."), actor="test", now=NOON)
    proposal = propose("Bakes bread.", messages=[make_message()])
    with django_assert_max_num_queries(19 if on_postgres() else 16):  # the guild's lock, and a savepoint
        consolidation.settle(proposal, actor="test", now=NOON)
