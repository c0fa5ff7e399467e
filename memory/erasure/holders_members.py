"""Erases the snapshot, journals and files of a guild, and last of all the member or the guild itself."""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from memory.erasure.holder import Holder, rows_of
from memory.erasure.holders_messages import Messages
from memory.erasure.target import Target
from memory.models import Snapshot
from memory.records import snapshots
from memory.withdrawal import withdraw
from memoryhub import db
from memoryhub.community import identity, tombstones
from memoryhub.community.models import Channel, Guild, Member
from notes.models import Journal


def exports_folder() -> Path:
    """Return where exports lie, in a folder for each guild."""
    return Path(settings.DATA_DIR) / "exports"


def exports_of(guild: int) -> Path:
    """Return where exports of a guild's members lie."""
    return exports_folder() / str(guild)


class Exports(Holder):
    """Exports that were written to disk for a member to fetch; they go after a day."""

    name = "exports"

    def count(self, target: Target) -> int:
        """Return the number of files: other members' may hold the same words, and are made again in a moment."""
        return sum(path.is_file() for path in exports_of(target.guild.pk).rglob("*"))

    def erase(self, target: Target, now: datetime) -> None:
        """Delete every export of the guild."""
        shutil.rmtree(exports_of(target.guild.pk), ignore_errors=True)


class Papers(Holder):
    """Journals and the snapshot, in the database and as files; rendered anew from what the others said."""

    name = "papers"
    models = ("notes.Journal", "memory.Snapshot")

    def rows(self, target: Target) -> QuerySet[Journal]:
        """Return the journals that name the member's account or the channel."""
        member = Q(text__contains=f"({target.member.platform_id})") if target.member else Q()
        channel = Q(pk=None)
        for name in target.guild.channels.filter(pk__in=target.channels).values_list("platform_id", flat=True):
            channel |= Q(text__contains=f"[channel:{name}]")
        return target.select(Journal.objects.of(target.guild), member=member, channel=channel)

    def erase(self, target: Target, now: datetime) -> None:
        """Render journals and snapshot again from what is left; a guild's go."""
        if target.kind == "guild":
            shutil.rmtree(snapshots.folder(target.guild), ignore_errors=True)
            return
        for row in self.rows(target):
            snapshots.render_journal(target.guild, day=row.day, now=now)
        if Snapshot.objects.filter(guild=target.guild).exists():
            snapshots.current_snapshot(target.guild, now=now, refresh=True)


class Reading(Holder):
    """Which channels the bot has seen and how far it has read them: ids, nothing that was said."""

    name = "reading"
    models = ("botrunner.Gap", "botrunner.Backfill", "botrunner.SeenChannels")

    def rows(self, target: Target) -> QuerySet[Any]:
        """Return the plans to read more of a channel's history: that would bring back what is erased now."""
        rows = rows_of("botrunner.Backfill").filter(guild=target.guild.pk)
        channels = Channel.objects.of(target.guild).filter(pk__in=target.channels).values("platform_id")
        return target.select(rows, member=None, channel=Q(channel_id__in=channels))


class Members(Holder):
    """Who somebody is: account, names, when they were seen; of an erased one a keyed hash stays."""

    name = "member"
    models = ("community.Member", "community.Tombstone")

    def rows(self, target: Target) -> QuerySet[Member]:
        """Return the member, or the guild's."""
        rows = Member.objects.of(target.guild)
        return target.select(rows, member=Q(pk=target.member.pk if target.member else None), channel=None)

    def erase(self, target: Target, now: datetime) -> None:
        """Delete the member and put up the tombstone in one transaction, when not a message of theirs is left.

        A direct line or chat of theirs loses its name: platforms name it after who is at the other end.
        """
        for member in self.rows(target):
            with transaction.atomic():
                db.lock_guild(target.guild.pk)
                if target.member:
                    alone = Target(guild=target.guild, member=member)
                    if alone.messages().exists():  # said while the erasure ran
                        Messages().erase(alone, now)
                    withdraw.erase_facts(list(alone.facts()))  # learned while it ran
                    lines = Guild.objects.filter(pk=target.guild.pk, kind=Guild.Kind.DIRECT)
                    lines.filter(pk__in=target.naming(lines, "name")).update(name="")
                    chats = Channel.objects.of(target.guild).filter(kind=Channel.Kind.DIRECT)
                    chats.filter(pk__in=target.naming(chats, "name")).update(name="")
                if target.member or member.remember is False:
                    tombstones.record(member, now=now, names=target.names)
                member.delete()
                if target.member:
                    identity.tell_apart(member)


class Guilds(Holder):
    """The guild, its channels, settings, keys and roles."""

    name = "guild"
    models = ("community.Guild", "community.Channel", "memoryhub.ApiKey", "memoryhub.Role", "memoryhub.Role_guilds")

    def rows(self, target: Target) -> QuerySet[Guild]:
        """Return the guild where it is to go."""
        return target.select(Guild.objects.filter(pk=target.guild.pk), member=None, channel=None)
