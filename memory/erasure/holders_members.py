"""Takes out the rows of who and where themselves, last of all: the member, the guild; and what is still to be read."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from memory.erasure.holder import Holder
from memory.erasure.holders_logs import model
from memory.erasure.holders_messages import MESSAGES
from memory.erasure.target import Target
from memoryhub.community import tombstones
from memoryhub.community.models import Channel, Guild, Member


def _waits(target: Target, label: str) -> QuerySet[Any]:
    rows = model(label)._default_manager.filter(guild=target.guild.pk)
    places = Channel.objects.of(target.guild).filter(pk__in=target.channels).values("platform_id")
    return rows.none() if target.member else rows.filter(channel_id__in=places) if target.channel else rows


def _erase_waits(target: Target, _now: datetime) -> None:
    """Read no more of a channel's history: it would bring back what goes now."""
    _waits(target, "botrunner.Backfill").delete()


READING = Holder(
    name="reading",
    holds="How far the bot has read a channel: ids of messages, nothing they say.",
    models=("botrunner.Gap", "botrunner.Backfill"),
    count=lambda target: _waits(target, "botrunner.Backfill").count(),
    erase=_erase_waits,
)


def _members(target: Target) -> QuerySet[Member]:
    rows = Member.objects.of(target.guild)
    return rows.filter(pk=target.member.pk) if target.member else rows.none() if target.channel else rows


def _erase_members(target: Target, now: datetime) -> None:
    """Delete the member and put up the tombstone in one transaction, when not a message of theirs is left."""
    for member in _members(target):
        with transaction.atomic():
            one = Target(guild=target.guild, member=member)
            if target.member and one.messages().exists():  # said while the erasure ran
                MESSAGES.erase(one, now)
            if target.member:
                _unname_direct_places(target)
            if target.member or member.remember is False:
                tombstones.put_up(member, now=now, names=[name for name in target.names if name != member.platform_id])
            member.delete()


def _unname_direct_places(target: Target) -> None:
    """Take the member's name off their own direct line or chat: platforms name it after who is at the other end."""
    Guild.objects.filter(pk=target.guild.pk, kind=Guild.Kind.DIRECT, name__regex=target.naming).update(name="")
    chats = Channel.objects.of(target.guild).filter(kind=Channel.Kind.DIRECT, name__regex=target.naming)
    chats.update(name="")


MEMBERS = Holder(
    name="member",
    holds="Who somebody is: account, names, when they were seen; of an erased one a keyed hash stays.",
    models=("community.Member", "community.Tombstone"),
    count=lambda target: _members(target).count(),
    erase=_erase_members,
)


def _guilds(target: Target) -> QuerySet[Guild]:
    return Guild.objects.filter(pk=target.guild.pk) if target.kind == "guild" else Guild.objects.none()


def _erase_guild(target: Target, _now: datetime) -> None:
    _guilds(target).delete()


GUILDS = Holder(
    name="guild",
    holds="The guild, its channels, settings, keys and roles.",
    models=(
        "community.Guild", "community.Channel", "memoryhub.ApiKey", "memoryhub.Role", "memoryhub.Role_guilds",
    ),
    count=lambda target: _guilds(target).count(),
    erase=_erase_guild,
)  # fmt: skip
