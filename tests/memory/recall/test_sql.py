"""The statements of recall against the models' own filters: each view is told the same rows by both."""

import json
from itertools import product

import pytest
from django.db import connection
from django.db.models import Q
from django.test.utils import CaptureQueriesContext

from memory.index.view import View
from memory.models import Fact
from memory.recall import sql
from memoryhub import db
from memoryhub.community.models import Guild, Member
from memoryhub.community.querysets import remembered
from memoryhub.db.guild_scope import inside
from notes.models import InteractionNote, Message
from tests.factories import NOON, days, make_channel, make_fact, make_guild, make_member, make_message, make_note

pytestmark = pytest.mark.django_db

WHEN = (NOON - days(9), NOON - days(3))


def people():
    return [
        make_member(name="Alice"),
        make_member(name="Bob", display_name=""),
        make_member(name="Mallory", remember=False),
        make_member(name="Robo", is_bot=True),
    ]


def places():
    mods = make_channel(name="mods", private=True)
    return [
        make_channel(name="general"),
        mods,
        make_channel(name="appeals", private=True, parent=mods, kind="thread"),
        make_channel(name="help", parent=make_channel(name="general"), kind="thread"),
    ]


def views():
    """Every view of the world: from each channel and from none, of each member, some and all, now and then."""
    alice, bob, mallory, _ = people()
    channels, about = [None, *places()], [None, [alice], [bob, mallory], []]
    moments = [None, NOON - days(5), NOON]
    return [
        View(guild=make_guild(), channel=channel, members=members, as_of=moment)
        for channel, members, moment in product(channels, about, moments)
    ]


def make_facts():
    said = product([*people(), None], places(), Fact.Status.values, WHEN)
    for number, (subject, channel, status, at) in enumerate(said):
        ended = {"valid_from": at, "valid_until": at + days(5)} if number % 2 else {}
        fields = {"audience_id": channel.heard_by, "channel": channel, "status": status, "said_at": at, **ended}
        make_fact(f"Fact {number}.", subject=subject, guild=make_guild(), **fields)


def make_talk():
    for number, (author, channel, at) in enumerate(product(people(), places(), WHEN)):
        message = make_message(f"Line {number}.", author=author, channel=channel, sent_at=at)
        make_note(f"Note {number}", messages=[message])
        make_message("", author=author, channel=channel, sent_at=at, deleted_at=NOON)


def told_facts(view):
    found = Fact.objects.of(view.guild).heard_in(view.channel)
    found = found.filter(Q(subject=None) | remembered(view.guild, "subject__"))
    found = found.active() if view.as_of is None else found.believed_at(view.as_of)
    return found if view.members is None else found.filter(subject__in=view.members)


def told_notes(view):
    found = InteractionNote.objects.told(view.guild).heard_in(view.channel)
    found = found if view.as_of is None else found.filter(ended_at__lte=view.as_of)
    return found if view.members is None else found.filter(participants__in=view.members).distinct()


def told_messages(view):
    found = Message.objects.of(view.guild).heard_in(view.channel).said().filter(remembered(view.guild, "author__"))
    found = found if view.as_of is None else found.filter(sent_at__lte=view.as_of)
    return found if view.members is None else found.filter(author__in=view.members)


KINDS = {"fact": (Fact, told_facts), "note": (InteractionNote, told_notes), "message": (Message, told_messages)}


@pytest.fixture
def world():
    make_facts()
    make_talk()
    elsewhere = make_guild("discord:2")
    charlie = make_message("Hello.", author=make_member(elsewhere, name="Charlie"))
    make_note(messages=[charlie])
    make_fact(subject=charlie.author)


@pytest.mark.parametrize(
    "guild", [{}, {"consent_mode": "opt_in"}, {"blocked": ["u-bob"]}], ids=["out", "in", "blocked"]
)
@pytest.mark.parametrize("kind", KINDS)
def test_each_view_is_told_what_the_filters_of_the_models_say(kind, guild, world):
    Member.objects.filter(name="alice").update(remember=True)
    Guild.objects.filter(key="discord:1").update(**guild)
    model, told = KINDS[kind]
    every, seen = list(model.objects.values_list("pk", flat=True)), set()
    for view in views():
        with inside(view.guild):
            expected = sorted(told(view).values_list("pk", flat=True))
        assert sorted(row.pk for row in sql.told(kind, view, every).rows) == expected
        assert sorted(row.pk for row in sql.told(kind, view, newest=10_000).rows) == expected
        seen.add(tuple(expected))
    assert len(seen) > 6


@pytest.mark.parametrize("kind", KINDS)
def test_no_more_of_the_newest_come_than_are_asked_for(kind, world):
    view = View(guild=make_guild())
    order = sorted((row[1], row.pk) for row in sql.told(kind, view, newest=10_000).rows)
    assert sorted((row[1], row.pk) for row in sql.told(kind, view, newest=3).rows) == order[-3:]


def test_outdated_facts_are_those_believed_then_and_no_longer(world):
    view = View(guild=make_guild(), as_of=NOON - days(2))
    with inside(view.guild):
        expected = list(told_facts(view).filter(status=Fact.Status.SUPERSEDED))
    assert expected
    assert {row.pk for row in sql.told("fact", view, outdated=10_000).rows} == {fact.pk for fact in expected}


def test_a_fact_row_has_what_the_fact_says():
    fact = make_fact("Sails.", subject=make_member(), channel=make_channel(), last_reinforced_at=NOON + days(1))
    (row,) = sql.told("fact", View(guild=make_guild()), newest=1).rows
    assert row == sql.FactRow(
        pk=fact.pk, said_at=fact.said_at, last_reinforced_at=NOON + days(1), text="Sails.", confidence=0.5,
        channel_id=fact.channel_id, subject_id=fact.subject_id, name="Alice", member_id="u-alice",
    )  # fmt: skip


def test_lore_has_no_member():
    make_fact("The server began in 2019.")
    (row,) = sql.told("fact", View(guild=make_guild()), newest=1).rows
    assert (row.subject_id, row.name, row.member_id) == (None, None, None)


@pytest.mark.parametrize(("display_name", "name"), [("Al", "alice"), ("", "alice"), ("", "")])
def test_an_author_is_called_as_the_model_calls_them(display_name, name):
    message = make_message(author=make_member(display_name=display_name, name=name))
    (row,) = sql.told("message", View(guild=make_guild()), newest=1).rows
    assert row.name == str(message.author)


def test_a_note_row_has_title_and_summary():
    note = make_note("Kayak", summary="It leaks.")
    (row,) = sql.told("note", View(guild=make_guild()), newest=1).rows
    assert row == sql.NoteRow(note.pk, note.ended_at, "Kayak", "It leaks.", note.channel_id)


def parts_of(plan):
    """Return every part of a plan of PostgreSQL's."""
    return [plan, *(part for below in plan.get("Plans", ()) for part in parts_of(below))]


@pytest.mark.postgres_only("SQLite joins in the order that is written")
def test_what_was_said_before_is_looked_for_once_for_each_message_however_many_channels_there_are():
    channels = [make_channel(name=f"room {number}") for number in range(10)]
    said = [make_message(f"Line {number}.", channel=channels[number % 10]) for number in range(200)]
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    view = View(guild=make_guild(), channel=None, members=None, as_of=None)
    with CaptureQueriesContext(connection) as asked:
        sql.told("message", view, [message.pk for message in said[:60]])
    ((plan,),) = db.select(f"EXPLAIN (ANALYZE, TIMING off, FORMAT json) {asked[-1]['sql']}")
    (whole,) = plan if isinstance(plan, list) else json.loads(plan)
    walks = [part for part in parts_of(whole["Plan"]) if part["Node Type"] == "Limit"]
    assert [walk["Actual Loops"] for walk in walks] == [60]
