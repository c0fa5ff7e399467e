"""The graph's pages: picture, table, one pair with its messages, levels set by hand, the switch."""

import re
from datetime import timedelta
from itertools import chain, pairwise

import pytest
import time_machine
from django.contrib.auth.models import User

from memoryhub.community.models import Guild
from memoryhub.models import Role
from profiles.models import Relationship, RelationshipDay
from profiles.relationships import count, relationship_store
from profiles.relationships.strength import Counts
from profiles.views import graph_layout
from profiles.views.graph import EDGE
from tests.factories import NOON, make_channel, make_fact, make_guild, make_member, make_message

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def noon():
    with time_machine.travel(NOON, tick=False):
        yield


@pytest.fixture
def friends():
    """Let Alice and Bob have much to do with each other, Alice and Mallory a little and long ago."""
    make_guild(relationships_on=True)
    alice, bob, mallory = (make_member(name=name) for name in ("Alice", "Bob", "Mallory"))
    relationship_store.set_day(make_channel(), day=NOON.date(), counts={(alice.pk, bob.pk): Counts(replies=7)})
    then = NOON.date() - timedelta(days=60)
    relationship_store.set_day(make_channel(), day=then, counts={(mallory.pk, alice.pk): Counts(mentions=40)})
    return alice, bob, mallory


def page(client, path="/graph/", **query):
    answer = client.get(path, query)
    assert answer.status_code == 200
    return answer.content.decode()


def drawn(text):
    """Return which ties the picture shows, and the rows of the table."""
    lines = re.findall(r'<line class="tie tie-([\w-]+)"[^>]*?(display="none")?>', text)
    rows = re.findall(r'<tr data-one="\d+"[^>]*?( hidden)?>', text)
    return [name for name, off in lines if not off], [row for row in rows if not row]


def pair(one, other, **more):
    return {"one": one.pk, "other": other.pk, **more}


def test_who_told_that_they_are_family_is_never_called_weak(admin_client, friends):
    alice, _, mallory = friends
    told = make_fact("Mallory is their sister.", subject=alice, evidence=[make_message(author=alice)])
    text = page(admin_client, least="0.9")
    assert drawn(text) == (["stated"], [""])
    assert re.search(r'<text class="tie-word[^>]*>sister</text>', text)
    assert f'said: <a href="/memories/{told.pk}/">' in text
    assert "interaction low" not in text
    assert "low <span" not in text
    between = page(admin_client, "/graph/pair/", **pair(mallory, alice))
    assert "Mallory is their sister." in between
    assert "Interaction: low" not in between


@pytest.mark.parametrize(
    ("x", "side"), [(EDGE - 1, "start"), (EDGE + 1, "middle"), (graph_layout.WIDTH - EDGE + 1, "end")]
)
def test_a_word_at_the_edge_of_the_picture_runs_towards_its_middle(admin_client, friends, monkeypatch, x, side):
    alice, *_ = friends
    make_fact("Mallory is their sister.", subject=alice, evidence=[make_message(author=alice)])
    monkeypatch.setattr(graph_layout, "place", lambda ground: dict.fromkeys(chain(*ground), (x, 50.0)))
    assert f'class="tie-word to-{side}"' in page(admin_client)


def test_who_told_of_each_other_is_tied_though_nothing_is_counted(admin_client, friends):
    make_fact("Is married to Alice.", subject=make_member(name="Olga"))
    text = page(admin_client)
    assert ">married to</text>" in text
    assert "nothing" in text


def test_who_told_of_each_other_is_drawn_beside_eighty_stronger_ties(admin_client, friends):
    people = [make_member(name=f"Member {number}") for number in range(90)]
    counts = {(one.pk, other.pk): Counts(replies=9) for one, other in pairwise(people)}
    olga, tom = make_member(name="Olga"), make_member(name="Tom")
    relationship_store.set_day(
        make_channel(), day=NOON.date(), counts=counts | {(olga.pk, tom.pk): Counts(mentions=1)}
    )  # fmt: skip
    make_fact("Is engaged to Tom.", subject=olga)
    text = page(admin_client)
    assert drawn(text)[0].count("stated") == 1
    assert len(drawn(text)[0]) == 81
    assert "1 mention" in text


def test_the_graph_of_a_day_in_the_past_holds_what_stood_then(admin_client, friends):
    then = page(admin_client, back="-30")
    assert drawn(then) == (["moderate"], [""])
    assert "as of 31 January 2026" in then
    assert drawn(page(admin_client, back="0"))[0] == ["moderate", "weak"]
    places = re.compile(r'data-member="(\d+)"[^>]*? transform="([^"]+)"')
    assert places.findall(then) == places.findall(page(admin_client))


def test_a_member_is_found_in_the_picture(admin_client, friends):
    text = page(admin_client, q="ALI")
    assert len(re.findall(r'class="dot found"', text)) == 1
    assert 'class="dot found"' not in page(admin_client, q="nobody")


def test_who_interacts_most_has_one_colour(admin_client, friends):
    legend = page(admin_client, least="0").split('class="legend"')[1].split("</ul>")[0]
    assert legend.count("<li>") == 1
    assert "Alice" in legend


def test_a_full_graph_asks_few_questions(admin_client, friends, django_assert_max_num_queries):
    people = [make_member(name=f"Member {number}") for number in range(30)]
    counts = {(one.pk, other.pk): Counts(replies=3) for one, other in pairwise(people)}
    relationship_store.set_day(make_channel(), day=NOON.date(), counts=counts)
    for one, other in pairwise(people[:20]):
        make_fact(f"{other} is their cousin.", subject=one, evidence=[make_message(author=one)])
    page(admin_client)  # the look is written to the audit log once
    with django_assert_max_num_queries(20):
        page(admin_client, back="-7")


def test_a_graph_is_a_picture_and_a_table_that_says_the_same(admin_client, friends):
    text = page(admin_client, least="0")
    ties, rows = drawn(text)
    assert ties == ["moderate", "weak"]
    assert len(rows) == 2
    assert "7 replies" in text
    assert "43 %" in text
    assert len(re.findall(r'class="dot"', text)) == 3


def test_what_is_weak_is_left_out_and_stays_in_its_place(admin_client, friends):
    all_of_it, some = page(admin_client, least="0"), page(admin_client, least="0.4")
    assert drawn(some) == (["moderate"], [""])
    places = re.compile(r'data-member="(\d+)"[^>]*? transform="([^"]+)"')
    assert places.findall(all_of_it) == places.findall(some)
    assert "None is that strong" in page(admin_client, least="0.9")


def test_the_graph_of_the_last_month_knows_only_the_last_month(admin_client, friends):
    assert "Mallory" not in page(admin_client, days="30", least="0")
    assert "Mallory" in page(admin_client, days="90", least="0")


def test_the_graph_of_one_member_holds_their_ties_only(admin_client, friends):
    _, bob, mallory = friends
    text = page(admin_client, member=bob.pk, least="0")
    assert len(drawn(text)[0]) == 1
    assert str(mallory) not in text


@pytest.mark.parametrize(
    "query", [{"least": "much"}, {"least": "7"}, {"days": "x"}, {"days": "9" * 12}, {"member": "x"}]
)
def test_a_filter_that_makes_no_sense_narrows_nothing_or_all(admin_client, friends, query):
    page(admin_client, **query)


def test_htmx_gets_the_picture_and_the_table_alone(admin_client, friends):
    answer = admin_client.get("/graph/", headers={"HX-Request": "true"})
    assert b"<html" not in answer.content
    assert b'id="drawing"' in answer.content


def test_from_a_pair_one_reads_the_messages_it_rests_on(admin_client, friends):
    alice, bob, _ = friends
    make_message("Look at my boat, Bob!", author=alice, mentions=["u-bob"], sent_at=NOON)
    count.count_day(make_channel(), day=NOON.date())
    text = page(admin_client, "/graph/pair/", **pair(bob, alice))
    assert "Look at my boat, Bob!" in text
    assert "Interaction: low" in text


def test_a_level_is_set_by_hand_and_cleared(admin_client, friends):
    alice, bob, _ = friends
    answer = admin_client.post("/graph/pair/", pair(alice, bob, level="0.9"), follow=True)
    assert "very high (90 %, set by hand)" in answer.content.decode()
    assert Relationship.objects.get().actor == "operator:admin"
    shown = page(admin_client)
    assert "set by hand" in shown
    assert "Clear<" in shown
    admin_client.post("/graph/pair/", pair(alice, bob))
    assert not Relationship.objects.exists()


def test_a_pair_that_is_none_leads_back_to_the_graph(admin_client, friends):
    alice = friends[0]
    charlie = make_member(make_guild("discord:2"), name="Charlie")
    for query in ({}, {"one": alice.pk}, pair(alice, charlie), {"one": "x", "other": "y"}):
        assert admin_client.get("/graph/pair/", query).status_code == 302
    assert admin_client.post("/graph/pair/", pair(alice, alice, level="0.5")).status_code == 302
    assert not Relationship.objects.exists()


def test_a_guild_whose_graph_is_off_says_why_and_can_be_turned_on(admin_client):
    guild = make_guild()
    assert "Nothing is counted" in page(admin_client)
    assert "Count who has to do with whom?" in page(admin_client, "/graph/switch/", guild=guild.key)
    admin_client.post("/graph/switch/", {"guild": guild.key, "on": "yes"})
    assert Guild.objects.get().relationships_on


def test_turning_the_graph_off_drops_its_counts(admin_client, friends):
    assert "dropped for good" in page(admin_client, "/graph/switch/", guild="discord:1")
    admin_client.post("/graph/switch/", {"guild": "discord:1", "on": "no"})
    assert not RelationshipDay.objects.exists()


def test_a_moderator_sees_and_changes_the_graph_of_their_guild_only(client, friends):
    alice, bob, _ = friends
    south = make_guild("discord:2", relationships_on=True)
    mona = User.objects.create_user("mona")
    Role.objects.create(user=mona, kind=Role.Kind.MODERATOR).guilds.set([south])
    client.force_login(mona)
    assert "Alice" not in page(client)
    assert client.get("/graph/", {"guild": "discord:1"}).status_code == 404
    assert client.get("/graph/", {"guild": "discord:2", "member": alice.pk}).status_code == 404
    assert client.get("/graph/pair/", pair(alice, bob)).status_code == 302
    client.post("/graph/pair/", pair(alice, bob, level="0.9"))
    assert client.post("/graph/switch/", {"guild": "discord:1", "on": "no"}).status_code == 404
    assert RelationshipDay.objects.exists()
    assert not Relationship.objects.exists()


def test_an_auditor_reads_and_changes_nothing(client, friends):
    alice, bob, _ = friends
    ada = User.objects.create_user("ada")
    Role.objects.create(user=ada, kind=Role.Kind.AUDITOR).guilds.set([make_guild()])
    client.force_login(ada)
    assert "Turn the graph off" not in page(client)
    assert "how close Alice" not in page(client)
    assert "Set it" not in page(client, "/graph/pair/", **pair(alice, bob))
    assert client.post("/graph/pair/", pair(alice, bob, level="0.9")).status_code == 403
    assert client.post("/graph/switch/", {"guild": "discord:1", "on": "no"}).status_code == 403


def test_without_a_guild_the_page_says_so(admin_client):
    assert "No guild yet" in page(admin_client)


def test_a_hostile_name_stays_text(admin_client, friends):
    friends[0].__class__.objects.update(display_name="<script>alert(1)</script>")
    assert "<script>alert" not in page(admin_client, least="0")
