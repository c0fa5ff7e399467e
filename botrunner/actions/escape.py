"""Text of members as Discord shows it safely: in one line, escaped, within its length, with a link to its source."""

from __future__ import annotations

from datetime import datetime

import discord

from memoryhub.community.discord_links import message_url
from notes.models import Message

MESSAGE = 2000  # characters that Discord takes
LINE = 190  # characters of a memory in a list: a page of them fits into a message


def one_line(text: str, length: int = LINE) -> str:
    """Return text in one line."""
    return cut(" ".join(text.split()), max(length, LINE))


def plain(text: str, length: int = LINE) -> str:
    """Return text that Discord shows as it is, in one line; the marks that keep it from formatting count as well."""
    return cut(discord.utils.escape_markdown(discord.utils.escape_mentions(one_line(text, length))), length)


def cut(text: str, length: int = MESSAGE) -> str:
    """Return text that is no longer than this."""
    return text if len(text) <= length else text[: length - 1].rstrip("\\") + "…"


def link(message: Message) -> str:
    """Return the address of a message; it comes with its guild and channel."""
    return message_url(message.guild.key, channel=message.channel.platform_id, message=message.platform_id)


def day(moment: datetime) -> str:
    """Return a day that each reader sees in their own zone."""
    return f"<t:{int(moment.timestamp())}:D>"


def ago(moment: datetime) -> str:
    """Return how long ago a moment was, as each reader's Discord counts it on."""
    return f"<t:{int(moment.timestamp())}:R>"
