"""What files hold goes through the pipeline by batches of one guild, and is counted."""

import pytest
from django.db import connection

from memory import pipeline
from memory.importing import Importer, Invalid, ReadMessage, Skipped
from memory.importing.take_in import BATCH, SHOWN
from memoryhub.community import consent
from memoryhub.community.models import Channel, Guild, Member
from notes.messages.schemas import GuildRef, IncomingMessage
from notes.models import Message
from tests.exported import line
from tests.factories import NOON, days, make_guild, make_member

pytestmark = pytest.mark.django_db


def said(number=1, guild="discord:1", **fields):
    message = {name: value for name, value in line(number, **fields).items() if name != "guild"}
    return ReadMessage(GuildRef(key=guild), IncomingMessage.model_validate(message))


def take(*items, **options):
    importer = Importer(NOON + days(1), **options)
    for item in items:
        importer.take(item, file="talk.jsonl")
    importer.flush()
    return importer.tally


@pytest.fixture
def batches(monkeypatch):
    """The guild and size of each batch that goes through the pipeline."""
    made, receive_many = [], pipeline.receive_many

    def spy(messages, *, guild, now):
        made.append((guild.key, len(messages)))
        return receive_many(messages, guild=guild, now=now)

    monkeypatch.setattr(pipeline, "receive_many", spy)
    return made


def test_messages_are_stored_and_counted():
    tally = take(said(1), said(2, author="bob"), said(3))
    assert Message.objects.count() == tally.stored == 3
    assert tally.authors == {"alice": 2, "bob": 1}
    assert tally.months == {"2026-03": 3}
    assert list(tally.guilds) == ["discord:1"]


def test_a_second_run_stores_nothing():
    take(said(1), said(2))
    tally = take(said(1), said(2), said(3))
    assert (tally.stored, tally.duplicate) == (1, 2)
    assert Message.objects.count() == 3


def test_equal_ids_in_one_file_are_stored_once():
    tally = take(said(1), said(1), said(1, guild="discord:2"))
    assert (tally.stored, tally.duplicate) == (2, 1)


def test_a_batch_belongs_to_one_guild_however_the_lines_are_mixed(batches):
    take(*(said(number, guild=f"discord:{number % 3}") for number in range(9)))
    assert sorted(batches) == [("discord:0", 3), ("discord:1", 3), ("discord:2", 3)]
    assert {guild.messages.count() for guild in Guild.objects.all()} == {3}


def test_a_full_batch_is_taken_in_at_once(batches):
    importer = Importer(NOON)
    for number in range(BATCH + 1):
        importer.take(said(number), file="talk.jsonl")
    assert batches == [("discord:1", BATCH)]
    assert Message.objects.count() == BATCH


def test_long_texts_of_many_guilds_do_not_pile_up(batches, monkeypatch):
    monkeypatch.setattr("memory.importing.take_in.MOST_WAITING", 1000)
    importer = Importer(NOON)
    for number in range(12):
        importer.take(said(number, guild=f"discord:{number}", text="x" * 100), file="talk.jsonl")
    assert len(batches) == 11


def test_what_is_left_out_is_counted_by_reason():
    consent.choose(make_member(platform_id="u-mallory"), remember=False, actor="mallory", now=NOON)
    tally = take(Skipped("forwarded"), Skipped("forwarded"), said(1, author="mallory"), said(2, text="  "), said(3))
    assert tally.ignored == {"forwarded": 2, "opted_out": 1, "empty": 1}
    assert tally.stored == Message.objects.count() == 1


def test_what_is_refused_is_shown_with_its_place_and_then_only_counted():
    tally = take(*(Invalid(f"line {number}", "is not JSON") for number in range(SHOWN + 5)))
    assert tally.refused == SHOWN + 5
    assert len(tally.refused_at) == SHOWN
    assert tally.refused_at[0] == "talk.jsonl, line 0: is not JSON"


def test_a_dry_run_counts_what_would_be_and_stores_nothing():
    make_guild()
    consent.choose(make_member(platform_id="u-mallory"), remember=False, actor="mallory", now=NOON)
    take(said(1))
    before = (Guild.objects.count(), Channel.objects.count(), Member.objects.count(), Message.objects.count())
    tally = take(said(1), said(2), said(3, author="mallory"), said(4, guild="discord:2"), dry_run=True)
    assert (tally.stored, tally.duplicate, tally.ignored["opted_out"]) == (2, 1, 1)
    assert before == (Guild.objects.count(), Channel.objects.count(), Member.objects.count(), Message.objects.count())
    assert not connection.needs_rollback


def test_where_the_file_does_not_say_private_closes_the_channel():
    take(said(1), said(2, channel={"id": "c-open", "audience": "guild"}), private=True)
    audiences = dict(Channel.objects.values_list("platform_id", "audience"))
    assert audiences == {"c-general": "channel", "c-open": "guild"}


def test_messages_in_no_order_are_all_stored():
    take(said(3), said(1), said(40), said(2))
    assert [message.platform_id for message in Message.objects.order_by("sent_at")] == ["m-1", "m-2", "m-3", "m-40"]
