"""How many statements the hot paths take: what grows here costs every community at every message."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import contextmanager
from unittest.mock import patch

import pytest
from django.db import connection

from memory import pipeline
from memory.context.builder import Turn, build
from memory.curation import corrections
from memory.models import Fact
from memoryhub.community.models import Channel, Member
from memoryhub.search.keywords import fts5_search
from memoryhub.search.vectors import memory_cache
from tests import toy_embedder
from tests.api_client import a_message, api_for
from tests.factories import NOON, make_guild, make_member, minutes
from tests.incoming import NORTH, incoming, north
from tests.verification.statements import recorded

pytestmark = pytest.mark.django_db
counted_on_sqlite = pytest.mark.sqlite_only("PostgreSQL's own locks and savepoints are more")

LATER = NOON + minutes(90)
PLACES = ("Oslo", "Rome", "Lima", "Cairo", "Lyon", "Porto", "Accra", "Quito", "Turin", "Malmo", "Kyoto", "Delhi")

TOLD = ("Plays the cello.", "Was born in Lima.", "Has two grey cats.", "Builds wooden boats.")


def talk(people: int, *, channel: str, said: str) -> list:
    """Return a conversation in which each of so many people says what they love, and something else."""
    texts = [(name, f"I love {said} in {PLACES[name]}.") for name in range(people)]
    texts += [(name, f"The weather was grey over the harbour, number {name}, all day long.") for name in range(people)]
    return [
        incoming(text, f"Person {name}", id=f"{channel}-{number}", channel=channel, at=NOON + minutes(number))
        for number, (name, text) in enumerate(texts)
    ]


def digested(people: int, *, channel: str, said: str) -> list[str]:
    """Return the statements of the digest of such a conversation."""
    pipeline.receive_many(talk(people, channel=channel, said=said), guild=NORTH, now=LATER)
    with recorded() as kept:
        assert pipeline.digest(north(), now=LATER).facts == people
    return kept


@counted_on_sqlite
def test_a_conversation_takes_few_statements_however_much_it_teaches():
    digested(12, channel="harbour", said="hiking")  # profiles begin, tables are made
    few, many = digested(4, channel="general", said="sailing"), digested(12, channel="music", said="cooking")
    assert len(few) <= 72  # three of them lock and mark the guild as its conversations end, one asks for new bots
    assert len(many) - len(few) <= 1


@counted_on_sqlite
def test_a_message_takes_few_statements():
    first, *others = talk(2, channel="general", said="hiking")
    pipeline.receive(first, guild=NORTH, now=LATER)
    pipeline.receive(others[0], guild=NORTH, now=LATER)
    with recorded() as kept:
        pipeline.receive(others[1], guild=NORTH, now=LATER)
    assert len(kept) <= 10  # one of them marks the guild for the background


def test_messages_at_once_take_few_statements_whoever_said_them_and_in_whichever_hour():
    def received(people: int, *, channel: str) -> list[str]:
        said = talk(people, channel=channel, said="hiking")
        spread = [
            each.model_copy(update={"sent_at": each.sent_at - minutes(70 * n)}) for n, each in enumerate(said[:4])
        ]
        with recorded() as kept:
            pipeline.receive_many([*spread, *said[4:]], guild=NORTH, now=LATER)
        return [each for each in kept if "count(*)" in each and "notes_message" in each]

    received(8, channel="general")
    assert len(received(8, channel="harbour")) == 1


@counted_on_sqlite
@pytest.mark.parametrize(("known", "most"), [(0, 13), (40, 13), (70, 14)])  # near the limit it is looked at
def test_a_fact_that_is_added_takes_few_statements_however_much_is_known(known, most):
    alice = make_member()
    for number in range(known):
        add(alice, f"Has {number} boats.")
    add(alice, "Plays the cello.")
    with recorded() as kept:
        add(alice, "Sails to Norway.")
    assert len(kept) <= most, "\n".join(kept)


def add(member, text: str) -> Fact:
    """Have it remembered."""
    return corrections.remember(member.guild, subject=member, text=text, kind="other", actor="test", now=NOON)


@counted_on_sqlite
@pytest.mark.parametrize(("present", "most"), [(1, 30), (8, 44)])  # with the notes that tell of it, and own words
def test_a_context_takes_few_statements_though_nothing_is_embedded_yet(present, most, monkeypatch):
    toy_embedder.install(monkeypatch)
    monkeypatch.setattr(memory_cache, "_entries", OrderedDict())  # what another test asked of a guild with this id
    fts5_search.kept_counts.clear()
    digested(12, channel="harbour", said="hiking")
    channel = Channel.objects.of(north()).get()
    people = list(Member.objects.of(north()).order_by("pk")[:present])
    turn = Turn(guild=north(), channel=channel, members=people, text="Who loves hiking in Rome?", now=LATER)
    assert build(turn).parts  # what is asked often is kept by the process
    with recorded() as kept:
        build(turn)
    assert len(kept) <= most, "\n".join(kept)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("path", "most"), [("facts", 14), ("messages", 8 if connection.vendor == "sqlite" else 13)])
def test_a_call_through_the_door_takes_few_statements_and_one_transaction(path, most, monkeypatch):
    monkeypatch.setattr("django.utils.timezone.now", lambda: LATER)  # no new minute, in which a key draws requests anew
    guild = make_guild()
    for name in ("Alice", "Bob"):
        make_member(guild, name)
    api = api_for(guild)
    for number in range(3):
        assert api.post(f"discord:1/{path}", body(path, number)).status_code == 201
    with recorded() as kept, transactions_among(kept):
        assert api.post(f"discord:1/{path}", body(path, 3)).status_code == 201
    ends = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "SELECT pg_", "INSERT INTO memoryhub_postings")
    asked = [each for each in kept if not each.startswith(ends)]
    assert len(asked) <= most, "\n".join(asked)
    assert kept.count("COMMIT") == 1
    assert not [each for each in kept[kept.index("COMMIT") :] if each.startswith(("INSERT", "UPDATE", "DELETE"))]


def body(path: str, number: int) -> dict:
    """Return a fact about Alice, or a message of Alice's or Bob's."""
    if path == "facts":
        return {"member": "u-alice", "text": TOLD[number]}
    author = ("alice", "bob")[number % 2]
    return a_message(number, PLACES[number], author={"id": f"u-{author}", "name": author}, sent_at=NOON.isoformat())


@contextmanager
def transactions_among(kept: list[str]):
    """Put each commit among the statements."""
    commit = connection._commit

    def noted() -> None:
        kept.append("COMMIT")
        commit()

    with patch.object(connection, "_commit", noted):
        yield
