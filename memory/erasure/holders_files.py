"""Takes out what people read: journals and the snapshot, rows and files, and exports that lie on disk."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db.models import Q, QuerySet

from memory.erasure.holder import Holder
from memory.erasure.target import Target
from memory.models import Snapshot
from memory.records import snapshots
from notes.models import Journal


def folder_of_all() -> Path:
    """Return where exports lie."""
    return Path(settings.DATA_DIR) / "exports"


def exports(guild: int) -> Path:
    """Return where exports of a guild's members lie."""
    return folder_of_all() / str(guild)


def _files(folder: Path) -> Iterable[Path]:
    return [path for path in folder.rglob("*") if path.is_file()] if folder.exists() else []


# --- Journals and snapshot ---------------------------------------------------------------------------------------


def _journals(target: Target) -> QuerySet[Journal]:
    rows = Journal.objects.of(target.guild)
    if target.member:
        return rows.filter(Q(text__contains=f"({target.member.platform_id})"))
    if target.channel:
        ids = target.guild.channels.filter(pk__in=target.channels).values_list("platform_id", flat=True)
        named = Q(pk=None)
        for each in ids:
            named |= Q(text__contains=f"[channel:{each}]")
        return rows.filter(named)
    return rows


def _erase_papers(target: Target, now: datetime) -> None:
    """Render the papers anew from what is left; a guild's go."""
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


# --- Exports -----------------------------------------------------------------------------------------------------


def _erase_exports(target: Target, _now: datetime) -> None:
    """Delete every export of the guild: others' may retell it, and are made anew in a moment."""
    shutil.rmtree(exports(target.guild.pk), ignore_errors=True)


EXPORTS = Holder(
    name="exports",
    holds="Exports that were written to disk for a member to fetch; they go after a day.",
    models=(),
    count=lambda target: len(list(_files(exports(target.guild.pk)))),
    erase=_erase_exports,
)
