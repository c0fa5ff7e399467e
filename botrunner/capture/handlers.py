"""Writes what the bot heard: each handler takes what piled up for one guild, and running it twice is safe."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import Q

from memory import pipeline
from memory.erasure import left_guilds
from memory.models import LeftOut
from memory.records import skipped
from memory.withdrawal.close_channel import change_audience
from memoryhub import db
from memoryhub.community.consent import remembers_account
from memoryhub.community.identity import CommunityCache, ensure_guild, find_guild, of_key
from memoryhub.community.models import Guild
from memoryhub.errors import NotFound
from notes.messages.schemas import GuildRef, IncomingChannel, IncomingMessage
from notes.models import Message

DELETED_AT_ONCE = 200
"""Messages a transaction: a deleted thread of thousands must not keep what is said meanwhile waiting."""


@dataclass(frozen=True)
class IncomingEvent:
    """A message, with the channel that its thread hangs on and what its guild must want for it to be kept.

    A late edit of an unknown message is not taken in. `account` is who speaks through a proxy.
    """

    message: IncomingMessage
    parent: IncomingChannel | None = None
    needs: Sequence[str] = ()
    account: str = ""
    late: bool = False


WANTED: dict[str, Callable[[Guild], bool]] = {
    "private_thread": lambda guild: guild.hears_private_threads,
    "nsfw": lambda guild: guild.hears_nsfw,
    "no_entry": lambda guild: not guild.heeds_no_entry,
    "unaddressed": lambda guild: not guild.addressed_only,
    "proxied": lambda guild: guild.hears_proxies,
}
"""What a guild's settings say to each thing that a message may need (botrunner.capture.filters.IF_WANTED)."""


@transaction.atomic
def receive(guild: GuildRef, events: Sequence[IncomingEvent], *, now: datetime) -> None:
    """Take messages in; of other bots and webhooks only those that the guild's list names."""
    row = of_key(guild.key) or Guild(key=guild.key)
    events = [event for event in events if not _refusal(row, event)]
    if not events:
        return
    pipeline.receive_many([event.message for event in events], guild=guild, now=now)
    parents = {event.parent.id: event.parent for event in events if event.parent}
    if parents:
        refresh(guild, list(parents.values()), now=now)


def _refusal(guild: Guild, event: IncomingEvent) -> str:
    """Return why this guild does not keep the message; the pipeline checks the rest, such as its author's consent."""
    author = event.message.author
    if author.is_bot and author.id not in guild.heard_bots:
        return "bot"
    if event.account and not remembers_account(guild, event.account):
        return "opted_out"
    nobodys = "proxied" in event.needs and not event.account
    return unwanted(guild, event.needs) or ("proxied" if nobodys else "")


def unwanted(guild: Guild, needs: Sequence[str]) -> str:
    """Return the first of these needs that the guild's settings do not meet, "" if they meet all."""
    return next((name for name in needs if not WANTED[name](guild)), "")


def hears_proxies(guild: GuildRef) -> bool:
    """Tell whether it is worth asking whose words a proxy posted."""
    row = of_key(guild.key)
    return row is not None and row.hears_proxies


def count_withheld(guild: GuildRef, counts: Sequence[int], *, now: datetime) -> None:
    """Count messages whose text Discord withheld, for the page that says what is wrong."""
    row = ensure_guild(key=guild.key, name=guild.name)
    skipped.add_counts(row, kind=LeftOut.Kind.MESSAGE, reasons={skipped.WITHHELD: sum(counts)}, now=now)


def edit(guild: GuildRef, events: Sequence[IncomingEvent], *, now: datetime) -> None:
    """Rewrite messages; one that is not known is taken in if it is new: its edit may overtake it.

    What is stored follows its edit whatever the guild wants today, but a no-entry sign takes the text back.
    """
    row = of_key(guild.key) or Guild(key=guild.key)
    for event in events:
        refusal = _refusal(row, event)
        if refusal == "no_entry":
            delete(guild, [event.message.message_id], now=now)
            continue
        try:
            pipeline.edit(find_guild(guild.key), message_id=event.message.message_id, text=event.message.text, now=now)
        except NotFound:
            if not event.late and not refusal:
                receive(guild, [event], now=now)


def delete(guild: GuildRef, message_ids: Sequence[str], *, now: datetime) -> None:
    """Forget what deleted messages said."""
    if row := of_key(guild.key):
        pipeline.delete(row, message_ids=message_ids, now=now)


def delete_channels(guild: GuildRef, channel_ids: Sequence[str], *, now: datetime) -> None:
    """Forget what was said in deleted channels and their threads."""
    if (row := of_key(guild.key)) is None:
        return
    there = Q(channel__platform_id__in=channel_ids) | Q(channel__parent__platform_id__in=channel_ids)
    left = Message.objects.of(row).filter(there, deleted_at=None).values_list("platform_id", flat=True)
    while message_ids := list(left[:DELETED_AT_ONCE]):
        pipeline.delete(row, message_ids=message_ids, now=now)


@transaction.atomic
def refresh(guild: GuildRef, channels: Sequence[IncomingChannel], *, now: datetime) -> None:
    """Bring the names and audiences of channels that are known up to date; a channel nobody spoke in stays unknown."""
    if not db.lock_guild_of_key(guild.key) or (row := of_key(guild.key)) is None:
        return
    cache = CommunityCache(row, move=partial(change_audience, now=now))
    cache.load(channels={name for channel in channels for name in channel.ids}, members=())
    for channel in channels:
        if channel.id in cache.channels:
            cache.channel(channel.place)


def rename(guild: GuildRef, _items: Sequence[None], *, now: datetime) -> None:
    """Bring the name of a guild that is known up to date."""
    if of_key(guild.key):
        ensure_guild(key=guild.key, name=guild.name)


def bot_left(guild: GuildRef, _items: Sequence[None], *, now: datetime) -> None:
    """Note that the bot was removed from a guild."""
    if row := of_key(guild.key):
        left_guilds.bot_left(row, now=now)


def bot_absent(guild: GuildRef, bots: Sequence[str], *, now: datetime) -> None:
    """Note that the bot is no longer in a guild that it was in; others came by an import, or by another bot."""
    row = of_key(guild.key)
    if row and set(bots) & set(row.own_bots):
        left_guilds.bot_left(row, now=now)


@transaction.atomic
def bot_returned(guild: GuildRef, bots: Sequence[str], *, now: datetime) -> None:
    """Note that the bot is in a guild; its own words are never learned from there."""
    if db.lock_guild_of_key(guild.key) and (row := of_key(guild.key)):
        left_guilds.bot_returned(row, now=now)
        add_own_bots(row, bots)


def add_own_bots(guild: Guild, bots: Sequence[str]) -> None:
    """Note that these accounts are our own bots: what they say is never learned from."""
    if set(bots) - set(guild.own_bots):
        guild.own_bots = sorted({*guild.own_bots, *bots})
        guild.heard_bots = [name for name in guild.heard_bots if name not in guild.own_bots]
        guild.save(update_fields=["own_bots", "heard_bots"])
