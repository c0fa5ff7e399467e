"""What Discord says, in the words of the hub: what was said, where, and who could read it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Literal, TypeAlias

import discord
from discord import ChannelType

from notes.messages.schemas import GuildRef, IncomingAuthor, IncomingChannel, IncomingMessage

Place: TypeAlias = discord.abc.GuildChannel | discord.Thread
Somewhere: TypeAlias = Place | discord.DMChannel

VOICE = {ChannelType.voice, ChannelType.stage_voice}
MOST_MENTIONS = 100  # the contract's limit


def guild_ref(guild: discord.Guild) -> GuildRef:
    """Return the guild by its key."""
    return GuildRef(key=guild_key(guild.id), name=guild.name)


def home(message: discord.Message) -> GuildRef:
    """Return the guild of a message; a direct chat is a guild of its own."""
    return guild_ref(message.guild) if message.guild else chat_ref(message.channel)


def chat_ref(channel: discord.abc.Snowflake) -> GuildRef:
    """Return a direct chat as the guild that it is."""
    return GuildRef(key=chat_key(channel.id), name="Direct chat")


def chat_key(channel_id: int) -> str:
    """Return the key of a direct chat."""
    return f"discord-dm:{channel_id}"


def guild_key(guild_id: int) -> str:
    """Return the key of a guild."""
    return f"discord:{guild_id}"


def incoming(message: discord.Message) -> IncomingMessage:
    """Return a message that is not refused, as the pipeline takes it."""
    author = message.author
    place = message.channel
    assert isinstance(place, Somewhere)
    return IncomingMessage(
        message_id=str(message.id),
        channel=described(place),
        author=IncomingAuthor(
            id=str(author.id),
            name=author.name,
            display_name=author.display_name,
            is_bot=author.bot or message.webhook_id is not None,
        ),
        text=readable(message),
        sent_at=message.created_at,
        reply_to=_answered(message),
        mentions=[str(user.id) for user in message.mentions if not user.bot][:MOST_MENTIONS],
    )


def _answered(message: discord.Message) -> str | None:
    reference = message.reference
    return str(reference.message_id) if reference and reference.message_id else None


# --- Places ------------------------------------------------------------------------------------------------------


def described(channel: Somewhere) -> IncomingChannel:
    """Return what the hub keeps of a channel; only a thread has a parent, a category is none."""
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


def places(guild: discord.Guild) -> list[Place]:
    """Return the guild's channels and open threads."""
    return [*guild.channels, *guild.threads]


def audience(channel: Place) -> Literal["guild", "channel"]:
    """Return "guild" only if surely every member can read the channel; a thread is read by its parent's readers."""
    if isinstance(channel, discord.Thread):
        closed = channel.is_private() or channel.parent is None
        return "channel" if closed or channel.parent is None else audience(channel.parent)
    return "guild" if _open_to_everyone(channel) and not _closed_to_somebody(channel) else "channel"


def _open_to_everyone(channel: discord.abc.GuildChannel) -> bool:
    allowed = channel.permissions_for(channel.guild.default_role)
    return allowed.view_channel and (allowed.connect or channel.type not in VOICE)


def _closed_to_somebody(channel: discord.abc.GuildChannel) -> bool:
    """Tell whether a role or a member, other than bots and theirs, is kept out of a channel that others see."""
    return any(
        overwrite.view_channel is False
        for target, overwrite in channel.overwrites.items()
        if not (target.is_bot_managed() if isinstance(target, discord.Role) else getattr(target, "bot", False))
    )


# --- Text --------------------------------------------------------------------------------------------------------

_MARKUP = re.compile(
    r"<(?:(?P<sigil>@[!&]?|\#)(?P<id>\d{15,20})"
    r"|a?(?P<emoji>:\w+:)\d{15,20}"
    r"|(?P<command>/[^:<>]+):\d{15,20}"
    r"|t:(?P<time>\d{1,11})(?::[tTdDfFR])?)>"
)


def readable(message: discord.Message, text: str | None = None) -> str:
    """Return the text with names in place of ids: "@Alice", "@mods", "#general", ":party:", "2026-03-02 12:00 UTC".

    `text` is a part of the message's own, where not all of it is wanted.
    """
    return _MARKUP.sub(lambda found: _spelled_out(found, message), message.content if text is None else text)


def _spelled_out(found: re.Match[str], message: discord.Message) -> str:
    if found["sigil"]:
        return _named(found["sigil"], int(found["id"]), message)
    if found["time"]:
        return f"{datetime.fromtimestamp(int(found['time']), UTC):%Y-%m-%d %H:%M} UTC"
    return found["emoji"] or found["command"]


def _named(sigil: str, wanted: int, message: discord.Message) -> str:
    guild = message.guild
    if sigil == "#":
        channel = guild.get_channel_or_thread(wanted) if guild else None
        return f"#{channel.name}" if channel else "#unknown"
    if sigil == "@&":
        role = guild.get_role(wanted) if guild else None
        return f"@{role.name}" if role else "@unknown"
    user = discord.utils.get(message.mentions, id=wanted) or (guild.get_member(wanted) if guild else None)
    return f"@{user.display_name}" if user else "@unknown"
