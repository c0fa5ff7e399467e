"""Whatever the hub does for a guild, each statement that touches a guild's table names the guild."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.urls import reverse

from botrunner.history import gaps
from memory import erasure, pipeline
from memory.context import builder
from memory.erasure import export
from memory.index import embeddings
from memory.management.digest_all import digest_all
from memory.models import Fact
from memory.recall.search import recall
from memory.records import snapshots
from memoryhub.community.models import Channel, Guild, Member
from notes.models import Message
from profiles.models import RelationshipDay
from profiles.relationships import graph, relationship_store
from profiles.relationships.stated import stated_ties
from profiles.revision.visible_entries import entries_for
from tests import toy_embedder
from tests.api_client import api_for
from tests.factories import NOON
from tests.incoming import NORTH, SOUTH, incoming, north, say
from tests.verification.statements import recorded, unbound

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
NOW = NOON + timedelta(hours=5)
TALK = (
    ("I live in Toronto and I work at the museum these days.", "Alice", {}),
    ("Nice! I love hiking more than anything else in the world.", "Bob", {"mentions": ["u-alice"]}),
    ("My favourite food is ramen, we always meet at the harbour on Fridays.", "Alice", {}),
    ("Who brings the drinks on Friday?", "Bob", {}),
    ("My sister is a nurse at the hospital.", "Alice", {"channel": "staff"}),
    ("I don't live in Toronto any more, I moved to Montreal last spring.", "Alice", {}),
)


def talk() -> None:
    for number, (text, author, more) in enumerate(TALK):
        say(text, author, id=f"m-{number}", at=NOON + timedelta(minutes=number), **more)


@pytest.fixture
def guild(monkeypatch) -> Guild:
    """Return a guild in which people talked, and which remembers it."""
    toy_embedder.install(monkeypatch)
    talk()
    pipeline.digest(north(), now=NOW)
    pipeline.consolidate(north(), day=NOON.date(), now=NOW)
    embeddings.embed_missing(100)
    return north()


def check(kept: list[str]) -> None:
    """Fail for the statements that look for a guild's rows in all guilds, each with its tables."""
    assert len(kept) > 1
    found = {sql: tables for sql in kept if (tables := unbound(sql))}
    assert not found, "\n\n".join(f"{', '.join(tables)}: {sql}" for sql, tables in found.items())


def test_receiving_names_it():
    say("Hello there, I am new here.", "Mallory")
    with recorded() as kept:
        talk()
    check(kept)


def test_receiving_many_names_it(guild):
    batch = [incoming("I like it here.", f"Person{number}", id=f"n-{number}") for number in range(5)]
    with recorded() as kept:
        pipeline.receive_many(batch, guild=NORTH, now=NOW)
    check(kept)


def test_an_edit_and_a_deletion_name_it(guild):
    with recorded() as kept:
        pipeline.edit(guild, message_id="m-2", text="My favourite food is rice.", now=NOW)
        pipeline.delete(guild, message_ids=["m-0"], now=NOW)
    check(kept)


def test_a_digest_names_it(monkeypatch):
    toy_embedder.install(monkeypatch)
    talk()
    with recorded() as kept:
        report = pipeline.digest(north(), now=NOW)
    assert report.notes
    assert report.facts
    check(kept)


def test_the_command_that_digests_all_names_it_as_a_number(monkeypatch):
    """As Citus needs it where a subquery has joins: which channels lack a summary is asked by two of them."""
    toy_embedder.install(monkeypatch)
    talk()
    with recorded() as kept:
        digest_all(None, now=NOW)
    timed = [sql for sql in kept if "summarized_at" in sql]
    assert timed
    assert {len(re.findall(r'U0\."guild_id" = %s', sql)) for sql in timed} == {2}


def test_the_bots_start_names_it(guild):
    """What was heard last is looked for in one guild after the other."""
    with recorded() as kept:
        gaps.open_all(lambda _: True)
    heard = [sql for sql in kept if "notes_message" in sql]
    assert heard
    assert not [sql for sql in heard if unbound(sql)]


def test_a_minute_names_it(monkeypatch):
    """Only the table of what is due is asked for all guilds at once."""
    toy_embedder.install(monkeypatch)
    talk()
    say("I live in Lima.", guild=SOUTH)
    with recorded() as kept:
        assert pipeline.tick(now=NOW).buffers
        pipeline.learn_due(now=NOW)
        snapshots.render_recent(now=NOW)
        assert pipeline.consolidate_due(now=NOW + timedelta(days=1))
    check([sql for sql in kept if "community_duework" not in sql or "JOIN" not in sql])


def test_a_night_names_it(guild):
    with recorded() as kept:
        pipeline.consolidate(guild, day=NOON.date(), now=NOW, force=True)
    check(kept)


def test_a_search_names_it(guild):
    channel = Channel.objects.get(platform_id="c-staff")
    with recorded() as kept:
        assert recall(guild, question="Where does Alice live?", now=NOW)
        recall(guild, question="Where does Alice live?", now=NOW, channel=channel, as_of=NOW)
        recall(guild, question="hiking", now=NOW, member=Member.objects.of(guild).get(platform_id="u-bob"))
    check(kept)


def test_what_was_believed_then_names_it_as_a_number(guild):
    """In a subquery Citus takes no other: it finds a guild that is only compared with another row's not to be one."""
    with recorded() as kept:
        assert recall(guild, question="Where does Alice live?", now=NOW, as_of=NOW)
    then = [sql for sql in kept if "memory_factchange AS change" in sql]
    assert then
    assert not any("change.guild_id = row" in sql or "heir.guild_id = row" in sql for sql in then)


def test_lines_of_a_profile_as_of_a_day_name_it_as_a_number(guild):
    """As above: what a line rests on is counted in a subquery with joins."""
    with recorded() as kept:
        entries_for(guild, list(Member.objects.of(guild)), channel=None, as_of=NOW)
    (then,) = [sql for sql in kept if "profiles_entrysource AS source" in sql]
    assert "source.guild_id = profiles_profileentry" not in then


def test_rows_that_are_saved_whole_name_it_wherever_that_is_done(guild):
    with recorded() as kept:
        for row in (Member.objects.first(), Message.objects.first()):
            row.save()
    check([sql for sql in kept if sql.startswith("UPDATE")])


@pytest.mark.parametrize("preset", ["default", "seed002"])
def test_a_context_names_it(guild, preset):
    channel = Channel.objects.of(guild).get(platform_id="c-general")
    people = list(Member.objects.of(guild))
    turn = builder.Turn(
        guild=guild, channel=channel, members=people, mentioned=people, text="Where does Alice live?",
        max_tokens=4000, format="xml", now=NOW, preset=preset,
    )  # fmt: skip
    with recorded() as kept:
        assert builder.build(turn).text
    check(kept)


def test_an_export_names_it(guild):
    alice = Member.objects.of(guild).get(platform_id="u-alice")
    with recorded() as kept:
        assert b"".join(export.stream_zip(alice, now=NOW))
    check(kept)


def test_a_members_erasure_names_it(guild):
    alice = Member.objects.of(guild).select_related("guild").get(platform_id="u-alice")
    check(erasing(alice))
    assert not Message.objects.filter(author=alice.pk).exists()


def test_a_guilds_erasure_names_it(guild):
    check(erasing(guild))
    assert not Fact.objects.exists()


def erasing(row: Member | Guild) -> list[str]:
    """Erase it, and return the statements up to the scan, which looks through everything on purpose."""
    ended: list[int] = []
    with recorded() as kept:
        progress = lambda step: ended.append(len(kept)) if step == "scan" else None  # noqa: E731
        erasure.erase_now(row, now=NOW, by="operator:test", progress=progress)
    return kept[: ended[0]]


@pytest.mark.parametrize(
    ("sql", "tables"),
    [
        ('SELECT * FROM "notes_message" WHERE "notes_message"."guild_id" = %s', []),
        ('SELECT * FROM "notes_message" WHERE "notes_message"."id" = %s', ["notes_message"]),
        ("UPDATE notes_message SET text = %s WHERE id = %s", ["notes_message"]),
        ("DELETE FROM notes_message WHERE +guild_id = %s AND id IN (%s, %s)", []),
        ("INSERT INTO memory_evidence (guild_id, fact_id) VALUES (%s, %s)", []),
        ("INSERT INTO memory_evidence (fact_id) VALUES (%s)", ["memory_evidence"]),
        (
            "SELECT 1 FROM memory_fact AS f JOIN memory_evidence e ON (e.fact_id = f.id) WHERE f.guild_id = %s",
            ["memory_evidence"],
        ),
        (
            "SELECT 1 FROM memory_fact f JOIN memory_evidence e ON (e.fact_id = f.id AND +e.guild_id = +f.guild_id) "
            "WHERE f.guild_id IN (%s)",
            [],
        ),
        (
            "SELECT 1 FROM memory_fact f WHERE f.guild_id = %s AND EXISTS (SELECT 1 FROM memory_evidence U0 "
            "WHERE U0.fact_id = f.id)",
            ["memory_evidence"],
        ),
        (
            "SELECT 1 FROM memory_fact f WHERE f.guild_id = %s AND f.id IN (SELECT U0.fact_id FROM memory_evidence U0 "
            "WHERE U0.guild_id = f.guild_id)",
            [],
        ),
        ("SELECT count(*) FROM (SELECT 1 FROM notes_message WHERE author_id = %s LIMIT %s) AS said", ["notes_message"]),
        ("SELECT * FROM community_guild WHERE id = %s", []),
        (
            "WITH w0 AS (INSERT INTO memory_evidence (fact_id) VALUES (%s)), w1 AS (INSERT INTO memory_fact (id, "
            "guild_id) VALUES (%s, %s)) UPDATE memory_snapshot SET stale = TRUE",
            ["memory_evidence", "memory_snapshot"],
        ),
    ],
)
def test_a_statement_is_found_out_by_the_tables_whose_guild_it_leaves_open(sql, tables):
    assert unbound(sql) == tables


@pytest.mark.parametrize(
    "page", ["memories", "review", "notes", "channels", "members", "graph", "snapshot", "guild-settings", "studio"]
)
def test_a_page_of_the_dashboard_names_it(guild, admin_client, page):
    with recorded() as kept:
        assert admin_client.get(reverse(page), {"guild": guild.key}).status_code == 200
    check(kept)


@pytest.mark.parametrize("place", [None, "discord:1"])
def test_the_home_page_names_it(guild, admin_client, place):
    """Beside what is due and what failed, only what is kept of each guild is asked for all guilds at once."""
    say("I live in Lima.", guild=SOUTH)
    with recorded() as kept:
        assert admin_client.get(reverse("home"), {"guild": place} if place else {}).status_code == 200
    small = {"community_duework", "community_guildfigures", "botrunner_backfill"}  # of the last what fails, by an index
    found = {sql: tables for sql in kept if (tables := set(unbound(sql)) - small)}
    assert not found, "\n\n".join(f"{tables}: {sql}" for sql, tables in found.items())


def test_ties_between_members_name_it(guild):
    Guild.objects.filter(pk=guild.pk).update(relationships_on=True)
    guild.refresh_from_db()
    alice, bob = (Member.objects.of(guild).get(platform_id=f"u-{name}") for name in ("alice", "bob"))
    Fact.objects.filter(subject=alice).update(text="Bob is my brother.", kind=Fact.Kind.RELATIONSHIP)
    with recorded() as kept:
        relationship_store.set_level(alice, bob, level=0.5, actor="operator", now=NOW)
        assert graph.edges(RelationshipDay.objects.of(guild), guild=guild, now=NOW)
        assert stated_ties(guild)
        stated_ties(guild, touching=[alice], as_of=NOW)
        assert relationship_store.clear_level(alice, bob)
    check(kept)


def test_mem0s_door_names_it(guild):
    api = api_for(guild)
    alice = {"filters": {"AND": [{"user_id": "u-alice"}, {"metadata": {"n": 1}}]}}
    told = {"messages": "Alice sails on Sundays.", "user_id": "u-alice", "metadata": {"n": 1}, "infer": False}
    with recorded() as kept:
        number = api.post("/mem0/v3/memories/add/", told).json()["results"][0]["id"]
        api.post("/mem0/v3/memories/add/", told | {"infer": True, "run_id": "r1"})
        api.post("/mem0/v3/memories/search/", {"query": "sails", **alice})
        api.post("/mem0/v3/memories/", alice)
        api.put(f"/mem0/v1/memories/{number}/", {"text": "Alice sails on Mondays.", "metadata": {"n": 2}})
        for path in (f"memories/{number}/history", "entities", "event/" + "0" * 32, "events", "stats"):
            api.get(f"/mem0/v1/{path}/")
        api.delete(f"/mem0/v1/memories/{number}/")
        api.delete("/mem0/v1/memories/?app_id=app")
    check(kept)
