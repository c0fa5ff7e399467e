"""What the bot answers those who run a server, as text for Discord."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from botrunner.actions.escape import plain
from memory.curation.statistics import Overview
from memory.erasure.erasure_progress import held

SHOWN_CHANNELS = 15
A_CHANNEL = 60  # characters of its name

UNKNOWN = "Nothing is known of them here, so there is nothing to do. Name another member."
UNKNOWN_GUILD = "Nothing is stored of this server yet: nobody said anything that I have heard."
DIGESTING = "Conversations ended: {count}. The worker turns them into memory within a few minutes."
REBUILDING = "Profiles to be rebuilt: {count}. The worker begins within a minute."
NOTHING_TO_REBUILD = "There is no profile to be rebuilt yet. Profiles are written when conversations end."
NOTHING_DONE = "Nothing was erased."
WRONG_NAME = "That is not this server's name, so nothing was erased. Write it exactly as it stands: {name}"
NOT_READABLE = "Name a channel or a thread that you can read yourself."
BOT_MAY_NOT_READ = "The bot may not read that channel's history. Give it View Channel and Read Message History there."
ALL_OFF = "Memory is switched off in the whole server."
THEN_THEIRS = "What they say afterwards is stored as before, unless they opt out or are blocked in the dashboard."
THEN_ALL = (
    "The settings go too, so what is said afterwards is stored as in a new server, also in channels where memory is "
    "off today. Remove the bot if nothing more is to be stored."
)
NO_CHANNEL = "There is no channel in that category. Name another one, or a channel."
NOTHING_READ = "Nothing was read."
NOTHING_TO_READ = "Nothing was said there yet that could be read, and it has no threads."
NOT_BACKFILLED = "No channel's older history was asked for yet. `/memory backfill` with `start` asks for one."


def overview(found: Overview) -> str:
    """Return how much is known of a guild, and what waits."""
    known, doing = found.totals, found.activity
    return "\n".join([
        "**The memory of this server**",
        f"Channels {known.channels}, members {known.members}, messages {known.messages}, memories {known.facts}, "
        f"notes {known.notes}.",
        f"Open conversations {doing.open_count}, waiting to be processed {doing.waiting_buffers}, "
        f"messages not read yet {doing.unread_messages}.",
        f"Failed: conversations {doing.parked_buffers}, messages {doing.parked_messages}, "
        f"profiles {doing.parked_profiles}. The dashboard's page Jobs tries them again.",
    ])  # fmt: skip


def erasing(what: str, planned: Mapping[str, int], *, then: str) -> str:
    """Return the question before everything of somebody, or of a guild, goes; `then` is what holds afterwards."""
    counts = (
        ", ".join(f"{'servers' if name == 'guild' else held(name)} {count}" for name, count in planned.items() if count)
        or "nothing"
    )
    return f"**Erase all that is stored of {plain(what, 100)}, for good?**\nStored: {counts[:1500]}.\n{then}"


def erased(what: str, receipt: str) -> str:
    """Return that it is gone, with the proof."""
    return f"All that was stored of {plain(what, 100)} is erased. The receipt, which proves it:\n```\n{receipt}\n```"


def erasing_still(what: str, number: str) -> str:
    """Return that it takes longer."""
    return (
        f"Erasing {plain(what, 100)} takes longer than a minute and goes on by itself. Its number is `{number}`: "
        "whoever runs this bot finds the receipt under it."
    )


# --- Channels ------------------------------------------------------------------------------------------------------


def switched(name: str, *, on: bool, count: int, category: bool, guild_on: bool) -> str:
    """Return what a switch of memory means from now on."""
    named = plain(name, A_CHANNEL)
    what = f"all channels of {named} ({count}), and new ones," if category else f"#{named}"
    if on and not guild_on:
        return f"{ALL_OFF} Once it is switched on there, in the dashboard, what is said in {what} may be remembered."
    if on:
        return f"From now on what is said in {what} may be remembered. Threads follow their channel."
    return (
        f"From now on nothing said in {what} is stored, threads included. What is stored already stays: "
        "it can be forgotten by its authors, or in the dashboard."
    )


def channel_line(name: str, *, on: bool, open_to_all: bool) -> str:
    """Return one channel: whether it is remembered, and who may be told."""
    where = "everywhere in this server" if open_to_all else "only there and in its threads"
    state = f"remembered; what is said there may be used {where}" if on else "not remembered"
    return f"#{plain(name, A_CHANNEL)}: {state}"


def channel_status(lines: Sequence[str], *, guild_on: bool) -> str:
    """Return the channels asked for, as many as fit."""
    head = [] if guild_on else [ALL_OFF]
    more = [f"...and {len(lines) - SHOWN_CHANNELS} more"] if len(lines) > SHOWN_CHANNELS else []
    return "\n".join([*head, *lines[:SHOWN_CHANNELS], *more]) or NO_CHANNEL
