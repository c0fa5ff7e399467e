"""Erases the member or the guild itself, last of all; and the plan to read more of a channel's history."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from memory.erasure.holder import Holder, counting, deleting
from memory.erasure.holders_logs import rows_of
from memory.erasure.holders_messages import MESSAGES
from memory.erasure.target import Target
from memoryhub.community import tombstones
from memoryhub.community.models import Channel, Guild, Member


def _backfills(target: Target) -> QuerySet[Any]:
    rows = rows_of("botrunner.Backfill").filter(guild=target.guild.pk)
    channels = Channel.objects.of(target.guild).filter(pk__in=target.channels).values("platform_id")
    return target.select(rows, member=None, channel=Q(channel_id__in=channels))


# Reading more of a channel's history would bring back what is erased now.
READING = Holder(
    name="reading",
    holds="How far the bot has read a channel: ids of messages, nothing they say.",
    models=("botrunner.Gap", "botrunner.Backfill"),
    count=counting(_backfills),
    erase=deleting(_backfills),
)


def _members(target: Target) -> QuerySet[Member]:
    rows = Member.objects.of(target.guild)
    return target.select(rows, member=Q(pk=target.member.pk if target.member else None), channel=None)


def _erase_members(target: Target, now: datetime) -> None:
    """Delete the member and put up the tombstone in one transaction, when not a message of theirs is left.

    A direct line or chat of theirs loses its name: platforms name it after who is at the other end.
    """
    for member in _members(target):
        with transaction.atomic():
            erased = Target(guild=target.guild, member=member)
            if target.member and erased.messages().exists():  # said while the erasure ran
                MESSAGES.erase(erased, now)
            if target.member:
                lines = Guild.objects.filter(pk=target.guild.pk, kind=Guild.Kind.DIRECT, name__regex=target.naming)
                lines.update(name="")
                chats = Channel.objects.of(target.guild).filter(kind=Channel.Kind.DIRECT, name__regex=target.naming)
                chats.update(name="")
            if target.member or member.remember is False:
                tombstones.record(member, now=now, names=[name for name in target.names if name != member.platform_id])
            member.delete()


MEMBERS = Holder(
    name="member",
    holds="Who somebody is: account, names, when they were seen; of an erased one a keyed hash stays.",
    models=("community.Member", "community.Tombstone"),
    count=counting(_members),
    erase=_erase_members,
)


def _guilds(target: Target) -> QuerySet[Guild]:
    return target.select(Guild.objects.filter(pk=target.guild.pk), member=None, channel=None)


GUILDS = Holder(
    name="guild",
    holds="The guild, its channels, settings, keys and roles.",
    models=(
        "community.Guild", "community.Channel", "memoryhub.ApiKey", "memoryhub.Role", "memoryhub.Role_guilds",
    ),
    count=counting(_guilds),
    erase=deleting(_guilds),
)  # fmt: skip
