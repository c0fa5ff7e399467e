"""From Discord's words to ours: how text reads, who could read a channel."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from unittest.mock import Mock

import discord
import pytest
from discord import ChannelType, PermissionOverwrite, Permissions

from botrunner.capture import convert
from tests.botrunner.stand_ins import channel, message, role, thread, user


def test_another_bot_and_a_webhook_are_handed_on_as_bots():
    assert convert.incoming_message(message(author=user(bot=True))).author.is_bot
    assert convert.incoming_message(message(webhook_id=5)).author.is_bot
    assert not convert.incoming_message(message()).author.is_bot


# --- What is handed on -------------------------------------------------------------------------------------------


def test_a_message_keeps_its_ids_names_and_time():
    got = convert.incoming_message(message(mentions=[user(2, "bob"), user(3, "robot", bot=True)]))
    assert (got.message_id, got.author.id, got.author.name, got.author.display_name) == ("100", "1", "alice", "Alice")
    assert (got.channel.id, got.channel.name, got.channel.kind, got.channel.parent_id) == (
        "10",
        "general",
        "text",
        None,
    )
    assert (got.sent_at, got.mentions, got.source) == (datetime(2026, 3, 2, 12, tzinfo=UTC), ["2"], "text")


def test_a_thread_is_a_channel_with_a_parent():
    got = convert.incoming_channel(thread(channel()))
    assert (got.id, got.kind, got.parent_id) == ("20", "thread", "10")


def test_the_chat_of_a_voice_channel_is_voice():
    assert convert.incoming_channel(channel(ChannelType.voice)).kind == "voice"


# --- Who could read it -------------------------------------------------------------------------------------------


def test_a_channel_that_everybody_sees_is_open():
    assert convert.audience(channel()) == "guild"


@pytest.mark.parametrize("allowed", [Permissions.none(), Permissions(connect=True, send_messages=True)])
def test_a_channel_that_not_everybody_sees_is_closed(allowed):
    assert convert.audience(channel(allowed=allowed)) == "channel"


def test_a_voice_channel_that_not_everybody_may_enter_is_closed():
    voice = channel(ChannelType.voice, allowed=Permissions(view_channel=True))
    assert convert.audience(voice) == "channel"


@pytest.mark.parametrize(("kind", "expected"), [(ChannelType.voice, "channel"), (ChannelType.text, "guild")])
def test_a_voice_channel_that_a_role_may_not_enter_is_closed(kind, expected):
    kept_out = {role(): PermissionOverwrite(connect=False)}
    assert convert.audience(channel(kind, overwrites=kept_out)) == expected


def test_a_channel_that_a_role_is_kept_out_of_is_closed():
    assert convert.audience(channel(overwrites={role(): PermissionOverwrite(view_channel=False)})) == "channel"


def test_a_channel_that_a_member_is_kept_out_of_is_closed():
    bob = Mock(spec=discord.Member, bot=False)
    assert convert.audience(channel(overwrites={bob: PermissionOverwrite(view_channel=False)})) == "channel"


@pytest.mark.parametrize("target", [role(bots=True), Mock(spec=discord.Member, bot=True)])
def test_keeping_bots_out_closes_nothing(target):
    assert convert.audience(channel(overwrites={target: PermissionOverwrite(view_channel=False)})) == "guild"


def test_a_role_that_may_only_read_closes_nothing():
    assert convert.audience(channel(overwrites={role(): PermissionOverwrite(send_messages=False)})) == "guild"


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (thread(channel()), "guild"),
        (thread(channel(allowed=Permissions.none())), "channel"),
        (thread(channel(), private=True), "channel"),
        (thread(None), "channel"),
    ],
)
def test_a_thread_is_as_open_as_its_parent_and_closed_in_doubt(place, expected):
    assert convert.audience(place) == expected


# --- How it reads ------------------------------------------------------------------------------------------------

ID = 123456789012345678


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (f"<@{ID}> and <@!{ID}>", "@Bob and @Bob"),
        (f"hello <:wave:{ID}> <a:dance:{ID}>", "hello :wave: :dance:"),
        (f"use </memory list:{ID}>", "use /memory list"),
        ("at <t:1772452800:R>, no, <t:1772452800>", "at 2026-03-02 12:00 UTC, no, 2026-03-02 12:00 UTC"),
        (f"<@&{ID}> in <#{ID}>", "@unknown in #unknown"),
        ("<@1> <t:99999999999999> <b>bold</b> <3", "<@1> <t:99999999999999> <b>bold</b> <3"),
        ("@everyone look", "@everyone look"),
    ],
)
def test_ids_are_read_as_names(written, read):
    assert convert.readable_text(message(written, mentions=[user(ID, "bob")])) == read


def test_a_mention_of_somebody_who_left_names_nobody():
    assert convert.readable_text(message(f"ask <@{ID}>")) == "ask @unknown"


def test_roles_and_channels_of_the_guild_are_named():
    said = message(f"<@&{ID}> in <#{ID}>")
    said.guild.get_role.return_value = SimpleNamespace(name="mods")
    said.guild.get_channel_or_thread.return_value = SimpleNamespace(name="general")
    assert convert.readable_text(said) == "@mods in #general"
