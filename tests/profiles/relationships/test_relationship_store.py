"""The graph: one edge a pair, levels win until cleared, nobody who is not remembered, each count in its audience."""

from datetime import timedelta

import pytest

from memoryhub.community import consent
from profiles import consent_effects
from profiles.models import Relationship, RelationshipDay
from profiles.relationships import relationship_store
from profiles.relationships.graph import edges
from profiles.relationships.relationship_store import Counts, RelationshipRefused
from tests.factories import NOON, days, make_channel, make_guild, make_member

pytestmark = pytest.mark.django_db
TODAY = NOON.date()


@pytest.fixture(autouse=True)
def guild():
    return make_guild(relationships_on=True)


def count(one, other, *, ago=0, channel=None, back=None, **counts):
    """Let one do this towards the other, and the other do `back`, so many days ago."""
    rows = {(one.pk, other.pk): Counts(**counts)}
    if back is not None:
        rows[other.pk, one.pk] = Counts(**back)
    relationship_store.set_day(channel or make_channel(), day=TODAY - timedelta(days=ago), counts=rows)


def graph(channel=None, *, now=NOON, **narrowed):
    guild = make_guild()
    return edges(RelationshipDay.objects.told_in(guild, channel), guild=guild, now=now, **narrowed)


@pytest.fixture
def alice():
    return make_member(name="Alice")


@pytest.fixture
def bob(alice):
    return make_member(name="Bob")


def test_what_goes_either_way_is_one_edge_with_the_lower_id_first(alice, bob):
    count(bob, alice, replies=2, back={"mentions": 1})
    edge = graph()[0]
    assert (edge.first, edge.second) == (alice, bob)
    assert (edge.forth, edge.back) == (Counts(mentions=1), Counts(replies=2))
    assert edge.reciprocity == 0.5
    assert round(edge.strength, 3) == 0.213


def test_each_mention_makes_an_edge_stronger_and_surer(alice, bob):
    found = []
    for mentions in (1, 2, 3):
        count(alice, bob, mentions=mentions)
        found.append(graph()[0])
    assert found[0].strength < found[1].strength < found[2].strength
    assert found[0].confidence < found[1].confidence < found[2].confidence


def test_strength_decays_when_it_is_read(alice, bob):
    count(alice, bob, mentions=7)
    fresh, later = graph()[0], graph(now=NOON + days(30))[0]
    assert (fresh.label, later.label) == ("moderate", "weak")
    assert fresh.confidence == later.confidence


def test_one_new_mention_revives_nothing(alice, bob):
    count(alice, bob, ago=90, mentions=20)
    old = graph()[0].strength
    count(alice, bob, mentions=1)
    assert graph()[0].strength < old + 0.08
    assert graph()[0].label == "weak"


def test_hours_stand_in_both_directions_and_count_once(alice, bob):
    count(alice, bob, voice_minutes=60, back={"voice_minutes": 60})
    assert graph()[0].strength == pytest.approx(0.0273, abs=1e-4)


def test_the_days_an_edge_rests_on_are_told_newest_first(alice, bob):
    for ago in (5, 1, 3):
        count(alice, bob, ago=ago, replies=1)
    edge = graph()[0]
    assert (edge.days, edge.last_day) == (3, TODAY - timedelta(days=1))
    assert [day for _, day in edge.newest] == [TODAY - timedelta(days=n) for n in (1, 3, 5)]


def test_a_level_set_by_an_operator_wins_until_it_is_cleared(alice, bob):
    count(alice, bob, mentions=1)
    relationship_store.set_level(bob, alice, level=0.9, actor="operator:olga", now=NOON)
    count(alice, bob, ago=1, mentions=1)
    edge = graph()[0]
    assert (edge.strength, edge.label, edge.level) == (0.9, "likely close", 0.9)
    assert relationship_store.clear_level(alice, bob)
    assert graph()[0].label == "weak"
    assert not relationship_store.clear_level(alice, bob)


def test_a_level_can_be_set_before_anything_was_counted(alice, bob):
    relationship_store.set_level(alice, bob, level=0.5, actor="operator:olga", now=NOON)
    edge = graph()[0]
    assert (edge.label, edge.days, edge.last_day, edge.confidence) == ("moderate", 0, None, 0.0)


def test_a_level_is_set_once_for_a_pair(alice, bob):
    relationship_store.set_level(alice, bob, level=0.5, actor="a", now=NOON)
    relationship_store.set_level(bob, alice, level=0.2, actor="b", now=NOON)
    assert [(row.first, row.level, row.actor) for row in Relationship.objects.all()] == [(alice, 0.2, "b")]


def test_nobody_has_a_relationship_with_themselves_a_bot_or_another_guild(alice):
    bot = make_member(name="Helper", is_bot=True)
    charlie = make_member(make_guild("discord:2"), name="Charlie")
    for other in (alice, bot, charlie):
        with pytest.raises(RelationshipRefused):
            relationship_store.set_level(alice, other, level=0.5, actor="a", now=NOON)


def test_somebody_who_opts_out_leaves_the_graph(alice, bob):
    count(alice, bob, mentions=5)
    relationship_store.set_level(alice, bob, level=0.5, actor="a", now=NOON)
    consent_effects.choose(bob, remember=False, actor="member", now=NOON)
    assert graph() == []
    assert not RelationshipDay.objects.exists()
    assert not Relationship.objects.exists()


def test_where_members_must_say_yes_those_who_said_nothing_are_not_in_the_graph(guild, alice, bob):
    count(alice, bob, mentions=5)
    guild.consent_mode = "opt_in"
    guild.save()
    assert graph() == []
    for member in (alice, bob):
        consent.choose(member, remember=True, actor="member", now=NOON)
    assert len(graph()) == 1


def test_a_count_is_known_to_the_readers_of_its_channel_only(alice, bob):
    staff = make_channel(name="staff", private=True)
    thread = make_channel(name="plans", parent=staff, kind="thread", private=True)
    count(alice, bob, channel=staff, mentions=3)
    assert graph() == graph(make_channel()) == []
    assert len(graph(staff)) == len(graph(thread)) == 1
    count(alice, bob, replies=1)
    assert round(graph()[0].strength, 3) == 0.077
    assert round(graph(staff)[0].strength, 3) == 0.274


def test_a_channel_that_closes_takes_its_counts_along(alice, bob):
    channel = make_channel()
    count(alice, bob, mentions=3)
    channel.audience = "channel"
    channel.save()
    assert graph() == []


def test_a_guild_whose_graph_is_off_has_no_edges_and_turning_it_off_drops_the_counts(guild, alice, bob):
    count(alice, bob, mentions=3)
    relationship_store.switch(guild, on=False)
    assert not RelationshipDay.objects.exists()
    count(alice, bob, mentions=3)
    assert graph() == []


def test_turning_it_off_in_the_admin_drops_the_counts_too(admin_client, guild, alice, bob):
    count(alice, bob, mentions=3)
    page = admin_client.get(f"/admin/community/guild/{guild.pk}/change/")
    fields = page.context["adminform"].form.initial
    kept = {name: value for name, value in fields.items() if value not in (None, False)} | {
        "heard_bots": "[]",
        "blocked": "[]",
    }
    shown = {f"initial-{name}": value for name, value in kept.items()}  # which a browser sends along
    answer = admin_client.post(f"/admin/community/guild/{guild.pk}/change/", {**shown, **kept, "relationships_on": ""})
    assert answer.status_code == 302
    assert not RelationshipDay.objects.exists()


def test_counting_a_day_again_replaces_it(alice, bob):
    mallory = make_member(name="Mallory")
    count(alice, bob, mentions=3)
    count(alice, mallory, replies=1)
    assert [(edge.second, edge.forth) for edge in graph()] == [(mallory, Counts(replies=1))]
    count(alice, mallory, replies=2)
    assert graph()[0].forth == Counts(replies=2)


def test_the_graph_of_one_guild_holds_nobody_of_another(alice, bob):
    south = make_guild("discord:2", relationships_on=True)
    charlie, mallory = (make_member(south, name=name) for name in ("Charlie", "Mallory"))
    count(charlie, mallory, channel=make_channel(south), mentions=3)
    count(alice, bob, mentions=3)
    assert [(edge.first, edge.second) for edge in graph()] == [(alice, bob)]


def test_edges_are_narrowed_to_those_of_some_members(alice, bob):
    mallory = make_member(name="Mallory")
    count(alice, bob, mentions=3)
    count(bob, mallory, ago=1, mentions=3)
    assert [edge.second for edge in graph(touching=[alice])] == [bob]
    assert len(graph(touching=[bob])) == 2
