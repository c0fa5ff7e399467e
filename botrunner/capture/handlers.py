"""What the bot has the domain do: each errand takes what piled up for one guild, and running it twice is safe."""

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
from memoryhub.community.consent import remembers_account
from memoryhub.community.identity import CommunityCache, GuildUnknown, Place, ensure_guild, find_guild
from memoryhub.community.models import Guild
from memoryhub.errors import NotFound
from notes.messages.schemas import GuildRef, IncomingChannel, IncomingMessage
from notes.models import Message

DELETED_AT_ONCE = 200
"""Messages a transaction: a deleted thread of thousands must not keep what is said meanwhile waiting."""


@dataclass(frozen=True)
class Heard:
    """A message, with the channel that its thread hangs on and what its guild must want for it to be kept.

    An unknown one that is edited late is not taken in. `behind` is the account that speaks through a proxy.
    """

    message: IncomingMessage
    parent: IncomingChannel | None = None
    needs: Sequence[str] = ()
    behind: str = ""
    late: bool = False


WANTED: dict[str, Callable[[Guild, Heard], bool]] = {
    "private_thread": lambda guild, _: guild.hears_private_threads,
    "nsfw": lambda guild, _: guild.hears_nsfw,
    "no_entry": lambda guild, _: not guild.heeds_no_entry,
    "unaddressed": lambda guild, _: not guild.addressed_only,
    "proxied": lambda guild, item: guild.hears_proxies and bool(item.behind),
}
"""What a guild's settings say to each thing that a message may need (botrunner.capture.filters.IF_WANTED)."""


@transaction.atomic
def receive(guild: GuildRef, items: Sequence[Heard], *, now: datetime) -> None:
    """Take messages in; of other bots and webhooks only those that the guild's list names."""
    place = _known(guild) or Guild(key=guild.key)
    items = [item for item in items if not _refused(place, item)]
    if not items:
        return
    pipeline.receive_many([item.message for item in items], guild=guild, now=now)
    parents = {item.parent.id: item.parent for item in items if item.parent}
    if parents:
        refresh(guild, list(parents.values()), now=now)


def _refused(guild: Guild, item: Heard) -> str:
    """Return why this guild does not keep the message; the pipeline asks the rest, such as its author's consent."""
    author = item.message.author
    if author.is_bot and author.id not in guild.heard_bots:
        return "bot"
    if item.behind and not remembers_account(guild, item.behind):
        return "opted_out"
    return next((name for name in item.needs if not WANTED[name](guild, item)), "")


def hears_proxies(guild: GuildRef) -> bool:
    """Tell whether it is worth asking whose words a proxy posted."""
    place = _known(guild)
    return place is not None and place.hears_proxies


def count_withheld(guild: GuildRef, items: Sequence[int], *, now: datetime) -> None:
    """Count messages whose text Discord withheld, for the page that says what is wrong."""
    place = ensure_guild(key=guild.key, name=guild.name)
    skipped.add_counts(place, kind=LeftOut.Kind.MESSAGE, reasons={skipped.WITHHELD: sum(items)}, now=now)


def edit(guild: GuildRef, items: Sequence[Heard], *, now: datetime) -> None:
    """Rewrite messages; one that is not known is taken in if it is new: its edit may overtake it.

    What is stored follows its edit whatever the guild wants today, but a no-entry sign takes the text back.
    """
    place = _known(guild) or Guild(key=guild.key)
    for item in items:
        refused = _refused(place, item)
        if refused == "no_entry":
            delete(guild, [item.message.message_id], now=now)
            continue
        try:
            pipeline.edit(find_guild(guild.key), message_id=item.message.message_id, text=item.message.text, now=now)
        except NotFound:
            if not item.late and not refused:
                receive(guild, [item], now=now)


def delete(guild: GuildRef, message_ids: Sequence[str], *, now: datetime) -> None:
    """Forget what deleted messages said."""
    if place := _known(guild):
        pipeline.delete(place, message_ids=message_ids, now=now)


def delete_channels(guild: GuildRef, channel_ids: Sequence[str], *, now: datetime) -> None:
    """Forget what was said in deleted channels and their threads."""
    place = _known(guild)
    if place is None:
        return
    said_there = Q(channel__platform_id__in=channel_ids) | Q(channel__parent__platform_id__in=channel_ids)
    left = Message.objects.of(place).filter(said_there, deleted_at=None).values_list("platform_id", flat=True)
    while message_ids := list(left[:DELETED_AT_ONCE]):
        pipeline.delete(place, message_ids=message_ids, now=now)


@transaction.atomic
def refresh(guild: GuildRef, channels: Sequence[IncomingChannel], *, now: datetime) -> None:
    """Bring the names and audiences of channels that are known up to date; a channel nobody spoke in stays unknown."""
    place = _known(guild)
    if place is None:
        return
    cache = CommunityCache(place, move=partial(change_audience, now=now))
    named = {name for channel in channels for name in (channel.id, channel.parent_id) if name}
    cache.load(channels=named, members=())
    for channel in channels:
        if channel.id in cache.channels:
            cache.channel(Place(**channel.model_dump()))


def rename(guild: GuildRef, _items: Sequence[None], *, now: datetime) -> None:
    """Bring the name of a guild that is known up to date."""
    if _known(guild):
        ensure_guild(key=guild.key, name=guild.name)


def leave(guild: GuildRef, _items: Sequence[None], *, now: datetime) -> None:
    """Note that the bot was removed from a guild."""
    if place := _known(guild):
        left_guilds.bot_left(place, now=now)


def miss(guild: GuildRef, bots: Sequence[str], *, now: datetime) -> None:
    """Note that the bot is no longer in a guild that it was in; others came by an import, or by another bot."""
    place = _known(guild)
    if place and set(bots) & set(place.own_bots):
        left_guilds.bot_left(place, now=now)


@transaction.atomic
def come_back(guild: GuildRef, bots: Sequence[str], *, now: datetime) -> None:
    """Note that the bot is in a guild; its own words are never learned from there."""
    place = _known(guild)
    if place is None:
        return
    left_guilds.bot_returned(place, now=now)
    if set(bots) - set(place.own_bots):
        place.own_bots = sorted({*place.own_bots, *bots})
        place.heard_bots = [name for name in place.heard_bots if name not in place.own_bots]
        place.save(update_fields=["own_bots", "heard_bots"])


def _known(guild: GuildRef) -> Guild | None:
    try:
        return find_guild(guild.key)
    except GuildUnknown:
        return None
