"""Stores which channels a guild had when the bot saw it last, and in which category: so what changed unseen shows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TypeAlias

import discord

from botrunner.models import SeenChannels
from memoryhub.community import identity
from notes.messages.schemas import GuildRef

Layout: TypeAlias = dict[str, str]
"""Discord's id of each channel's category, by the channel's own; empty for one that is in none."""


def layout_of(guild: discord.Guild) -> Layout:
    """Return the channels that a guild has now; its categories are none."""
    channels = (each for each in guild.channels if not isinstance(each, discord.CategoryChannel))
    return {str(each.id): str(each.category_id or "") for each in channels}


def seen_in(key: str) -> Layout:
    """Return the channels that were seen last in a guild."""
    row = SeenChannels.objects.filter(guild__key=key).first()
    return row.categories if row else {}


def note(guild: GuildRef, layouts: Sequence[Layout], *, now: datetime) -> None:
    """Handler: note the channels of a guild that is known, as they were seen last."""
    if row := identity.of_key(guild.key):
        SeenChannels.objects.update_or_create(guild=row, defaults={"categories": layouts[-1]})
