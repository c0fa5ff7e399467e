"""What one reading brought is decided on together: few calls of a model, each fact's decisions its own."""

from datetime import date

import numpy as np
import pytest

from memory.facts.schemas import Decision, Decisions
from memory.index import writing
from memory.learning import consolidation, decisions
from memory.models import Fact
from memoryhub.ai import ModelFailed
from tests import toy_embedder
from tests.factories import NOON, days, make_fact, make_guild, make_member, make_message
from tests.memory.learning.conftest import active, propose
from tests.scripted import scripted

pytestmark = pytest.mark.django_db
LATER = NOON + days(1)


@pytest.fixture(autouse=True)
def model(settings):
    settings.MEMORYHUB_CAREFUL_MODEL, settings.OPENAI_API_KEY = "openai:careful", "test-key"
    settings.MEMORYHUB_EMBEDDING_MODEL = "none"


def known(*texts, name="Alice"):
    facts = [make_fact(text, subject=make_member(name=name)) for text in texts]
    writing.index_facts(facts)
    return facts


def proposals(*texts, name="Alice", at=LATER):
    guild = make_guild()
    member = make_member(guild, name)
    return [
        propose(
            text, guild=guild, subject=member, explicit=True, said_at=at,
            messages=[make_message(text, author=member, sent_at=at)],
        )
        for text in texts
    ]  # fmt: skip


def settle(*given):
    return consolidation.settle_all(given, actor="test", now=NOON + days(1))


def asked(model):
    return [given.cases for purpose, given in model.asked if purpose == "consolidation"]


def test_one_call_decides_on_all_that_has_something_near():
    oslo, boat = known("Lives in Oslo.", "Owns a boat.")
    with scripted() as model:
        model.will(
            "consolidation",
            Decisions(
                decisions=[
                    Decision(new=1, action="INVALIDATE", fact=oslo.pk),
                    Decision(new=2, action="REINFORCE", fact=boat.pk),
                ]
            ),
        )
        settle(*proposals("Lives in Rome.", "Has got a boat.", "Dances tango."))
    [cases] = asked(model)
    assert [case.new for case in cases] == ["Lives in Rome.", "Has got a boat."]
    assert active() == ["Dances tango.", "Lives in Rome.", "Owns a boat."]


def test_a_decision_about_another_new_fact_s_old_one_is_not_taken_for_this_one():
    oslo, _ = known("Lives in Oslo.", "Owns a boat.")
    with scripted() as model:
        model.will("consolidation", Decisions(decisions=[Decision(new=7, action="INVALIDATE", fact=oslo.pk)]))
        settle(*proposals("Lives in Rome.", "Has got a boat."))
    assert "Lives in Oslo." in active()


def test_where_nothing_is_near_nobody_is_asked():
    known("Plays chess.")
    with scripted() as model:
        settle(*proposals("Lives in Rome.", "Dances tango."))
    assert asked(model) == []


def test_an_exact_repeat_is_reinforced_without_a_call():
    known("Lives in Oslo.")
    with scripted() as model:
        settle(*proposals("lives in oslo"))
    assert asked(model) == []
    assert Fact.objects.get().reinforcements == 1


def test_what_touches_another_new_fact_is_compared_with_it_too():
    with scripted() as model:
        settle(*proposals("Lives in Oslo.", at=NOON), *proposals("Moved to Rome from Oslo.", at=NOON + days(1)))
    [[case]] = asked(model)
    assert (case.new, [old.text for old in case.old]) == ("Moved to Rome from Oslo.", ["Lives in Oslo."])
    assert active() == ["Moved to Rome from Oslo."]


def test_what_means_the_same_in_other_words_is_compared_with_it_too(monkeypatch):
    toy = toy_embedder.install(monkeypatch)
    monkeypatch.setattr(decisions, "embedder", lambda: toy)
    monkeypatch.setattr(toy, "_bag", lambda _text: np.eye(1, toy.dimensions, dtype=np.float32)[0])  # all means the same
    with scripted() as model:
        settle(*proposals("Has a puppy.", "Looks after a dog."))
    [[case]] = asked(model)
    assert (case.new, [old.text for old in case.old]) == ("Looks after a dog.", ["Has a puppy."])


def test_ten_new_facts_are_a_call():
    new = ["Plays accordion.", "Rides bicycles.", "Pours candles.", "Grows dahlias.", "Feeds emus.", "Walks ferrets.",
           "Flies gliders.", "Knots hammocks.", "Draws iguanas.", "Solves jigsaws.", "Paddles kayaks.",
           "Lights lanterns."]  # fmt: skip
    known(*(f"Dreams of {text.split()[1]}" for text in new))
    with scripted() as model:
        settle(*proposals(*new))
    assert [len(cases) for cases in asked(model)] == [10, 2]


def test_another_member_s_new_facts_are_not_in_the_way():
    with scripted() as model:
        settle(*proposals("Lives in Oslo."), *proposals("Moved to Rome from Oslo.", name="Bob"))
    assert asked(model) == []
    assert active() == ["Lives in Oslo.", "Moved to Rome from Oslo."]


def test_a_failing_model_keeps_all_and_marks_only_what_it_was_asked_about():
    known("Lives in Oslo.")
    with scripted() as model:
        model.will("consolidation", ModelFailed("unavailable"))
        settle(*proposals("Lives in Rome.", "Dances tango."))
    assert active() == ["Dances tango.", "Lives in Oslo.", "Lives in Rome."]
    assert set(Fact.objects.filter(possible_conflict=True).values_list("text", flat=True)) == {"Lives in Rome."}


def test_a_failing_embedder_keeps_all_and_marks_the_doubt(monkeypatch):
    def fail(*_, **__):
        raise ModelFailed("unavailable")

    monkeypatch.setattr(decisions, "nearest_facts", fail)
    with scripted():
        settle(*proposals("Lives in Rome."))
    assert Fact.objects.get().possible_conflict


def test_a_source_that_went_costs_only_its_own_fact():
    gone, kept = proposals("Lives in Rome.", "Dances tango.")
    gone.messages[0].delete()
    with scripted():
        assert [fact and fact.text for fact in settle(gone, kept)] == [None, "Dances tango."]


def test_without_a_model_the_rules_settle_one_after_the_other(settings):
    settings.MEMORYHUB_CAREFUL_MODEL = "offline"
    facts = settle(*proposals("Lives in Oslo.", at=NOON), *proposals("Moved to Rome."))
    assert [fact.text for fact in facts] == ["Lives in Oslo.", "Moved to Rome."]
    assert active() == ["Moved to Rome."]


def test_a_model_is_told_the_guilds_own_days():
    make_guild(time_zone="Pacific/Auckland")  # NOON and LATER are the next day there
    known("Lives in Oslo.")
    with scripted() as model:
        settle(*proposals("Lives in Oslo with a boat."))
    ((case,),) = asked(model)
    assert [case.said_on, *(old.said_on for old in case.old)] == [date(2026, 3, 4), date(2026, 3, 3)]
