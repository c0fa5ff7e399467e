"""Moderators are told of some lines of the action log, each once, as far as a number says."""

from __future__ import annotations

import pytest

from memory import erasure
from memory.curation import guild_settings
from memory.models import Action, ModeratorLog
from memory.records import log_posting, waiting_posts
from memory.records.action_log import log
from memoryhub.community.models import DueWork
from tests.factories import NOON, days, make_guild, make_member, make_message, minutes

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
PLACE = "123456789012345678"
BY = {"actor": "operator:olga", "now": NOON}


@pytest.fixture
def guild():
    """Return a guild that has a log channel, in which all was told so far."""
    guild = make_guild()
    guild_settings.change_settings(guild, {"log_channel": PLACE}, **BY)
    tell(NOON)
    guild.refresh_from_db()
    return guild


def take(now=NOON, *, here=True):
    return waiting_posts.claim_next(lambda _key: here, now=now)


def tell(now):
    """Post all that waits; return the kinds of the lines."""
    told = []
    while row := take(now):
        line, _ = log_posting.begin(row, now=now)
        log_posting.told(row, line=line)
        told.append(line.kind)
    return told


def test_each_line_is_told_once_and_in_order(guild):
    log("channel_switch", guild=guild, **BY, on=False, channels=[])
    log("memory_edit", guild=guild, **BY, fact=1)
    log("member_disowned", guild=guild, **BY, member=1, messages=2)
    assert tell(NOON) == ["channel_switch", "member_disowned"]
    assert tell(NOON + minutes(60)) == []
    assert not DueWork.objects.filter(work="posts").exists()


def test_what_moderators_set_and_erase_is_told(guild):
    guild_settings.change_settings(guild, {"memory_on": False, "recap": "weekly"}, **BY)
    guild_settings.change_settings(guild, {"memory_on": True}, **BY)
    guild_settings.change_settings(guild, {"quiet_minutes": 30}, **BY)
    assert tell(NOON) == ["memory_switch", "memory_switch"]
    on = Action.objects.filter(kind="memory_switch").order_by("pk").values_list("detail__on", flat=True)
    assert list(on) == [False, True]


@pytest.mark.django_db(transaction=True)
def test_an_erasure_is_told_twice_and_without_whom(guild):
    alice = make_member()
    make_message("I live in Toronto.", author=alice)
    erasure.erase_now(alice, by="moderator:77", now=NOON)
    assert tell(NOON) == ["erasure_asked", "erasure"]
    asked = Action.objects.get(kind="erasure_asked")
    assert (asked.detail["what"], asked.detail.keys()) == ("member", {"what", "erasure"})


def test_without_a_channel_nothing_waits():
    log("channel_switch", guild=make_guild(), **BY, on=False, channels=[])
    assert not DueWork.objects.filter(work="posts").exists()
    assert take() is None


def test_when_the_channel_is_taken_away_nothing_is_told_and_a_new_one_begins_anew(guild):
    log("channel_switch", guild=guild, **BY, on=False, channels=[])
    guild_settings.change_settings(guild, {"log_channel": ""}, **BY)
    assert tell(NOON) == []
    assert not ModeratorLog.objects.exists()
    guild_settings.change_settings(guild, {"log_channel": PLACE}, **BY)
    assert tell(NOON) == ["log_channel"]


def test_another_channel_goes_on_where_the_first_one_ended(guild):
    log("channel_switch", guild=guild, **BY, on=False, channels=[])
    log_posting.not_told(take(), error="The bot may not.", now=NOON)
    assert log_posting.trouble(guild) == "The bot may not."
    guild_settings.change_settings(guild, {"log_channel": "9"}, **BY)
    assert log_posting.trouble(guild) == ""
    assert tell(NOON) == ["channel_switch", "log_channel"]


def test_one_process_at_a_time_tells_and_one_that_died_is_followed_by_another(guild):
    log("channel_switch", guild=guild, **BY, on=False, channels=[])
    first = take()
    assert log_posting.begin(first, now=NOON)[1] is None
    assert take(NOON + minutes(1)) is None
    again = take(NOON + minutes(6))
    assert log_posting.begin(again, now=NOON + minutes(6))[1] == NOON


def test_what_fails_is_tried_again_and_never_given_up(guild):
    log("channel_switch", guild=guild, **BY, on=False, channels=[])
    now = NOON
    for _ in range(8):
        row = take(now)
        log_posting.not_told(row, error="Discord answered 503.", now=now)
        assert take(now + minutes(0.5)) is None
        now += minutes(65)
    log("channel_switch", guild=guild, actor="operator:olga", now=now, on=True, channels=[])
    assert tell(now) == ["channel_switch", "channel_switch"]
    assert log_posting.trouble(guild) == ""


def test_of_a_guild_that_is_elsewhere_nothing_is_taken(guild):
    log("channel_switch", guild=guild, **BY, on=False, channels=[])
    assert take(here=False) is None
    assert tell(NOON) == ["channel_switch"]


def test_after_a_week_the_action_log_itself_has_to_do(guild):
    log("channel_switch", guild=guild, **BY, on=False, channels=[])
    later = NOON + days(8)
    log("channel_switch", guild=guild, actor="operator:olga", now=later, on=True, channels=[])
    assert tell(later) == ["channel_switch"]
    assert ModeratorLog.objects.get().reached == Action.objects.order_by("-pk").first().pk


def test_a_line_that_went_meanwhile_ends_the_work(guild):
    log("channel_switch", guild=guild, **BY, on=False, channels=[])
    row = take()
    Action.objects.filter(kind="channel_switch").delete()
    assert log_posting.begin(row, now=NOON) == (None, None)
    assert take() is None


def test_what_is_logged_while_the_bot_looks_is_not_put_off(guild, monkeypatch):
    log("channel_switch", guild=guild, **BY, on=False, channels=[])
    tell(NOON)
    waiting_posts.mark(guild)
    looked = waiting_posts._waiting

    def meanwhile(*args):
        found = looked(*args)
        log("member_disowned", guild=guild, **BY, member=1, messages=2)
        return found

    with monkeypatch.context() as looking:
        looking.setattr(waiting_posts, "_waiting", meanwhile)
        assert take() is None
    assert tell(NOON) == ["member_disowned"]


def test_twins_are_told_of_their_own(guild):
    other = make_guild("discord:2")
    guild_settings.change_settings(other, {"log_channel": "9"}, **BY)
    assert tell(NOON) == ["log_channel"]
    log("channel_switch", guild=guild, **BY, on=False, channels=[])
    row = take()
    assert row.guild_id == guild.pk
    assert log_posting.begin(row, now=NOON)[0].guild_id == guild.pk
