"""Switches memory on or off: in one channel, or in all of a category, now and when new ones come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from botrunner.actions import texts_moderators
from botrunner.actions.caller import new_cache
from memory.curation.channel_switch import switch_channels
from memoryhub import db
from memoryhub.community import identity
from memoryhub.community.identity import ensure_guild
from memoryhub.community.models import Channel, Guild
from notes.messages.schemas import GuildRef, IncomingChannel


@dataclass(frozen=True)
class Selection:
    """What the caller named: a channel, or a category (its id and name) with the channels in it."""

    channels: Sequence[IncomingChannel]
    category: str = ""
    name: str = ""


@transaction.atomic
def switch(ref: GuildRef, selection: Selection, *, on: bool, actor: str, now: datetime) -> str:
    """Turn memory on or off; threads follow their channel, and new channels of a category follow the category."""
    guild = ensure_guild(key=ref.key, name=ref.name)
    db.lock_guild(guild.pk)
    rows = _rows(guild, selection.channels, now=now)
    if selection.category:
        others = [category for category in guild.off_categories if category != selection.category]
        guild.off_categories = others if on else [*others, selection.category]
        guild.save(update_fields=["off_categories"])
    switch_channels(guild, rows, on=on, actor=actor, now=now)
    return texts_moderators.switched(
        selection.name, on=on, count=len(rows), category=bool(selection.category), guild_on=guild.memory_on
    )


def status(ref: GuildRef, selection: Selection) -> str:
    """Tell whether the channels are remembered, and who may be told what was said there."""
    guild = identity.of_key(ref.key)
    known = {row.platform_id: row for row in Channel.objects.filter(guild=guild).select_related("parent")}
    lines = []
    for channel in selection.channels:
        row = known.get(channel.id) or known.get(channel.parent_id or "")
        on = row.listens if row else True
        lines.append(texts_moderators.channel_line(channel.name, on=on, open_to_all=channel.audience == "guild"))
    return texts_moderators.channel_status(lines, guild_on=guild is None or guild.memory_on)


@transaction.atomic
def follow_category(ref: GuildRef, items: Sequence[tuple[str, IncomingChannel]], *, now: datetime) -> None:
    """Give new channels no memory where their category has none: pairs of a category's id and a channel."""
    guild = identity.of_key(ref.key) if db.lock_guild_of_key(ref.key) else None
    if guild and (off := [channel for category, channel in items if category in guild.off_categories]):
        for row in _rows(guild, off, now=now):
            identity.switch_channel(row, on=False)


def follow_unseen(ref: GuildRef, guilds: Sequence[Sequence[tuple[str, IncomingChannel]]], *, now: datetime) -> None:
    """Do the same for channels that may have come unseen: those that are not known; the others may be switched on."""
    guild = identity.of_key(ref.key)
    if guild and guild.off_categories:
        known = set(Channel.objects.of(guild).values_list("platform_id", flat=True))
        unknown = [(category, each) for pairs in guilds for category, each in pairs if each.id not in known]
        follow_category(ref, unknown, now=now)


def _rows(guild: Guild, channels: Sequence[IncomingChannel], *, now: datetime) -> list[Channel]:
    """Find or make the rows of the channels."""
    cache = new_cache(guild, now=now)
    cache.load(channels={name for channel in channels for name in channel.ids}, members=())
    return [cache.channel(channel.place) for channel in channels]
