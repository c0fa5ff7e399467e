"""Converts what Discord sends to what the pipeline takes: what was said, where, and who could read it."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Literal, TypeAlias

import discord
from discord import ChannelType

from memoryhub.community.identity import Person
from notes.messages.schemas import GuildRef, IncomingAuthor, IncomingChannel, IncomingMessage

GuildChannel: TypeAlias = discord.abc.GuildChannel | discord.Thread
AnyChannel: TypeAlias = GuildChannel | discord.DMChannel
User: TypeAlias = discord.User | discord.Member

VOICE = {ChannelType.voice, ChannelType.stage_voice}
MOST_MENTIONS = 100  # the contract's limit


def guild_key(guild_id: int) -> str:
    """Return the key of a guild."""
    return f"discord:{guild_id}"


def guild_ref(guild: discord.Guild) -> GuildRef:
    """Return the guild by its key."""
    return GuildRef(key=guild_key(guild.id), name=guild.name)


def direct_chat_key(channel_id: int) -> str:
    """Return the key of a direct chat."""
    return f"discord-dm:{channel_id}"


def guild_of(message: discord.Message) -> GuildRef:
    """Return the guild of a message; a direct chat is a guild of its own."""
    return guild_ref(message.guild) if message.guild else direct_chat_ref(message.channel)


def direct_chat_ref(channel: discord.abc.Snowflake) -> GuildRef:
    """Return a direct chat as the guild that it is."""
    return GuildRef(key=direct_chat_key(channel.id), name="Direct chat")


def person(user: User) -> Person:
    """Return a user as a caller of the bot."""
    return Person(id=str(user.id), name=user.name, display_name=user.display_name)


def incoming_author(user: User, *, is_bot: bool = False) -> IncomingAuthor:
    """Return a user as the author of a message."""
    return IncomingAuthor(id=str(user.id), name=user.name, display_name=user.display_name, is_bot=is_bot)


def incoming_message(message: discord.Message) -> IncomingMessage:
    """Return a message that is not refused, as the pipeline takes it."""
    assert isinstance(message.channel, AnyChannel)
    reference = message.reference
    return IncomingMessage(
        message_id=str(message.id),
        channel=incoming_channel(message.channel),
        author=incoming_author(message.author, is_bot=message.author.bot or message.webhook_id is not None),
        text=readable_text(message),
        sent_at=message.created_at,
        reply_to=str(reference.message_id) if reference and reference.message_id else None,
        mentions=[str(user.id) for user in message.mentions if not user.bot][:MOST_MENTIONS],
    )


# --- Channels ----------------------------------------------------------------------------------------------------


def incoming_channel(channel: AnyChannel) -> IncomingChannel:
    """Return what is kept of a channel; only a thread has a parent, a category is none."""
    if isinstance(channel, discord.DMChannel):
        return IncomingChannel(id=str(channel.id), kind="direct")
    thread = isinstance(channel, discord.Thread)
    return IncomingChannel(
        id=str(channel.id),
        name=channel.name,
        kind="thread" if thread else "voice" if channel.type in VOICE else "text",
        parent_id=str(channel.parent_id) if isinstance(channel, discord.Thread) else None,
        audience=audience(channel),
    )


def channels_of(guild: discord.Guild) -> list[GuildChannel]:
    """Return the guild's channels and open threads."""
    return [*guild.channels, *guild.threads]


def audience(channel: GuildChannel) -> Literal["guild", "channel"]:
    """Return "guild" only if surely every member can read the channel; a thread is read by its parent's readers.

    Whatever keeps out a role or a member, other than bots and theirs, makes it "channel".
    """
    if isinstance(channel, discord.Thread):
        return "channel" if channel.is_private() or channel.parent is None else audience(channel.parent)
    voice = channel.type in VOICE
    everyone = channel.permissions_for(channel.guild.default_role)
    if not everyone.view_channel or (voice and not everyone.connect):
        return "channel"
    closed_to_somebody = any(
        overwrite.view_channel is False or (voice and overwrite.connect is False)
        for target, overwrite in channel.overwrites.items()
        if not (target.is_bot_managed() if isinstance(target, discord.Role) else getattr(target, "bot", False))
    )
    return "channel" if closed_to_somebody else "guild"


# --- Text --------------------------------------------------------------------------------------------------------

_MARKUP = re.compile(
    r"<(?:(?P<sigil>@[!&]?|\#)(?P<id>\d{15,20})"
    r"|a?(?P<emoji>:\w+:)\d{15,20}"
    r"|(?P<command>/[^:<>]+):\d{15,20}"
    r"|t:(?P<time>\d{1,11})(?::[tTdDfFR])?)>"
)


def readable_text(message: discord.Message, text: str | None = None) -> str:
    """Return the text with names in place of ids: "@Alice", "@mods", "#general", ":party:", "2026-03-02 12:00 UTC".

    `text` is a part of the message's own, where not all of it is wanted.
    """
    return in_words(message.content if text is None else text, partial(_mention, message))


def in_words(text: str, name_of: Callable[[str, int], str]) -> str:
    """Return a text without Discord's marks; `name_of` says what an id is called, by the signs before it."""

    def as_words(match: re.Match[str]) -> str:
        if match["sigil"]:
            return name_of(match["sigil"], int(match["id"]))
        if match["time"]:
            return f"{datetime.fromtimestamp(int(match['time']), UTC):%Y-%m-%d %H:%M} UTC"
        return match["emoji"] or match["command"]

    return _MARKUP.sub(as_words, text)


def _mention(message: discord.Message, sigil: str, number: int) -> str:
    """Return the name behind an id, "unknown" where it is not known here."""
    guild = message.guild
    if sigil == "#":
        channel = guild.get_channel_or_thread(number) if guild else None
        return f"#{channel.name}" if channel else "#unknown"
    if sigil == "@&":
        role = guild.get_role(number) if guild else None
        return f"@{role.name}" if role else "@unknown"
    user = discord.utils.get(message.mentions, id=number) or (guild.get_member(number) if guild else None)
    return f"@{user.display_name}" if user else "@unknown"
