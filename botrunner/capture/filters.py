"""What of Discord may be kept: what never is, and what is only where a guild wants it."""

from __future__ import annotations

from collections.abc import Callable

import discord
from discord import MessageReferenceType, MessageType

Rules = tuple[tuple[str, Callable[[discord.Message], bool]], ...]

HUMAN = {MessageType.default, MessageType.reply}
NO_ENTRY = ("🚫", "⛔")  # members put one of them into a message that is not to be remembered
PROXIES = {466378653216014359}
"""Applications that post for their members by webhook: PluralKit."""


def refusal(message: discord.Message) -> str:
    """Return why this message must not be kept, whatever a guild wants, "" if it may; a rule in doubt refuses."""
    return next((reason for reason, holds in NEVER if holds(message)), "")


def needs(message: discord.Message) -> list[str]:
    """Return what a guild must want for this message to be kept."""
    place = place_needs(message.channel) if message.guild else []
    return [*place, *(name for name, holds in IF_WANTED if holds(message))]


def place_needs(channel: object) -> list[str]:
    """Return what a guild must want for anything said in this channel of it to be kept; in doubt more."""
    return [name for name, holds in PLACES if holds(channel)]


def is_addressed(message: discord.Message) -> bool:
    """Tell whether the bot is spoken to: by a mention, a reply (also one that mentions nobody), or directly.

    Its own role, which Discord made of its name when it joined and offers to who types that, is a mention like another.
    """
    bot_id, target = _bot_id(message), replied_to(message)
    if message.guild is None or bot_id is None:
        return message.guild is None
    role = message.guild.self_role
    named = any(user.id == bot_id for user in message.mentions) or (
        role is not None and role.id in message.raw_role_mentions
    )
    return named or (target is not None and target.author.id == bot_id)


def to_the_bot(message: discord.Message) -> str:
    """Return what is said to the bot, its mentions taken out."""
    bot_id, role = _bot_id(message), message.guild.self_role if message.guild else None
    marks = [f"<@{bot_id}>", f"<@!{bot_id}>", *([f"<@&{role.id}>"] if role else [])]
    text = message.content
    for mark in marks:
        text = text.replace(mark, "")
    return text.strip(" ,:")


def replied_to(message: discord.Message) -> discord.Message | None:
    """Return the message that this one replies to, where Discord sent it along."""
    resolved = message.reference.resolved if message.reference else None
    return resolved if isinstance(resolved, discord.Message) else None


def is_proxied(message: discord.Message) -> bool:
    """Tell whether a proxy posted this in the place of one of its members."""
    return message.webhook_id is not None and message.application_id in PROXIES


def _bot_id(message: discord.Message) -> int | None:
    user = getattr(message.guild or message.channel, "me", None)
    return user.id if user else None


def _own(message: discord.Message) -> bool:
    """Tell whether our own bot speaks, also by a webhook that answers a command: it never learns from itself."""
    bot_id = _bot_id(message)
    return bot_id is not None and bot_id in (message.author.id, message.application_id)


def _forward(message: discord.Message) -> bool:
    reference = message.reference
    return bool(message.message_snapshots) or (reference is not None and reference.type is MessageReferenceType.forward)


def _unknown_channel(message: discord.Message) -> bool:
    channel = message.channel
    if isinstance(channel, discord.Thread):
        return channel.parent is None
    return not isinstance(channel, discord.abc.GuildChannel | discord.DMChannel)


def _withheld(message: discord.Message) -> bool:
    """Tell whether Discord kept the text back: nobody can send a message that holds nothing at all."""
    parts = (message.content, message.attachments, message.embeds, message.stickers, message.components, message.poll)
    return not any(parts)


def _nsfw(channel: object) -> bool:
    is_nsfw = getattr(channel, "is_nsfw", None)
    return is_nsfw is None or bool(is_nsfw())


NEVER: Rules = (
    ("own", _own),
    ("system", lambda message: message.type not in HUMAN or message.author.system),
    ("command", lambda message: message.interaction_metadata is not None),
    ("forward", _forward),
    ("unknown_channel", _unknown_channel),
    ("not_permitted", _withheld),
    ("no_text", lambda message: not message.content.strip()),
)
"""Reasons in the order in which they are checked; the first that holds counts."""

PLACES: tuple[tuple[str, Callable[[object], bool]], ...] = (
    ("private_thread", lambda channel: isinstance(channel, discord.Thread) and channel.is_private()),
    ("nsfw", _nsfw),
)
IF_WANTED: Rules = (
    ("no_entry", lambda message: any(sign in message.content for sign in NO_ENTRY)),
    ("unaddressed", lambda message: not is_addressed(message)),
    ("proxied", is_proxied),
)
"""What only some guilds keep, by where it is said and by what is said; each is checked when the message is written, by
the guild's settings of that moment."""
