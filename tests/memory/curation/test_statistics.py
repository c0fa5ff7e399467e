"""The numbers of the home page and of the API's stats."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.db import connection

from memory.curation.statistics import DAYS, overview
from memory.models import Fact, LeftOut, ModelCall
from memory.records import skipped
from memoryhub.community.models import Guild
from notes.models import ChannelBuffer
from tests.factories import (
    NOON,
    days,
    make_buffer,
    make_channel,
    make_fact,
    make_guild,
    make_member,
    make_message,
    make_note,
)

pytestmark = pytest.mark.django_db


def test_it_counts_what_is_believed_and_who_is_a_person():
    make_fact(subject=make_member())
    make_fact("Lived in Rome.", subject=make_member(), status=Fact.Status.SUPERSEDED)
    make_member(name="Foghorn", is_bot=True)
    totals = overview(now=NOON).totals
    assert (totals.facts, totals.members, totals.guilds) == (1, 1, 1)


def test_it_counts_one_guild_alone():
    north, south = make_guild("discord:1"), make_guild("discord:2")
    for guild in (north, south):
        make_note(messages=[make_message(channel=make_channel(guild))])
        make_fact(guild=guild)
        make_buffer(make_channel(guild))
    seen = overview(north, now=NOON)
    assert (seen.totals.guilds, seen.totals.messages, seen.totals.facts, seen.totals.notes) == (1, 1, 1, 1)
    assert [buffer.guild for buffer in seen.activity.open_buffers] == [north]
    assert sum(day.messages for day in seen.days) == 1


def test_it_counts_nothing_for_somebody_who_sees_no_guild():
    make_fact(), make_message(), make_buffer()
    seen = overview(now=NOON, guilds=Guild.objects.none())
    assert set(vars(seen.totals).values()) == {0}
    assert (seen.activity.open_count, seen.activity.unread_messages) == (0, 0)


def test_it_tells_what_waits_and_what_was_given_up():
    make_buffer(status=ChannelBuffer.Status.CLOSED, closed_at=NOON - days(1))
    make_buffer(status=ChannelBuffer.Status.CLOSED, closed_at=NOON)
    make_buffer(status=ChannelBuffer.Status.PARKED)
    make_message(parked_at=NOON), make_message()
    activity = overview(now=NOON).activity
    assert (activity.waiting_buffers, activity.oldest_waiting) == (2, NOON - days(1))
    assert (activity.parked_buffers, activity.parked_messages, activity.unread_messages) == (1, 1, 1)


def test_a_day_is_counted_from_midnight_to_midnight_utc():
    for moment in (datetime(2026, 3, 1, 0, 0, tzinfo=UTC), datetime(2026, 3, 1, 23, 59, 59, 999999, tzinfo=UTC)):
        make_message(sent_at=moment)
    by_day = {day.day.isoformat(): day.messages for day in overview(now=NOON).days}
    assert (by_day["2026-02-28"], by_day["2026-03-01"], by_day["2026-03-02"]) == (0, 2, 0)
    assert len(by_day) == DAYS


def test_the_days_end_with_the_last_sign_of_anybody():
    make_member(last_seen_at=NOON - days(400))
    assert overview(now=NOON).days[-1].day == (NOON - days(400)).date()


def test_the_days_never_reach_beyond_today():
    make_member(last_seen_at=NOON + days(1))
    assert overview(now=NOON).days[-1].day == NOON.date()


def test_calls_are_summed_by_day_and_purpose():
    for tokens in (10, 30):
        ModelCall.objects.create(purpose="note", model="m", tokens_in=tokens, cost_usd="0.5", outcome="ok", at=NOON)
    [calls] = overview(now=NOON).calls
    assert (calls.purpose, calls.calls, calls.tokens_in, calls.cost_usd) == ("note", 2, 40, Decimal(1))


def test_it_sums_what_was_left_out_by_reason():
    north = make_guild()
    for day in (1, 2, 40):
        skipped.add_counts(north, kind=LeftOut.Kind.MESSAGE, reasons={"link": 2}, now=NOON - days(day))
    skipped.add_counts(north, kind=LeftOut.Kind.CANDIDATE, reasons={"no_quote": 1}, now=NOON)
    skipped.add_counts(make_guild("discord:2"), kind=LeftOut.Kind.MESSAGE, reasons={"link": 9}, now=NOON)
    told = [(each.title, each.count) for each in overview(north, now=NOON).left_out]
    assert told == [("Refused: words that are not in the message", 1), ("Left out: link", 4)]


@pytest.mark.sqlite_only("its query plan")
@pytest.mark.parametrize("guilds", [None, "some"])
def test_what_is_unread_is_counted_without_walking_all_messages(guilds, django_assert_max_num_queries):
    make_message(), make_message(processed_at=NOON), make_message(channel=make_channel(make_guild("discord:2")))
    with django_assert_max_num_queries(31 if guilds else 60) as asked:
        some = guilds and Guild.objects.filter(key="discord:1")
        assert overview(now=NOON, guilds=some).activity.unread_messages == (1 if guilds else 2)
    sql = next(query["sql"] for query in asked if '"processed_at" IS NULL' in query["sql"])
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        assert any("message_unprocessed" in row[-1] for row in cursor.fetchall())
