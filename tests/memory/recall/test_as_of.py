"""`as_of` answers with what was believed true then, by what had been said and decided then."""

import pytest

from memory.curation import corrections
from memory.facts.proposal import Proposal
from memory.facts.schemas import Decision, Decisions
from memory.index.view import View
from memory.learning import consolidation
from memory.models import Fact
from memory.recall import sql
from memory.recall.search import recall
from memoryhub.db.guild_scope import inside
from tests.factories import NOON, days, make_guild, make_member, make_message

pytestmark = pytest.mark.django_db


def settle(text, *, at, action="KEEP", old=None, merged="", **fields):
    guild = make_guild()
    decisions = [Decision(action=action, fact=old.pk, merged_text=merged)] if old else []
    proposal = Proposal(
        guild=guild, subject=make_member(guild), text=text, kind="profile", confidence=0.7, explicit=False, said_at=at,
        quote=text, messages=[make_message(text, sent_at=at)], **fields,
    )  # fmt: skip
    return consolidation.settle(proposal, actor="test", now=at, decide=lambda _: Decisions(decisions=decisions))


def believed(at):
    """Return what was believed then, by the filter of the model, having seen that recall says the same."""
    view = View(guild=make_guild(), as_of=at)
    with inside(view.guild):
        facts = Fact.objects.of(view.guild).believed_at(at).worded_at(at)
        texts = sorted(fact.text_then or fact.text for fact in facts)
    every = list(Fact.objects.values_list("pk", flat=True))
    assert sorted(row.text for row in sql.told("fact", view, every).rows) == texts
    return texts


def test_before_a_move_was_told_the_old_home_was_believed_although_the_move_was_earlier():
    rome = settle("Lives in Rome.", at=NOON - days(400))
    settle("Lives in Oslo.", at=NOON, action="INVALIDATE", old=rome, valid_from=NOON - days(200))
    assert believed(NOON - days(500)) == []
    assert believed(NOON - days(300)) == ["Lives in Rome."]
    assert believed(NOON - days(100)) == ["Lives in Rome."]
    assert believed(NOON + days(1)) == ["Lives in Oslo."]


def test_an_end_in_the_future_is_not_yet_one():
    rome = settle("Lives in Rome.", at=NOON - days(400))
    settle("Lives in Oslo from May 2026.", at=NOON, action="INVALIDATE", old=rome, valid_from=NOON + days(60))
    assert believed(NOON + days(30)) == ["Lives in Rome."]
    assert believed(NOON + days(90)) == ["Lives in Oslo from May 2026."]


def test_what_was_merged_stands_alone_before_and_together_after():
    old = settle("Owns an Xbox.", at=NOON - days(9))
    settle("Bought a PS5.", at=NOON, action="MERGE", old=old, merged="Owns an Xbox and a PS5.")
    assert believed(NOON - days(1)) == ["Owns an Xbox."]
    assert believed(NOON) == ["Owns an Xbox and a PS5."]


def test_what_was_put_aside_later_was_believed_until_then():
    fact = settle("Lives in Rome.", at=NOON - days(400))
    corrections.archive(fact, actor="operator:bob", now=NOON)
    assert believed(NOON - days(1)) == ["Lives in Rome."]
    assert believed(NOON + days(1)) == []


def test_what_was_taken_back_was_never_believed():
    fact = settle("Lives in Rome.", at=NOON - days(400))
    corrections.undo(fact, actor="operator:bob", now=NOON)
    assert believed(NOON - days(1)) == []


def test_an_old_message_that_came_late_tells_of_the_time_before():
    oslo = settle("Lives in Oslo.", at=NOON)
    settle("Lives in Rome.", at=NOON - days(400), action="INVALIDATE", old=oslo)
    assert believed(NOON - days(1)) == ["Lives in Rome."]
    assert believed(NOON) == ["Lives in Oslo."]


def test_recall_answers_so():
    rome = settle("Lives in Rome.", at=NOON - days(400))
    settle("Lives in Oslo.", at=NOON, action="INVALIDATE", old=rome, valid_from=NOON - days(200))
    asked = {"question": "where does Alice live", "now": NOON + days(9), "kinds": ["fact"]}
    assert [m.text for m in recall(make_guild(), as_of=NOON - days(100), **asked)] == ["Lives in Rome."]
    assert [m.text for m in recall(make_guild(), **asked)] == ["Lives in Oslo."]


def test_a_fact_that_was_put_aside_then_and_restored_since_was_not_believed():
    fact = settle("Lives in Rome.", at=NOON - days(9))
    corrections.archive(fact, actor="operator:o", now=NOON - days(6))
    corrections.restore(fact, actor="operator:o", now=NOON - days(2))
    assert [bool(believed(NOON - days(n))) for n in (8, 4, 1)] == [True, False, True]


def test_a_fact_has_the_words_that_it_had_then():
    fact = settle("Lives in Rome.", at=NOON - days(9))
    corrections.correct(fact, text="Lives in Lima.", actor="operator:o", now=NOON - days(5))
    corrections.correct(fact, text="Lives in Oslo.", actor="operator:o", now=NOON - days(2))
    assert [believed(NOON - days(n)) for n in (8, 4, 1)] == [["Lives in Rome."], ["Lives in Lima."], ["Lives in Oslo."]]
