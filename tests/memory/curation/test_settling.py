"""Facts that perhaps contradict each other: marked as a pair, settled by a person, undone, and gone with either."""

import pytest

from memory.curation import corrections, fact_review
from memory.facts import changes
from memory.facts.changes import FactConflict
from memory.facts.schemas import Decision, Decisions
from memory.learning import consolidation
from memory.models import Action, Contradiction, Fact
from memory.records.sentences import action_in_words
from memory.withdrawal import withdraw
from memoryhub.community.models import Event
from tests.factories import NOON, days, make_message
from tests.memory.learning.conftest import propose

pytestmark = pytest.mark.django_db
OLGA = {"actor": "operator:olga", "now": NOON + days(9)}


def learn(text, *decisions, **fields):
    """Learn a fact by the rules, or as a model would decide."""
    decide = (lambda _given: Decisions(decisions=list(decisions))) if decisions else None
    proposal = propose(text, messages=[make_message(text)], **fields)
    return consolidation.settle(proposal, actor="extraction", now=NOON, decide=decide)


@pytest.fixture
def pair():
    """Return an older and a newer fact of which perhaps one only is true."""
    return learn("Has two kids."), learn("Has three kids.")


def marked():
    return sorted(Fact.objects.filter(possible_conflict=True).values_list("text", flat=True))


def beside(fact):
    fact.refresh_from_db()
    return [other.text for other in changes.at_odds.beside([fact])]


def test_the_newer_is_marked_and_each_is_beside_the_other(pair):
    older, newer = pair
    assert (marked(), beside(newer), beside(older)) == (["Has three kids."], ["Has two kids."], ["Has three kids."])


def test_both_are_true_takes_the_mark_away_for_good(pair):
    older, newer = pair
    corrections.settle(older, beside=newer, **OLGA)
    learn("Has two kids.")
    learn("Has three kids.")
    assert (marked(), beside(newer), Fact.objects.active().count()) == ([], [], 2)
    line = Action.objects.get(kind="memory_settle")
    assert action_in_words(line.kind, line.detail) == f"Found memories {older.pk} and {newer.pk} both true"
    assert Event.objects.filter(kind=Event.Kind.CHANGED, row=newer.pk).exists()


@pytest.mark.parametrize("which", [0, 1])
def test_both_are_true_is_undone_from_either(pair, which):
    corrections.settle(pair[1], beside=pair[0], **OLGA)
    corrections.undo(Fact.objects.get(pk=pair[which].pk), **OLGA)
    assert (marked(), beside(pair[0])) == (["Has three kids."], ["Has three kids."])


@pytest.mark.parametrize("which", [0, 1])
def test_the_one_that_does_not_hold_is_archived_and_comes_back_by_undo(pair, which):
    ends, other = pair[which], pair[1 - which]
    corrections.settle(other, beside=ends, ends=ends, **OLGA)
    ends.refresh_from_db()
    assert (ends.status, marked(), beside(other)) == ("archived", [], [])
    assert Action.objects.get(kind="memory_archive").detail == {"fact": ends.pk}
    corrections.undo(ends, **OLGA)
    assert (marked(), beside(other)) == (["Has three kids."], [ends.text])


def test_what_somebody_settled_meanwhile_is_told(pair):
    older, newer = pair
    corrections.settle(newer, beside=older, ends=older, **OLGA)
    with pytest.raises(FactConflict, match="settled this meanwhile"):
        corrections.settle(older, beside=newer, ends=newer, **OLGA)
    newer.refresh_from_db()
    assert newer.status == "active"


def test_a_pair_is_settled_by_itself(pair):
    older, newer = pair
    other = learn("Has a sister.")
    batch = changes.Batch(actor="test", now=NOON)
    batch.doubt(newer, [other])
    corrections.settle(newer, beside=older, **OLGA)
    assert (marked(), beside(newer)) == (["Has three kids."], ["Has a sister."])


def test_a_mark_whose_other_is_not_known_is_taken_away_and_that_undone():
    learn("Plays chess.")
    fact = learn("Has three kids.", Decision(action="KEEP", possible_conflict=True))
    assert (marked(), beside(fact)) == (["Has three kids."], [])
    corrections.settle(fact, beside=None, **OLGA)
    assert marked() == []
    corrections.undo(fact, **OLGA)
    assert marked() == ["Has three kids."]


@pytest.mark.parametrize("which", [0, 1])
def test_what_is_deleted_leaves_no_pair_and_no_mark(pair, which):
    withdraw.forget_fact(pair[which], **OLGA)
    assert (marked(), Contradiction.objects.count()) == ([], 0)


def test_what_ends_otherwise_takes_the_mark_with_it(pair):
    learn("Has no kids.", Decision(action="INVALIDATE", fact=pair[0].pk))
    assert (marked(), beside(pair[1])) == ([], [])


def test_what_takes_the_place_of_one_of_them_is_beside_the_other(pair):
    older, newer = pair
    merged = Decision(action="MERGE", fact=newer.pk, merged_text="Has three kids in Porto.")
    fact = learn("Has three kids in Porto.", merged)
    assert (marked(), beside(fact)) == (["Has three kids in Porto."], ["Has two kids."])
    corrections.undo(fact, **OLGA)
    assert (marked(), beside(older)) == (["Has three kids."], ["Has three kids."])


def test_an_older_undo_brings_no_mark_back(pair):
    older, newer = pair
    corrections.correct(newer, pinned=True, **OLGA)
    withdraw.forget_fact(older, **OLGA)
    corrections.archive(newer, **OLGA)
    corrections.restore(newer, **OLGA)
    assert marked() == []


def test_what_waits_is_marked_and_beside_nothing_that_it_ends():
    oslo = learn("Lives in Oslo.")
    guild = oslo.guild
    guild.review_all = True
    guild.save()
    rome = learn("Lives in Rome.", guild=guild)
    assert (rome.status, marked()) == ("pending", ["Lives in Rome."])
    fact_review.approve(rome, **OLGA)
    assert (marked(), beside(rome)) == ([], [])
