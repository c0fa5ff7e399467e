"""Erases what people read: journals and the snapshot, rows and files, and exports that lie on disk."""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db.models import Q, QuerySet

from memory.erasure.holder import Holder
from memory.erasure.target import Target
from memory.models import Snapshot
from memory.records import snapshots
from notes.models import Journal


def exports_folder() -> Path:
    """Return where exports lie, in a folder for each guild."""
    return Path(settings.DATA_DIR) / "exports"


def exports_of(guild: int) -> Path:
    """Return where exports of a guild's members lie."""
    return exports_folder() / str(guild)


def _journals(target: Target) -> QuerySet[Journal]:
    member = Q(text__contains=f"({target.member.platform_id})") if target.member else Q()
    channel = Q(pk=None)
    for name in target.guild.channels.filter(pk__in=target.channels).values_list("platform_id", flat=True):
        channel |= Q(text__contains=f"[channel:{name}]")
    return target.select(Journal.objects.of(target.guild), member=member, channel=channel)


def _erase_papers(target: Target, now: datetime) -> None:
    """Render journals and snapshot again from what is left; a guild's go."""
    if target.kind == "guild":
        shutil.rmtree(snapshots.folder(target.guild), ignore_errors=True)
        return
    for row in _journals(target):
        snapshots.render_journal(target.guild, day=row.day, now=now)
    if Snapshot.objects.filter(guild=target.guild).exists():
        snapshots.current_snapshot(target.guild, now=now, refresh=True)


PAPERS = Holder(
    name="papers",
    holds="Journals and the snapshot, in the database and as files; rendered anew from what the others said.",
    models=("notes.Journal", "memory.Snapshot"),
    count=lambda target: _journals(target).count(),
    erase=_erase_papers,
)

# Every export of the guild goes: other members' may hold the same words, and are made again in a moment.
EXPORTS = Holder(
    name="exports",
    holds="Exports that were written to disk for a member to fetch; they go after a day.",
    models=(),
    count=lambda target: sum(path.is_file() for path in exports_of(target.guild.pk).rglob("*")),
    erase=lambda target, _now: shutil.rmtree(exports_of(target.guild.pk), ignore_errors=True),
)
