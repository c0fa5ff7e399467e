"""What the bot has the domain do: each errand takes what piled up for one guild, and running it twice is safe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from memory import pipeline
from notes.incoming import GuildRef, IncomingChannel, IncomingMessage
from notes.intake import MessageUnknown
from notes.models import Message
from profiles.identity import GuildUnknown, Place, Register, find_guild
from profiles.models import Guild

DELETED_AT_ONCE = 200
"""Messages a transaction: a deleted thread of thousands must not keep what is said meanwhile waiting."""


@dataclass(frozen=True)
class Heard:
    """A message, with the channel that its thread hangs on; an unknown one that is edited late is not taken in."""

    message: IncomingMessage
    parent: IncomingChannel | None = None
    late: bool = False


def receive(guild: GuildRef, items: Sequence[Heard], *, now: datetime) -> None:
    """Take messages in; of other bots and webhooks only those that the guild's list names."""
    items = _admitted(guild, items)
    if not items:
        return
    pipeline.receive_many([item.message for item in items], guild=guild, now=now)
    parents = {item.parent.id: item.parent for item in items if item.parent}
    if parents:
        refresh(guild, list(parents.values()), now=now)


def _admitted(guild: GuildRef, items: Sequence[Heard]) -> list[Heard]:
    place = _known(guild) if any(item.message.author.is_bot for item in items) else None
    heard = place.heard_bots if place else []
    return [item for item in items if not item.message.author.is_bot or item.message.author.id in heard]


def edit(guild: GuildRef, items: Sequence[Heard], *, now: datetime) -> None:
    """Rewrite messages; one that is not known is taken in if it is new: its edit may overtake it."""
    for item in items:
        try:
            pipeline.edit(find_guild(guild.key), message_id=item.message.message_id, text=item.message.text, now=now)
        except (GuildUnknown, MessageUnknown):
            if not item.late:
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
    register = Register(place)
    named = {name for channel in channels for name in (channel.id, channel.parent_id) if name}
    register.load(channels=named, members=())
    for channel in channels:
        if channel.id in register.channels:
            register.channel(Place(**channel.model_dump()))


def _known(guild: GuildRef) -> Guild | None:
    try:
        return find_guild(guild.key)
    except GuildUnknown:
        return None
