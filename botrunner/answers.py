"""What the bot answers members, as text for Discord: escaped, within its length, with links to the sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import discord

from memory.models import Evidence, Fact

A_PAGE = 8  # facts; with their numbers they stay below Discord's 2,000 characters
LINE = 190  # characters of a fact in a list
PROFILE_LINES, PROFILE_LINE = 18, 85  # with their numbers they stay below Discord's 2,000 characters
SHOWN_SOURCES = 5
QUOTE, NAME = 160, 40  # characters; five quotes with their links fit into a message

NOT_YOURS = "There is no such memory of yours here. `/memory list` shows the numbers."
MEMORY_OFF = "Memory is switched off here, so nothing is stored."
OPTED_OUT = "You asked not to be remembered here. `/memory optout` with `off` changes that."
OUT = (
    "From now on nothing you say here is stored. What is already stored stays until it is forgotten: "
    "`/memory forget` with `all` erases every fact about you; for messages and notes, ask who runs this bot."
)
IN = "From now on what you say here may be remembered again. `/memory optout` with `on` stops it at any time."
NOTHING_FOUND = "Nothing of what is known about you matches that."
KEPT = "Nothing was forgotten."
NOTHING_SAID = "Nothing has been said here that I have heard, so there is nothing to sum up."
NO_SUMMARY = "The model gave no answer just now. Please try again in a minute."
NOT_YOUR_LINE = "There is no such line in your profile here. `/memory profile` shows the numbers."
WORDED = "Your words stand in the profile now; nothing that is said later changes them."
STRUCK = "The line is out. It comes back only if it is said again."


def line(text: str, length: int = LINE) -> str:
    """Return text in one line."""
    return _cut(" ".join(text.split()), max(length, LINE))


def plain(text: str, length: int = LINE) -> str:
    """Return text that Discord shows as it is, in one line; the marks that keep it from formatting count as well."""
    return _cut(discord.utils.escape_markdown(discord.utils.escape_mentions(line(text, length))), length)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip("\\") + "…"


def facts(shown: Sequence[Fact], *, total: int, page: int, last: int) -> str:
    """Return a page of facts with their numbers."""
    if not shown:
        return "Nothing is known about you here yet."
    head = f"**What is known about you here** ({total}, page {page} of {last})"
    lines = (f"`#{fact.pk}` {plain(fact.text)}" for fact in shown)
    return "\n".join([head, *lines, "`/memory why` shows where one comes from, `/memory forget` erases it."])


def profile(lines: Sequence[tuple[int, str, str]]) -> str:
    """Return the lines of a profile with their numbers, as many as fit."""
    if not lines:
        return "Nothing is in your profile here yet."
    shown = [f"`#{number}` {section}: {plain(text, PROFILE_LINE)}" for number, section, text in lines[:PROFILE_LINES]]
    more = [f"...and {len(lines) - PROFILE_LINES} more"] if len(lines) > PROFILE_LINES else []
    told = "`/memory profile line:... text:...` words one anew, with `remove` it goes."
    return "\n".join(["**Your profile here**", *shown, *more, told])


def summary(text: str, unresolved: Sequence[str]) -> str:
    """Return what a channel is about lately, and what it left open."""
    asked = [f"• {plain(question)}" for question in unresolved]
    return "\n".join([plain(text, 1200), *(["**Not answered yet**", *asked[:3]] if asked else [])])


def why(fact: Fact) -> str:
    """Return what a fact rests on: who said what, when, with a link."""
    sources = list(fact.evidence.all())[:SHOWN_SOURCES]
    head = f"`#{fact.pk}` {plain(fact.text)}\nConfidence {fact.confidence:.0%}, first said {_when(fact)}."
    if not any(source.message for source in sources):
        return f"{head}\nIt was told directly, not learned from a message."
    return "\n".join([head, *(_source(source, fact) for source in sources if source.message)])


def _source(source: Evidence, fact: Fact) -> str:
    message = source.message
    assert message is not None
    guild_id = fact.guild.key.partition(":")[2]
    link = f"https://discord.com/channels/{guild_id}/{message.channel.platform_id}/{message.platform_id}"
    return f"• {plain(str(source.speaker), NAME)}: “{plain(source.quote, QUOTE)}” {link}"


def _when(fact: Fact) -> str:
    return f"<t:{int(fact.said_at.timestamp())}:D>"


def remembered(fact: Fact) -> str:
    """Return that it is remembered, and for whom."""
    where = "" if fact.audience_id is None else " It is used only in this channel, since not everybody can read it."
    return f"Remembered as `#{fact.pk}`: {plain(fact.text)}{where}"


def preview(found: Sequence[tuple[int, str]]) -> str:
    """Return what would be forgotten."""
    lines = [f"`#{number}` {plain(text)}" for number, text in found[:A_PAGE]]
    more = [f"...and {len(found) - A_PAGE} more"] if len(found) > A_PAGE else []
    return "\n".join([f"**Forget {len(found)} for good?**", *lines, *more])


def forgotten(count: int) -> str:
    """Return how many were forgotten."""
    return f"Forgotten: {count}."


def privacy(counts: Mapping[str, int], *, heard: bool, model: str) -> str:
    """Return what is stored and who sees it."""
    reader = f"They are read by the model {model}." if model else "They are read by rules on this server, by no model."
    return "\n".join([
        "**What this bot stores**",
        "The text of messages in the channels it can read, and what it learns from them: facts, notes, profiles. "
        f"Not direct messages, private threads and age-restricted channels. {reader}",
        f"Of you here: messages {counts['messages']}, facts {counts['facts']}, notes {counts['notes']}.",
        "What you say is stored." if heard else "What you say is not stored.",
        "What you delete is forgotten. What is learned in a channel that not everybody can read stays in that channel.",
        "`/memory list` shows the facts about you, `/memory forget` erases them, `/memory optout` stops the storing.",
    ])  # fmt: skip
