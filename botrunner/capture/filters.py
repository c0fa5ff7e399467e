"""What of Discord may be kept: what never is, and what is only where a guild wants it."""

from __future__ import annotations

from collections.abc import Callable

import discord
from discord import MessageReferenceType, MessageType

Rules = tuple[tuple[str, Callable[[discord.Message], bool]], ...]

HUMAN = {MessageType.default, MessageType.reply}
NO_ENTRY = ("🚫", "⛔")  # seed 001: a message that bears one of them is not to be remembered
PROXIES = {466378653216014359}
"""Applications that post for their members by webhook: PluralKit."""


def refused(message: discord.Message) -> str:
    """Return why this message must not be kept, whatever a guild wants, "" if it may; a rule in doubt refuses."""
    return next((reason for reason, holds in NEVER if holds(message)), "")


def needs(message: discord.Message) -> list[str]:
    """Return what a guild must want for this message to be kept."""
    return [name for name, holds in IF_WANTED if holds(message)]


def addressed(message: discord.Message) -> bool:
    """Tell whether the bot is spoken to: by a mention, a reply (also one that mentions nobody), or directly."""
    me, replied = _me(message), answered(message)
    if message.guild is None or me is None:
        return message.guild is None
    return (replied is not None and replied.author.id == me) or any(user.id == me for user in message.mentions)


def answered(message: discord.Message) -> discord.Message | None:
    """Return the message that this one replies to, where Discord sent it along."""
    resolved = message.reference.resolved if message.reference else None
    return resolved if isinstance(resolved, discord.Message) else None


def proxied(message: discord.Message) -> bool:
    """Tell whether a proxy posted this in the place of one of its members."""
    return message.webhook_id is not None and message.application_id in PROXIES


def _me(message: discord.Message) -> int | None:
    place = message.guild or message.channel
    me = getattr(place, "me", None)
    return me.id if me else None


def _own(message: discord.Message) -> bool:
    """Tell whether the hub's own bot speaks, also by a webhook that answers a command (promise 7)."""
    me = _me(message)
    return me is not None and me in (message.author.id, message.application_id)


def _forward(message: discord.Message) -> bool:
    reference = message.reference
    return bool(message.message_snapshots) or (reference is not None and reference.type is MessageReferenceType.forward)


def _unknown_place(message: discord.Message) -> bool:
    channel = message.channel
    if isinstance(channel, discord.Thread):
        return channel.parent is None
    return not isinstance(channel, discord.abc.GuildChannel | discord.DMChannel)


def _withheld(message: discord.Message) -> bool:
    """Tell whether Discord kept the text back: nobody can send a message that holds nothing at all."""
    shown = (message.content, message.attachments, message.embeds, message.stickers, message.components, message.poll)
    return not any(shown)


def _nsfw(message: discord.Message) -> bool:
    says = getattr(message.channel, "is_nsfw", None)
    return message.guild is not None and (says is None or bool(says()))


NEVER: Rules = (
    ("own", _own),
    ("system", lambda message: message.type not in HUMAN or message.author.system),
    ("command", lambda message: message.interaction_metadata is not None),
    ("forward", _forward),
    ("unknown_channel", _unknown_place),
    ("not_permitted", _withheld),
    ("no_text", lambda message: not message.content.strip()),
)
"""Reasons in the order in which they are asked; the first that holds counts."""

IF_WANTED: Rules = (
    ("private_thread", lambda message: isinstance(message.channel, discord.Thread) and message.channel.is_private()),
    ("nsfw", _nsfw),
    ("no_entry", lambda message: any(mark in message.content for mark in NO_ENTRY)),
    ("unaddressed", lambda message: not addressed(message)),
    ("proxied", proxied),
)
"""What only some guilds keep; each is asked when the message is written, by the guild's settings of that moment."""
