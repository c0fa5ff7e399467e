"""Whatever was done to facts, undoing all of it brings back exactly what was there, newest change first."""

from contextlib import suppress

import pytest
from django.db import connection
from django.forms.models import model_to_dict
from hypothesis import given, settings
from hypothesis import strategies as st

from memory import pipeline
from memory.curation import corrections, guild_settings
from memory.facts import changes
from memory.facts.changes import FactConflict
from memory.facts.proposal import Proposal
from memory.facts.schemas import Decision, Decisions
from memory.learning import consolidation
from memory.models import Evidence, Fact, FactChange
from memory.withdrawal import withdraw
from memory.withdrawal.close_channel import change_audience
from memoryhub.community.models import Guild
from memoryhub.search import keywords
from memoryhub.search.scope import WHOLE_GUILD, Scope
from tests.api_client import api_for
from tests.factories import NOON, days, make_channel, make_fact, make_guild, make_member, make_message, minutes
from tests.incoming import north, say

pytestmark = pytest.mark.django_db
TEXTS = ["Owns a boat.", "Owns a kayak.", "Owns a canoe.", "Owns a raft.", "Owns a dinghy."]
BY = {"actor": "operator:bob", "now": NOON}
STEPS = ["add", "reinforce", "invalidate", "merge", "edit", "archive", "restore", "undo"]
_worlds = iter(range(10_000))

step = st.tuples(st.sampled_from(STEPS), st.integers(0, 9), st.integers(0, 9))


def known(guild: Guild):
    """Return all of the guild's facts but those that an undone addition left archived, with what they rest on."""
    facts = Fact.objects.of(guild).exclude(pk__in=_taken_back(guild)).order_by("pk")
    evidence = Evidence.objects.filter(fact__in=facts).order_by("pk")
    return (
        [{**model_to_dict(fact), "created_at": fact.created_at} for fact in facts],
        list(evidence.values_list("fact", "message", "quote")),
        _found(guild),
    )


def _taken_back(guild: Guild):
    added = FactChange.objects.filter(fact__guild=guild, before={}, undone=True).exclude(action="undo")
    return set(added.values_list("fact", flat=True)) & set(
        Fact.objects.filter(status="archived").values_list("pk", flat=True)
    )


def _found(guild: Guild):
    scope = Scope(guild=guild.pk, audiences=[WHOLE_GUILD], subjects=None)
    return sorted(match.id for match in keywords.search(kind="fact", query=" ".join(TEXTS), scope=scope, limit=99))


class World:
    """A guild with three facts, and something that may be done to them."""

    def __init__(self) -> None:
        self.guild = make_guild(f"test:{next(_worlds)}")
        self.alice, self.channel = make_member(self.guild), make_channel(self.guild)
        for number, text in enumerate(TEXTS[:3]):
            self.settle(text, number, "KEEP", None)
        FactChange.objects.filter(fact__guild=self.guild).delete()
        self.start = known(self.guild)

    def settle(self, text, number, action, other):
        message = make_message(text, channel=self.channel, author=self.alice)
        proposal = Proposal(
            guild=self.guild, subject=self.alice, text=text, kind="profile", confidence=0.5, explicit=bool(number % 2),
            said_at=NOON + days(number), quote=text, messages=[message], valid_from=NOON if number % 3 else None,
        )  # fmt: skip
        words = f"{other.text.removesuffix('.')} and {text[0].lower()}{text[1:]}" if other else ""
        decisions = [Decision(action=action, fact=other.pk, merged_text=words)] if other else []
        consolidation.settle(proposal, actor="test", now=NOON, decide=lambda _: Decisions(decisions=decisions))

    def do(self, name, one, other):
        facts = list(Fact.objects.of(self.guild).order_by("pk"))
        fact, text = facts[one % len(facts)], TEXTS[other % len(TEXTS)]
        doing = {
            "add": lambda: self.settle(text, other, "KEEP", None),
            "reinforce": lambda: self.settle(text, other, "REINFORCE", fact),
            "invalidate": lambda: self.settle(text, other, "INVALIDATE", fact),
            "merge": lambda: self.settle(text, other, "MERGE", fact),
            "edit": lambda: corrections.correct(fact, text=text, confidence=0.9, pinned=bool(one % 2), **BY),
            "archive": lambda: corrections.archive(fact, **BY),
            "restore": lambda: corrections.restore(fact, **BY),
            "undo": lambda: corrections.undo(fact, **BY),
        }
        with suppress(FactConflict, changes.NothingToUndo):
            doing[name]()

    def undo_all(self):
        while change := FactChange.objects.filter(fact__guild=self.guild, undone=False).exclude(action="undo").first():
            corrections.undo(change.fact, **BY)


@settings(max_examples=60)
@given(st.lists(step, max_size=8))
def test_undoing_everything_brings_the_start_back(steps):
    world = World()
    for each in steps:
        world.do(*each)
    world.undo_all()
    assert known(world.guild) == world.start


def test_an_undo_is_recorded_and_is_not_itself_undone():
    fact = make_fact()
    corrections.archive(fact, **BY)
    corrections.undo(fact, **BY)
    assert list(fact.changes.values_list("action", "undone")) == [("undo", True), ("archive", True)]
    with pytest.raises(changes.NothingToUndo):
        corrections.undo(fact, **BY)


def test_undoing_a_decision_undoes_first_what_was_done_since_to_its_facts():
    world = World()
    boat = Fact.objects.get(guild=world.guild, text="Owns a boat.")
    world.settle("Owns a raft.", 0, "INVALIDATE", boat)
    raft = Fact.objects.get(text="Owns a raft.")
    world.settle("Owns a raft.", 1, "KEEP", None)
    corrections.correct(raft, text="Owns a big raft.", **BY)
    corrections.undo(boat, **BY)
    raft.refresh_from_db()
    assert (raft.text, raft.status, raft.reinforcements, raft.evidence.count()) == ("Owns a raft.", "archived", 0, 1)
    assert known(world.guild) == world.start


@pytest.mark.parametrize("how", ["delete", "close"])
def test_no_undo_brings_back_how_sure_a_source_had_made_it_that_went(how):
    for n, channel in enumerate(["general", "crew", "deck"]):
        say("I live in Toronto.", id=channel, channel=channel, at=NOON + minutes(n))
    pipeline.digest(None, now=NOON + minutes(60))
    fact = corrections.correct(Fact.objects.get(), kind="other", pinned=True, **BY)
    sure, again = fact.confidence, fact.reinforcements
    if how == "delete":
        pipeline.delete(fact.guild, message_ids=["crew"], now=NOON)
    else:
        change_audience(make_channel(name="crew"), "channel", now=NOON)
    fact.refresh_from_db()
    weaker = fact.confidence
    assert weaker < sure
    answer = api_for(north()).post(f"discord:1/facts/{fact.pk}/undo").json()
    assert (answer["pinned"], answer["confidence"]) == (False, weaker)
    answer = api_for(north()).post(f"discord:1/facts/{fact.pk}/undo").json()  # what was said in #deck
    fact.refresh_from_db()
    assert fact.confidence < weaker
    assert fact.reinforcements == again - 2
    assert fact.evidence.get().message.platform_id == "general"


def an_end_of_insulin() -> tuple[Fact, Fact]:
    """Return what was known of somebody's health, and what ended it, in a guild that keeps such things no longer."""
    said = make_message("I take tea every morning now.", platform_id="healed")
    guild = said.guild
    Guild.objects.update(keep_health=True)
    old = make_fact("Takes insulin every morning.", subject=said.author)
    proposal = Proposal(
        guild=guild, subject=said.author, text="Takes tea every morning.", kind="profile", confidence=0.5,
        explicit=True, said_at=said.sent_at, quote=said.text, messages=[said],
    )  # fmt: skip
    ends = Decisions(decisions=[Decision(action="INVALIDATE", fact=old.pk)])
    newer = consolidation.settle(proposal, actor="test", now=NOON, decide=lambda _: ends)
    guild.refresh_from_db()
    guild_settings.change_settings(guild, {"keep_health": False}, **BY)
    pipeline.tick(now=NOON + minutes(1))
    old.refresh_from_db()
    assert (old.status, old.replaced_by) == ("archived", newer)
    return old, newer


def test_no_undo_brings_back_what_the_guild_keeps_no_longer_with_another():
    old, newer = an_end_of_insulin()
    answer = api_for(north()).post(f"discord:1/facts/{newer.pk}/undo")
    old.refresh_from_db()
    assert (answer.status_code, old.status) == (409, "archived")


def test_nothing_that_goes_brings_back_what_was_put_aside():
    old, newer = an_end_of_insulin()
    pipeline.delete(old.guild, message_ids=["healed"], now=NOON)
    old.refresh_from_db()
    assert (old.status, Fact.objects.filter(pk=newer.pk).exists()) == ("archived", False)


def forget(fact: Fact) -> None:
    corrections.restore(Fact.objects.get(replaced_by=fact), **BY)
    withdraw.forget_fact(fact, **BY)


def delete_source(fact: Fact) -> None:
    pipeline.delete(fact.guild, message_ids=["moved"], now=NOON)


@pytest.mark.parametrize("take_away", [forget, delete_source])
def test_what_was_replaced_by_something_that_went_since_is_undone_without_it(take_away):
    say("I live in Toronto.")
    say("I moved to Rome.", id="moved", at=NOON + minutes(1))
    pipeline.digest(None, now=NOON + minutes(60))
    take_away(Fact.objects.get(text__contains="Rome"))
    toronto = Fact.objects.get()
    answer = api_for(north()).post(f"discord:1/facts/{toronto.pk}/undo")
    connection.check_constraints()
    assert (answer.status_code, answer.json()["status"], answer.json()["replaced_by"]) == (200, "superseded", None)
    assert corrections.undo(toronto, **BY).status == "active"
