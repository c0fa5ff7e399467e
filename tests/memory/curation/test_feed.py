import pytest

from memory.curation import corrections, feed
from memory.curation.attention import needs
from memory.models import Contradiction
from memory.withdrawal import withdraw
from memoryhub.community.models import Member
from tests.factories import (
    NOON,
    days,
    make_buffer,
    make_evidence,
    make_fact,
    make_guild,
    make_member,
    make_message,
    minutes,
)

pytestmark = pytest.mark.django_db


def told(guilds, **more):
    events = feed.recent(guilds, now=NOON, limit=10, **more)
    return [(event.title, event.fact.text if event.fact else "") for event in events]


@pytest.fixture
def fact():
    said = make_message("I live in Toronto.")
    return make_fact("Lives in Tronto.", subject=said.author, evidence=[said])


def test_a_correction_is_told_with_its_source_and_the_words_before(fact):
    corrections.correct(fact, text="Lives in Toronto.", actor="operator:olga", now=NOON)
    [event] = feed.recent([fact.guild], now=NOON, limit=10)
    assert (event.title, event.before, event.undoable) == ("Edited", "Lives in Tronto.", True)
    assert event.source
    assert event.source.message_id


def test_a_correction_is_told_without_the_words_of_who_said_no(fact):
    Member.objects.update(remember=False)
    corrections.correct(fact, text="Lives in Toronto.", actor="operator:olga", now=NOON)
    [event] = feed.recent([fact.guild], now=NOON, limit=10)
    assert event.source is None


def test_only_the_newest_change_of_a_fact_can_be_undone(fact):
    corrections.archive(fact, actor="operator:olga", now=NOON - minutes(2))
    corrections.restore(fact, actor="operator:olga", now=NOON)
    events = feed.recent([fact.guild], now=NOON, limit=10)
    assert [(event.title, event.undoable) for event in events] == [("Restored", True), ("Archived", False)]


def test_two_that_were_found_both_true_are_told(client, admin_user, fact):
    other = make_fact("Lives in Oslo.", subject=fact.subject, possible_conflict=True)
    Contradiction.objects.create(newer=other, older=fact)
    corrections.settle(other, beside=fact, actor="operator:olga", now=NOON)
    assert [title for title, _ in told([fact.guild])] == ["Found true", "Found true"]
    client.force_login(admin_user)
    assert "Found true" in client.get("/").content.decode()


def test_a_change_is_undone_though_a_source_went_since(fact):
    said = make_message("I live in Toronto!", author=fact.subject)
    make_evidence(fact, said)
    corrections.archive(fact, actor="operator:olga", now=NOON)
    withdraw.withdraw_evidence(fact.evidence.filter(message=said), now=NOON)
    events = feed.recent([fact.guild], now=NOON, limit=10)
    assert [(event.title, event.undoable) for event in events] == [("Edited", False), ("Archived", True)]


def test_what_was_forgotten_is_told_without_its_words(fact):
    guild = fact.guild
    withdraw.forget_fact(fact, actor="operator:olga", now=NOON)
    assert told([guild]) == [("Forgotten", "")]


def test_nothing_of_another_guild_is_told(fact):
    corrections.archive(fact, actor="operator:olga", now=NOON)
    assert told([make_guild("discord:2")]) == []


def test_of_several_guilds_only_the_last_week_is_told(fact):
    corrections.archive(fact, actor="operator:olga", now=NOON - days(8))
    assert told([fact.guild]) == [("Archived", "Lives in Tronto.")]
    assert told([fact.guild, make_guild("discord:2")]) == []


def test_what_waits_for_a_person_is_counted_in_the_guilds_asked_for():
    guild, other = make_guild(), make_guild("discord:2")
    make_fact("Waits.", subject=make_member(guild), status="pending")
    make_fact("Conflicts.", subject=make_member(guild), possible_conflict=True)
    make_buffer(status="parked")
    make_message(parked_at=NOON)
    found = needs([guild], conflicts=True)
    assert (found.waiting, found.failed, found.conflicts) == (1, 2, 1)
    assert not needs([other], conflicts=True)
