"""What memory outgrows is put aside and can be had back, until the guild's own setting erases it."""

import pytest

from memory import models, pipeline
from memory.curation import corrections
from memory.facts.changes import Action, Batch
from memory.facts.schemas import Candidate, Candidates
from memory.models import Fact
from memory.withdrawal import fact_limits, retention, withdraw
from memoryhub.community.models import Guild
from notes.models import Message
from tests.factories import NOON, days, make_fact, make_guild, make_member, minutes
from tests.incoming import north, say
from tests.scripted import scripted

pytestmark = pytest.mark.django_db
LORE, A_MEMBER = 120, 80  # the guild's settings
BY = {"actor": "operator:bob", "now": NOON}


def archived(fact, at=NOON):
    return Batch(actor="test", now=at).change(fact, Action.ARCHIVE, status="archived")


def night(guild, **fields):
    return pipeline.consolidate(guild, day=NOON.date(), now=NOON, **fields)


def test_of_the_lore_the_newest_120_lines_stay_active_at_once():
    guild = make_guild()
    for number in range(LORE):
        make_fact(
            f"Line {number}.", guild=guild, confidence=1.0 if number == 0 else 0.72, said_at=NOON + minutes(number)
        )
    corrections.remember(
        guild, subject=None, text="Game night is on Fridays.", kind="lore", actor="m", now=NOON + days(1)
    )
    active = Fact.objects.active().filter(subject=None)
    assert active.count() == LORE
    assert "Line 0." not in active.values_list("text", flat=True)
    assert "Game night is on Fridays." in active.values_list("text", flat=True)


def test_repeated_and_pinned_lore_is_kept_before_newer_lines():
    facts = [make_fact(f"Line {n}.", said_at=NOON + minutes(n)) for n in range(LORE + 2)]
    Fact.objects.filter(pk=facts[0].pk).update(last_reinforced_at=NOON + days(1))
    Fact.objects.filter(pk=facts[1].pk).update(pinned=True)
    assert fact_limits.enforce_limits(make_guild(), [None], now=NOON) == 2
    assert set(Fact.objects.filter(status="archived")) == {facts[2], facts[3]}


def test_what_was_ended_since_somebody_looked_is_left_alone(monkeypatch):
    facts = [make_fact(f"Line {n}.", said_at=NOON + minutes(n)) for n in range(LORE + 2)]
    beyond = fact_limits._beyond

    def meanwhile(*args):
        found = beyond(*args)
        Fact.objects.filter(pk=facts[0].pk).update(status="superseded")
        return found

    monkeypatch.setattr(fact_limits, "_beyond", meanwhile)
    assert fact_limits.enforce_limits(make_guild(), [None], now=NOON) == 1
    assert Fact.objects.get(pk=facts[0].pk).status == "superseded"
    assert Fact.objects.get(pk=facts[1].pk).status == "archived"


def test_what_a_member_says_pushes_out_the_least_sure_and_oldest_at_once():
    alice = make_member(make_guild())
    for number in range(A_MEMBER):
        sure = 0.4 if number == 40 else 0.9
        make_fact(f"Has cat number {number}.", subject=alice, confidence=sure, said_at=NOON - days(number))
    say("I live in Toronto.")
    message = Message.objects.get()
    new = Candidate(
        text="Lives in Toronto.", subject=alice.pk, quote=message.text, messages=[message.pk], confidence=0.9
    )
    with scripted() as model:
        model.will("extraction", Candidates(facts=[new]))
        pipeline.learn_waiting(Guild.ExtractionMode.BATCH, now=NOON + days(1))
    assert Fact.objects.active().filter(subject=alice).count() == A_MEMBER
    assert Fact.objects.get(status="archived").text == "Has cat number 40."


def test_explicit_facts_give_way_last():
    alice = make_member(make_guild())
    told = make_fact("Likes tea.", subject=alice, confidence=0.3, source_type="explicit", said_at=NOON - days(900))
    for number in range(A_MEMBER):
        make_fact(f"Has cat number {number}.", subject=alice, confidence=0.9)
    fact_limits.enforce_limits(alice.guild, [alice], now=NOON)
    told.refresh_from_db()
    assert told.status == "active"


def test_what_is_archived_stays_for_ever_unless_the_guild_says_otherwise():
    archived(make_fact(), at=NOON - days(9000))
    assert withdraw.erase_expired_archive(make_guild(), now=NOON) == 0
    assert Fact.objects.exists()


def test_the_guild_s_setting_erases_what_was_archived_longer_ago():
    guild = make_guild(archive_days=30)
    old, lately, active = make_fact("Old."), make_fact("Lately."), make_fact("Active.", said_at=NOON - days(900))
    archived(old, at=NOON - days(31))
    archived(lately, at=NOON - days(29))
    assert retention.apply_to_guild(guild, now=NOON)["archived_facts"] == 1
    assert set(Fact.objects.all()) == {lately, active}
    assert models.Action.objects.get(kind="memory_forget").actor == "retention"


def test_a_big_archive_goes_some_facts_at_a_time_while_there_is_time(monkeypatch):
    guild = make_guild(archive_days=30)
    for number in range(5):
        archived(make_fact(f"Has {number} boats."), at=NOON - days(31))
    monkeypatch.setattr(withdraw, "AT_ONCE", 2, raising=False)
    asked = iter([True, True])
    assert retention.apply_to_guild(guild, now=NOON, keep_going=lambda: next(asked, False))["archived_facts"] == 4
    assert Fact.objects.count() == 1
    assert retention.apply_to_guild(guild, now=NOON)["archived_facts"] == 1


def test_another_guild_s_archive_is_left_alone():
    archived(make_fact(guild=make_guild("discord:2")), at=NOON - days(900))
    assert withdraw.erase_expired_archive(make_guild(archive_days=1), now=NOON) == 0


def test_what_retention_put_aside_can_be_undone():
    fact = make_fact("Drinks tea.", subject=make_member(), confidence=0.4, said_at=NOON - days(181))
    fact_limits.archive_outgrown(make_guild(), now=NOON)
    assert corrections.undo(fact, **BY).status == "active"
    assert north().facts.count() == 1
