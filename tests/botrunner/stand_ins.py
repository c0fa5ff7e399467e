"""Stand-ins for what discord.py hands on."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from unittest.mock import Mock

import discord
from discord import ChannelType, MessageType, Permissions

SEEN = Permissions(view_channel=True, connect=True)


def role(*, bots=False):
    return Mock(spec=discord.Role, is_bot_managed=lambda: bots)


def channel(kind=ChannelType.text, *, allowed=SEEN, overwrites=None, nsfw=False):
    made = Mock(spec=discord.VoiceChannel if kind is ChannelType.voice else discord.TextChannel, id=10, type=kind)
    made.name, made.overwrites = "general", overwrites or {}
    made.permissions_for.return_value = allowed
    made.is_nsfw.return_value = nsfw
    return made


def thread(parent, *, private=False):
    made = Mock(spec=discord.Thread, id=20, type=ChannelType.public_thread, parent_id=10)
    made.name, made.parent = "tea talk", parent  # words that Mock takes for its own when they are arguments
    made.is_private.return_value = private
    made.is_nsfw.return_value = False
    return made


def user(number=2, name="bob", *, bot=False, **fields):
    return SimpleNamespace(id=number, name=name, display_name=name.title(), bot=bot, system=False, **fields)


def message(content="I live in Toronto.", **fields):
    guild = Mock(spec=discord.Guild, id=1, me=user(9, "hub", bot=True))
    guild.get_member.return_value = guild.get_role.return_value = guild.get_channel_or_thread.return_value = None
    values = {
        "id": 100,
        "content": content,
        "type": MessageType.default,
        "guild": guild,
        "channel": channel(),
        "author": user(1, "alice"),
        "mentions": [],
        "created_at": datetime(2026, 3, 2, 12, tzinfo=UTC),
    }
    nothing = ("webhook_id", "application_id", "reference", "interaction_metadata", "poll")
    empty = ("message_snapshots", "attachments", "embeds", "stickers", "components", "raw_role_mentions")
    return SimpleNamespace(**{**dict.fromkeys(nothing), **{name: [] for name in empty}, **values, **fields})
