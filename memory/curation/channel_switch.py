"""Turns the memory of channels on or off for a person, and writes that down."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from memory.records.action_log import log
from memoryhub import db
from memoryhub.community import identity
from memoryhub.community.models import Channel, Guild


@transaction.atomic
def switch_channels(guild: Guild, channels: Sequence[Channel], *, on: bool, actor: str, now: datetime) -> None:
    """Turn the memory of a guild's channels on or off; what is stored stays until it is forgotten."""
    db.lock_guild(guild.pk)
    for channel in channels:
        identity.switch_channel(channel, on=on)
    log("channel_switch", guild=guild, actor=actor, now=now, on=on, channels=[channel.pk for channel in channels])
