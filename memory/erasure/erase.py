"""Erases a member, a channel or a guild: holders let go, pages are cleared, a scan looks, a receipt is signed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import get_args

from django.db import transaction

from memory.erasure import target as targets
from memory.erasure.fingerprints import Kind, Needles
from memory.erasure.holders_logs import NOBODY
from memory.erasure.receipt import Receipt, sign, verify
from memory.erasure.registry import HOLDERS
from memory.erasure.scan import Found, scan
from memory.erasure.target import Target
from memory.models import Erasure
from memory.records.action_log import log
from memoryhub import db
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.search import vectors

REWRITTEN_UP_TO = 256 * 1024 * 1024  # bytes: two or three seconds in which writers wait

Progress = Callable[[str], None]
"""Told which holder is at work."""


def erase_member(member: Member, *, now: datetime, by: str, progress: Progress = lambda _holder: None) -> Receipt:
    """Erase all that a member said and all that is known of them; run again after a kill, it goes on.

    Call it outside of a transaction: each holder commits as it goes, and SQLite's pages can only be cleared outside.
    """
    return _erase(targets.of_member(member), now=now, by=by, progress=progress)


def erase_channel(channel: Channel, *, now: datetime, by: str, progress: Progress = lambda _holder: None) -> Receipt:
    """Erase what was said in a channel and its threads, and what came of it; the channel and its switch stay."""
    return _erase(targets.of_channel(channel), now=now, by=by, progress=progress)


def purge_guild(guild: Guild, *, now: datetime, by: str, progress: Progress = lambda _holder: None) -> Receipt:
    """Erase a guild with its settings and keys; who had said no in it stays unheard if it comes back."""
    Guild.objects.filter(pk=guild.pk).update(memory_on=False)  # nothing new while it goes
    return _erase(targets.of_guild(guild), now=now, by=by, progress=progress)


def preview(what: Member | Channel | Guild) -> dict[str, int]:
    """Return how much each holder would let go of."""
    return _counts(_target(what))


def resume_erasure(guild: Guild, *, member: str, now: datetime) -> Receipt | None:
    """Finish the erasure of a member whose row is gone already, or return its receipt; None where there was none."""
    digest = targets.digest(guild, "member", member)
    row = Erasure.objects.filter(digest=digest).order_by("-started_at").first()
    if row is None:
        return None
    file = targets.folder() / f"{digest}.npz"
    if row.finished_at is None:
        return _finish(row, _noted(file, row), file, now=now)
    file.unlink(missing_ok=True)
    return verify(row.receipt)


def finish_interrupted(*, now: datetime, before: datetime) -> int:
    """Finish erasures that were begun before this moment and never ended, such as by a kill; return how many."""
    done = 0
    for row in Erasure.objects.filter(finished_at=None, started_at__lt=before):
        file = targets.folder() / f"{row.digest}.npz"
        needles = _noted(file, row)
        found = _still_there(needles)
        if found is not None:
            _erase(_target(found), now=now, by=row.actor)
        else:
            _finish(row, needles, file, now=now)
        done += 1
    _drop_leftovers(before)
    return done


def _drop_leftovers(before: datetime) -> None:
    """Delete what was looked for where a kill came between the receipt and this."""
    running = set(Erasure.objects.filter(finished_at=None).values_list("digest", flat=True))
    for path in targets.folder().glob("*"):
        if path.stem not in running and path.stat().st_mtime < before.timestamp():
            path.unlink(missing_ok=True)


def _still_there(needles: Needles) -> Member | Channel | Guild | None:
    tables: dict[str, type[Member | Channel | Guild]] = {"member": Member, "channel": Channel, "guild": Guild}
    row = {"member": needles.member, "channel": needles.channel, "guild": needles.guild}[needles.kind]
    return tables[needles.kind]._default_manager.filter(pk=row).first()


def _target(what: Member | Channel | Guild) -> Target:
    if isinstance(what, Member):
        return targets.of_member(what)
    return targets.of_channel(what) if isinstance(what, Channel) else targets.of_guild(what)


def _erase(target: Target, *, now: datetime, by: str, progress: Progress = lambda _holder: None) -> Receipt:
    needles, file = target.needles, target.needles_file
    needles.save(file)  # before anything goes: who goes on after a kill must know what to look for
    row, _ = Erasure.objects.get_or_create(
        digest=target.digest,
        finished_at=None,
        defaults={"kind": target.kind, "actor": _signed(target, by), "started_at": now, "counts": _counts(target)},
    )
    for holder in HOLDERS:
        progress(holder.name)
        holder.erase(target, now)
    progress("scan")
    return _finish(row, needles, file, now=now)


def _counts(target: Target) -> dict[str, int]:
    return {holder.name: holder.count(target) for holder in HOLDERS}


def _signed(target: Target, by: str) -> str:
    """Return who is noted as having asked: no account that is erased herewith."""
    going = Member.objects.of(target.guild)
    going = going.filter(pk=target.member.pk) if target.member else going.none() if target.channel else going
    return NOBODY if going.filter(platform_id=by.partition(":")[2]).exists() else by[:100]


def _noted(file: Path, row: Erasure) -> Needles:
    return (
        Needles.load(file) if file.exists() else Needles(kind=next(kind for kind in get_args(Kind) if kind == row.kind))
    )


# --- The end: pages, scan, receipt -------------------------------------------------------------------------------


def _finish(row: Erasure, needles: Needles, file: Path, *, now: datetime) -> Receipt:
    """Clear, scan and sign; of two that finish the same erasure the first one's receipt stands."""
    rewritten = db.size() <= REWRITTEN_UP_TO
    cleared = _clear(rewrite=rewritten)
    found = scan(needles)
    if cleared and not rewritten and _in_pages(found):
        cleared = rewritten = _clear(rewrite=True)
        found = scan(needles)
    said = found.as_receipt(cleared=cleared, rewritten=cleared and rewritten)
    receipt = sign(Receipt(id=str(row.pk), kind=needles.kind, at=now, counts=row.counts, scan=said))
    unfinished = Erasure.objects.filter(pk=row.pk, finished_at=None)
    with transaction.atomic():
        if unfinished.update(finished_at=now, receipt=receipt.token):
            place = Guild.objects.filter(pk=needles.guild).first()
            log("erasure", guild=place, actor=row.actor, now=now, erasure=str(row.pk), traces=said["traces"])
    file.unlink(missing_ok=True)
    return verify(Erasure.objects.values_list("receipt", flat=True).get(pk=row.pk))


def _clear(*, rewrite: bool) -> bool:
    with vectors.codes_put_aside(rewrite):
        return db.clear_pages(rewrite=rewrite)


def _in_pages(found: Found) -> bool:
    return any(place.startswith("pages") for place in found.traces)
