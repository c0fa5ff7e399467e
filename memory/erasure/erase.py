"""Erases a member, a channel or a guild: each holder deletes, pages are cleared, a scan checks, a receipt is signed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import cast

from django.db import transaction
from django.db.models import Q

from memory.erasure.fingerprints import Kind, Needles
from memory.erasure.holders_logs import NOBODY
from memory.erasure.receipt import Receipt, sign, verify
from memory.erasure.registry import HOLDERS
from memory.erasure.scan import scan
from memory.erasure.target import Target, needles_folder
from memory.models import Erasure
from memory.records.action_log import log
from memoryhub import db
from memoryhub.community import tombstones
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.search import vectors

REWRITTEN_UP_TO = 256 * 1024 * 1024  # bytes: two or three seconds in which writers wait

Progress = Callable[[str], None]
"""Called with the name of each holder before it erases."""


def erase_member(member: Member, *, now: datetime, by: str, progress: Progress = lambda _holder: None) -> Receipt:
    """Erase all that a member said and all that is known of them; run again after a kill, it completes the first run.

    Call it outside of a transaction: each holder commits as it goes, and SQLite's pages can only be cleared outside.
    """
    return _erase(Target.of(member), now=now, by=by, progress=progress)


def erase_channel(channel: Channel, *, now: datetime, by: str, progress: Progress = lambda _holder: None) -> Receipt:
    """Erase what was said in a channel and its threads, and what came of it; the channel and its switch stay."""
    return _erase(Target.of(channel), now=now, by=by, progress=progress)


def purge_guild(guild: Guild, *, now: datetime, by: str, progress: Progress = lambda _holder: None) -> Receipt:
    """Erase a guild with its settings and keys; who had said no in it stays unheard if it comes back."""
    Guild.objects.filter(pk=guild.pk).update(memory_on=False)  # nothing new while it goes
    return _erase(Target.of(guild), now=now, by=by, progress=progress)


def preview(row: Member | Channel | Guild) -> dict[str, int]:
    """Return how much each holder would erase, by the holder's name."""
    return _counts(Target.of(row))


def resume_erasure(guild: Guild, *, member: str, now: datetime) -> Receipt | None:
    """Finish the erasure of a member whose row is gone already, or return its receipt; None where there was none.

    `member` is the account's id on its platform.
    """
    digest = tombstones.digest(guild, "member", member)
    erasure = Erasure.objects.filter(digest=digest).order_by("-started_at").first()
    if erasure is None:
        return None
    file = needles_folder() / f"{digest}.npz"
    if erasure.finished_at is None:
        return _finish(erasure, _load_needles(file, erasure), file, now=now)
    file.unlink(missing_ok=True)
    return verify(erasure.receipt)


def finish_interrupted(*, now: datetime, before: datetime) -> int:
    """Finish erasures that were begun before this moment and never ended, such as by a kill; return how many."""
    tables: dict[str, type[Member | Channel | Guild]] = {"member": Member, "channel": Channel, "guild": Guild}
    done = 0
    for erasure in Erasure.objects.filter(finished_at=None, started_at__lt=before):
        file = needles_folder() / f"{erasure.digest}.npz"
        needles = _load_needles(file, erasure)
        pk = {"member": needles.member, "channel": needles.channel, "guild": needles.guild}[needles.kind]
        if (row := tables[needles.kind]._default_manager.filter(pk=pk).first()) is not None:
            _erase(Target.of(row), now=now, by=erasure.actor)
        else:
            _finish(erasure, needles, file, now=now)
        done += 1
    running = set(Erasure.objects.filter(finished_at=None).values_list("digest", flat=True))
    for path in needles_folder().glob("*"):  # a kill between the receipt and the deletion of the file leaves one
        if path.stem not in running and path.stat().st_mtime < before.timestamp():
            path.unlink(missing_ok=True)
    return done


def _erase(target: Target, *, now: datetime, by: str, progress: Progress = lambda _holder: None) -> Receipt:
    needles, file = target.needles, target.needles_file
    needles.save(file)  # before anything goes: who finishes it after a kill must know what to look for
    row, _ = Erasure.objects.get_or_create(
        digest=target.digest,
        finished_at=None,
        defaults={"kind": target.kind, "actor": _actor(target, by), "started_at": now, "counts": _counts(target)},
    )
    for holder in HOLDERS:
        progress(holder.name)
        holder.erase(target, now)
    progress("scan")
    return _finish(row, needles, file, now=now)


def _counts(target: Target) -> dict[str, int]:
    return {holder.name: holder.count(target) for holder in HOLDERS}


def _actor(target: Target, by: str) -> str:
    """Return who is noted as having asked: no account that this erasure removes."""
    member = Q(pk=target.member.pk if target.member else None)
    going = target.select(Member.objects.of(target.guild), member=member, channel=None)
    return NOBODY if going.filter(platform_id=by.partition(":")[2]).exists() else by[:100]


def _load_needles(file: Path, erasure: Erasure) -> Needles:
    return Needles.load(file) if file.exists() else Needles(kind=cast("Kind", erasure.kind))


def _finish(erasure: Erasure, needles: Needles, file: Path, *, now: datetime) -> Receipt:
    """Clear, scan and sign; of two that finish the same erasure the first one's receipt stands."""
    rewritten = db.size() <= REWRITTEN_UP_TO
    cleared = clear_pages(rewrite=rewritten)
    result = scan(needles)
    if cleared and not rewritten and any(place.startswith("pages") for place in result.traces):
        cleared = rewritten = clear_pages(rewrite=True)
        result = scan(needles)
    report = result.as_receipt(cleared=cleared, rewritten=cleared and rewritten)
    receipt = sign(Receipt(id=str(erasure.pk), kind=needles.kind, at=now, counts=erasure.counts, scan=report))
    with transaction.atomic():
        if Erasure.objects.filter(pk=erasure.pk, finished_at=None).update(finished_at=now, receipt=receipt.token):
            guild = Guild.objects.filter(pk=needles.guild).first()
            log("erasure", guild=guild, actor=erasure.actor, now=now, erasure=str(erasure.pk), traces=report["traces"])
    file.unlink(missing_ok=True)
    return verify(Erasure.objects.values_list("receipt", flat=True).get(pk=erasure.pk))


def clear_pages(*, rewrite: bool) -> bool:
    """Clear what deleted rows left in the database's files, its vector codes too; False where that can't be now."""
    with vectors.codes_put_aside(rewrite):
        return db.clear_deleted(rewrite=rewrite)
