"""Text of members as Discord shows it safely: in one line, escaped, within its length, with a link to its source."""

from __future__ import annotations

import re
from datetime import datetime

import discord

from memoryhub.community.discord_links import message_url
from notes.models import Message

MESSAGE = 2000  # characters that Discord takes
LINE = 190  # characters of a memory in a list: a page of them fits into a message
QUOTED = 400  # characters of what is quoted in a channel
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
_ESCAPED = re.compile(r"\\([^A-Za-z0-9\s])")


def one_line(text: str, length: int = LINE) -> str:
    """Return text in one line, without the signs that would have the words behind it run backwards, ours too."""
    return cut(" ".join(_TURNING.sub("", text).split()), max(length, LINE))


def plain(text: str, length: int = LINE) -> str:
    """Return text that Discord shows as it is, in one line; the marks that keep it from formatting count as well.

    discord.py sees the first link of a line only, and none whose bracket was opened before the text: each is broken
    between its words and its address.
    """
    escaped = discord.utils.escape_markdown(discord.utils.escape_mentions(one_line(text, length)))
    return cut(escaped.replace("](", "]\\("), length)


def quoted(text: str) -> str:
    """Return what a member said as the bot says it to others in a channel; a fact is never cut."""
    return plain(text, QUOTED)


def as_read(message: str) -> str:
    """Return a message of ours as its readers see it, so that names and words are found in it as they were written."""
    return _ESCAPED.sub(r"\1", message).replace("@\u200b", "@")


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
