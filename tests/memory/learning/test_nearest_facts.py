"""Which old facts a new one is compared with: near ones only, of the same subject, guild and audience."""

import pytest

from memory.facts.proposal import Proposal
from memory.index import embeddings, writing
from memory.learning import decisions
from tests import toy_embedder
from tests.factories import NOON, make_channel, make_fact, make_guild, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def toy(monkeypatch):
    toy = toy_embedder.install(monkeypatch)
    monkeypatch.setattr(decisions, "embedder", lambda: toy)
    return toy


def near(text, *, limit=3, **fields):
    guild = make_guild()
    values = {"guild": guild, "subject": make_member(guild), "kind": "profile", "confidence": 0.7, "explicit": False}
    proposal = Proposal(text=text, said_at=NOON, **{**values, **fields})
    return decisions.nearest_facts(proposal, limit=limit)


def test_only_what_is_near_enough_is_compared_never_the_nearest_whatever_it_is(toy):
    alice = make_member()
    lives = make_fact("Lives in Toronto by the lake.", subject=alice)
    make_fact("Plays chess with the neighbours.", subject=alice)
    assert near("Lives in Toronto by the sea.") == [lives.pk]
    assert near("Owns an accordion.") == []


def test_at_most_three_are_compared_the_nearest_first(toy):
    alice = make_member()
    for number in range(6):
        make_fact(f"Lives in a house by the lake number {number}.", subject=alice)
    nearest = make_fact("Lives in a house by the lake.", subject=alice)
    found = near("Lives in a house by the lake!")
    assert (found[0], len(found)) == (nearest.pk, 3)


def test_a_member_s_facts_are_found_among_a_thousand_of_others(toy):
    guild, bob = make_guild(), make_member(name="Bob")
    for number in range(1_000):
        make_fact(f"Lives in Toronto at number {number}.", subject=bob)
    own = make_fact("Lives in Toronto.", subject=make_member(guild))
    embeddings.embed_missing(2_000)
    assert near("Lives in Toronto now.") == [own.pk]


def test_another_audience_guild_or_status_is_not_compared(toy):
    alice, south = make_member(), make_guild("discord:2")
    private = make_channel(name="staff", private=True)
    make_fact("Lives in Toronto.", subject=alice, audience=private)
    make_fact("Lives in Toronto.", subject=make_member(south))
    make_fact("Lives in Toronto.", subject=alice, status="superseded")
    assert near("Lives in Toronto now.") == []


def test_what_was_learned_a_moment_ago_is_compared_although_it_has_no_vector_yet(toy):
    fact = make_fact("Lives in Toronto.", subject=make_member())
    assert near("Lives in Toronto now.") == [fact.pk]
    assert not embeddings.embed_facts([fact.pk])


def test_no_more_than_eight_are_embedded_in_somebody_s_way(toy):
    facts = [make_fact(f"Has cat number {number}.", subject=make_member()).pk for number in range(20)]
    assert [embeddings.embed_facts(facts), embeddings.embed_facts(facts), embeddings.embed_facts(facts)] == [8, 8, 4]


def test_without_an_embedder_the_facts_that_share_most_words_are_compared(monkeypatch):
    monkeypatch.setattr(decisions, "embedder", lambda: None)
    fact = make_fact("Lives in Toronto.", subject=make_member())
    writing.index_facts([fact])
    assert near("Lives in Toronto now.") == [fact.pk]
