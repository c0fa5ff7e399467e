"""What is kept of each guild for the pages that show several: as new as the last look, and asked guild by guild."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory import tasks
from memory.curation import figures
from memory.curation.statistics import overview
from memoryhub.community.models import DueWork, GuildFigures
from tests.factories import NOON, days, make_channel, make_fact, make_guild, make_member, make_message, minutes
from tests.incoming import SOUTH, say

pytestmark = pytest.mark.django_db


def quiet(*guilds):
    """Let the background have looked at these guilds."""
    for guild in guilds:
        figures.count(guild, now=NOON)
    DueWork.objects.all().delete()


def test_the_sum_of_all_guilds_is_what_each_tells_alone():
    for key in ("discord:1", "discord:2"):
        make_fact(subject=make_message(channel=make_channel(make_guild(key)), sent_at=NOON - days(2)).author)
    each = [overview(guild, now=NOON) for guild in (make_guild("discord:1"), make_guild("discord:2"))]
    seen = overview(now=NOON)
    for name in ("guilds", "channels", "members", "messages", "facts", "notes"):
        assert getattr(seen.totals, name) == sum(getattr(one.totals, name) for one in each)
    for day, *same in zip(seen.days, *(one.days for one in each), strict=True):
        assert day.messages == sum(one.messages for one in same)
    assert seen.activity.unread_messages == 2


def test_bots_are_no_members_and_what_was_deleted_is_no_message():
    channel = make_channel()
    make_message("Kept.", channel=channel, sent_at=NOON)
    make_message("", channel=channel, sent_at=NOON, let_go_at=NOON)
    make_message("", channel=channel, sent_at=NOON, deleted_at=NOON)
    make_message("Beep.", channel=channel, author=make_member(name="Beep", is_bot=True), sent_at=NOON)
    seen = figures.figures_of(channel.guild, now=NOON)
    assert (seen.members, seen.messages, seen.days["2026-03-02"][0]) == (1, 3, 3)


def test_a_guild_in_which_nothing_happened_is_not_counted_again():
    one, other = make_guild("discord:1"), make_guild("discord:2")
    quiet(one, other)
    with CaptureQueriesContext(
        connection,
    ) as asked:
        overview(now=NOON)
    assert not any("notes_message" in query["sql"] for query in asked)
    say("I live in Lima now.")
    assert overview(now=NOON + minutes(60)).totals.messages == 1
    assert GuildFigures.objects.get(guild=other).counted_at == NOON


def test_a_night_that_a_guild_missed_is_told_of_once_the_hub_runs_again_and_costs_no_page_a_look(monkeypatch):
    make_guild(created_at=NOON)
    say("I live in Lima now.")
    for now in (NOON + minutes(30), NOON + minutes(60), NOON + days(20)):  # then the hub stood still
        monkeypatch.setattr(tasks.timezone, "now", lambda now=now: now)
        tasks.tick() if now < NOON + days(1) else tasks.consolidate_due()
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert overview(now=NOON + days(20)).nights_missed == 1
    assert not any("notes_message" in query["sql"] for query in asked)
    call_command("consolidate", "--late", stdout=StringIO())
    assert overview(now=NOON + days(20)).nights_missed == 0


def test_of_many_guilds_that_talk_a_page_counts_a_few_and_the_minute_the_others(monkeypatch):
    monkeypatch.setattr(figures, "COUNTED_AT_ONCE", 1)
    quiet(make_guild("discord:1"), make_guild("discord:2"))
    say("I live in Lima now."), say("I live in Rome now.", guild=SOUTH)
    assert overview(now=NOON + minutes(60)).totals.messages == 1
    monkeypatch.setattr(tasks.timezone, "now", lambda: NOON + minutes(60))
    tasks.tick()
    assert overview(now=NOON + minutes(60)).totals.messages == 2


def test_the_numbers_go_with_their_guild():
    guild = make_guild()
    figures.count(guild, now=NOON)
    guild.delete()
    assert not GuildFigures.objects.exists()


def test_two_who_look_for_the_first_time_at_once_both_see_the_numbers(monkeypatch):
    guild, count_all = make_guild(), figures.figures_of

    def counted_by_another_meanwhile(asked, *, now):
        monkeypatch.setattr(figures, "figures_of", count_all)
        numbers = count_all(asked, now=now)
        figures.count(asked, now=now)
        return numbers

    monkeypatch.setattr(figures, "figures_of", counted_by_another_meanwhile)
    assert overview(now=NOON).totals.guilds == 1
    assert GuildFigures.objects.get().guild == guild
