"""Erases a member, a channel or a guild: each holder deletes, pages are cleared, a scan checks, a receipt is signed.

An erasure is a row that waits for work: whoever asks works at it for a while, the worker does the rest, and it goes on
where a kill ended it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from itertools import takewhile
from typing import Any

from django.db import transaction
from django.db.models import Q
from django_q.tasks import async_task

from memory.erasure.erasure_progress import SCAN
from memory.erasure.fingerprints import Needles
from memory.erasure.holders_logs import NOBODY
from memory.erasure.receipt import Receipt, ReceiptInvalid, sign, verify
from memory.erasure.registry import HOLDERS
from memory.erasure.scan import scan
from memory.erasure.target import Target, keep_needles, kept_needles
from memory.models import Erasure, ErasureNeedles
from memory.records.action_log import log
from memoryhub import db
from memoryhub.community import outbox, signatures, tombstones
from memoryhub.community.models import Channel, Event, Guild, Member
from memoryhub.db import leases
from memoryhub.db.guild_scope import in_its_guild, inside
from memoryhub.db.leases import Clock, ticking
from memoryhub.errors import Conflict
from memoryhub.search import keywords, vectors
from memoryhub.server import instruments

REWRITTEN_UP_TO = 256 * 1024 * 1024  # bytes: two or three seconds in which writers wait
PATIENCE = 5.0  # seconds that somebody waits for the receipt; after that the worker goes on
RENEWED = 60.0  # seconds after which a claim is renewed in the middle of a step
TABLES: dict[str, type[Member | Channel | Guild]] = {"member": Member, "channel": Channel, "guild": Guild}

Progress = Callable[[str], None]
"""Called with the name of each step before it begins."""


class ErasureRunning(Conflict):
    """Another process works at the erasure."""


class NeedlesLost(Conflict):
    """Nobody knows any more whom an erasure is about: a receipt would say what nobody looked for."""


class OutOfTimeError(Exception):
    """The time that somebody waits is over, or another process took the erasure over."""


# --- Who asks ----------------------------------------------------------------------------------------------------


def erase_now(
    row: Member | Channel | Guild, *, now: datetime, by: str, progress: Progress = lambda _step: None
) -> Receipt:
    """Erase it to the end; run again after a kill, this completes the first run. Raises ErasureRunning.

    A channel and its switch stay; a guild goes with its settings and keys, and who had said no in it stays unheard if
    it comes back. Call it outside of a transaction: each holder commits as it goes, and SQLite's pages can only be
    cleared outside.
    """
    return finished(run(begin(row, now=now, by=by), now=now, progress=progress))


def request_erasure(
    guild: Guild, *, member: str | None = None, channel: Channel | None = None, now: datetime, by: str,
    seconds: float = PATIENCE, progress: Progress = lambda _step: None,
) -> Erasure | None:  # fmt: skip
    """Erase a member, named by the platform's id, a channel or else the guild; wait so long, the worker does the rest.

    Asked again, it is the same erasure while it runs, a member's also afterwards. None where there is no such member,
    and was none.
    """
    row: Member | Channel | Guild | None = channel or guild
    if member is not None:
        row = Member.objects.of(guild).select_related("guild").filter(platform_id=member).first()
    job = begin(row, now=now, by=by) if row is not None else find(guild, member=member or "")
    if job is None:
        return None
    was_open = not job.finished_at
    stop = time.monotonic() + seconds
    job = run(job, now=now, keep_going=lambda: time.monotonic() < stop, progress=progress)
    if was_open:
        # The worker goes on with it, and writes anew what was dropped.
        transaction.on_commit(lambda: async_task("memory.tasks.erase", str(job.pk)), robust=True)
    return job


def find(guild: Guild, *, member: str) -> Erasure | None:
    """Return the last erasure of a member, who may be gone already; None where there was none."""
    return Erasure.objects.filter(digest=tombstones.digest(guild, "member", member)).order_by("-started_at").first()


def purged_at(guild: Guild) -> datetime | None:
    """Return when a guild of this key was purged last; None where none was."""
    purge = Erasure.objects.filter(digest=Target(guild=guild).digest).order_by("-started_at").first()
    return (purge.finished_at or purge.started_at) if purge else None


@in_its_guild
def preview(row: Member | Channel | Guild) -> dict[str, int]:
    """Return how much each holder would erase, by the holder's name."""
    return _counts(Target.of(row))


def finished(job: Erasure) -> Receipt:
    """Return the receipt of an erasure; raises ErasureRunning."""
    if not job.finished_at:
        raise ErasureRunning("It is being erased right now, by another process. Ask again in a minute for the receipt.")
    return verify(job.receipt)


def signed_with_another_key() -> bool:
    """Say whether the newest receipt was not signed with this SECRET_KEY: then tombstones are strangers', too."""
    newest = Erasure.objects.exclude(finished_at=None).order_by("-finished_at").first()
    try:
        return newest is not None and not finished(newest)
    except ReceiptInvalid:
        return True


# --- The work ----------------------------------------------------------------------------------------------------


@in_its_guild
def begin(row: Member | Channel | Guild, *, now: datetime, by: str) -> Erasure:
    """Write down that this is to be erased, or return the erasure that is open; nothing is erased yet."""
    if isinstance(row, Guild):
        with transaction.atomic():
            db.lock_guild(row.pk)  # what is just coming in comes in before
            Guild.objects.filter(pk=row.pk).update(memory_on=False)  # nothing new while it goes
    target = Target.of(row)
    needles = target.needles  # before anything goes: who goes on must know what to look for
    member = Q(pk=target.member.pk if target.member else None)
    going = target.select(Member.objects.of(target.guild), member=member, channel=None)
    # No account that this erasure removes is noted as having asked.
    actor = NOBODY if going.filter(platform_id=signatures.parse(by).name).exists() else by[:100]
    asked: dict[str, Any] = {"kind": target.kind, "guild_id": target.guild.pk, "actor": actor, "started_at": now}
    asked["counts"] = _counts(target)
    with transaction.atomic():
        keep_needles(target, needles)
        job, is_new = Erasure.objects.get_or_create(digest=target.digest, finished_at=None, defaults=asked)
        if is_new:
            log("erasure_asked", guild=target.guild, actor=actor, now=now, what=target.kind, erasure=str(job.pk))
    return job


def _counts(target: Target) -> dict[str, int]:
    return {holder.name: holder.count(target) for holder in HOLDERS}


def run(
    job: Erasure, *, now: datetime, keep_going: Callable[[], bool] = lambda: True,
    progress: Progress = lambda _step: None,
) -> Erasure:  # fmt: skip
    """Do what is left of an erasure, while told to go on; return it as it is then.

    Nothing is done where another process is at it.
    """
    clock = ticking(now)
    held = leases.claim(Erasure.objects.filter(pk=job.pk, finished_at=None), now=now, by_hand=True)
    if held is not None:
        try:
            _work(held, clock=clock, keep_going=keep_going, progress=progress)
        except OutOfTimeError:
            leases.release(held)
        except Exception as error:
            leases.fail(held, error=type(error).__name__, now=clock())
            raise
        except BaseException:
            leases.release(held)  # Ctrl-C: nobody need wait for the claim to run out
            raise
    return Erasure.objects.get(pk=job.pk)


def _work(held: Erasure, *, clock: Clock, keep_going: Callable[[], bool], progress: Progress) -> None:
    """Go through the holders, from the first one also where an earlier run had come further: little is left of them."""
    renewed = time.monotonic()

    def checkpoint(**fields: str) -> None:
        nonlocal renewed
        moment = time.monotonic()
        if not keep_going():
            raise OutOfTimeError
        if fields or moment > renewed + RENEWED:
            renewed = moment
            if not leases.hold(held, now=clock(), **fields):
                raise OutOfTimeError

    needles = kept_needles(held.digest)
    if needles is None:
        raise NeedlesLost("What this erasure looks for is not in the database. Ask for the erasure once more.")
    with inside(held.guild_id):
        row = TABLES[held.kind]._default_manager.filter(pk=getattr(needles, held.kind)).first()
        if row is not None:
            target = replace(Target.of(row), checkpoint=checkpoint)
            needles = target.needles  # with what was said since
            keep_needles(target, needles)
            for holder in HOLDERS:
                checkpoint(step=holder.name)
                progress(holder.name)
                holder.erase(target, clock())
    checkpoint(step=SCAN)
    progress(SCAN)
    _finish(held, needles, checkpoint, now=clock())


def _finish(held: Erasure, needles: Needles, checkpoint: Callable[[], None], *, now: datetime) -> None:
    """Clear, scan and sign; where another process took over meanwhile, its receipt stands."""
    rewritten = db.size() <= REWRITTEN_UP_TO
    cleared = clear_pages(rewrite=rewritten)
    result = scan(needles, checkpoint)
    if cleared and not rewritten and any(place.startswith("pages") for place in result.traces):
        cleared = rewritten = clear_pages(rewrite=True)
        result = scan(needles, checkpoint)
    report = result.as_receipt(cleared=cleared, rewritten=cleared and rewritten)
    receipt = sign(Receipt(id=str(held.pk), kind=needles.kind, at=now, counts=held.counts, scan=report))
    with transaction.atomic():
        ended = {"finished_at": now, "receipt": receipt.token, "step": "", **leases.FREE, **leases.FRESH}
        if leases.held(held).filter(finished_at=None).update(**ended):
            ErasureNeedles.objects.filter(digest=held.digest).delete()
            guild = Guild.objects.filter(pk=needles.guild).first()
            instruments.counted().erasures.labels(needles.kind).inc()
            if guild is not None and held.kind == Erasure.Kind.MEMBER:
                outbox.announce(guild.pk, Event.Kind.ERASED, now=now, member=needles.member, detail=str(held.pk))
            log("erasure", guild=guild, actor=held.actor, now=now, erasure=str(held.pk), traces=report["traces"])


def clear_pages(*, rewrite: bool) -> bool:
    """Clear what deleted rows left in the database's files and both indexes; False where that can't be now."""
    if rewrite:
        keywords.rewrite()
    with vectors.codes_put_aside(rewrite):
        return db.clear_deleted(rewrite=rewrite)


def finish_interrupted(*, now: datetime, keep_going: Callable[[], bool] = lambda: True) -> int:
    """Finish the erasures that nobody works at, such as after a kill, while told to go on; return how many."""
    left = Erasure.objects.filter(finished_at=None)
    leases.recover(left, now=now)
    waiting = takewhile(lambda _: keep_going(), list(leases.ready(left, now=now)))
    done = sum(run(job, now=now, keep_going=keep_going).finished_at is not None for job in waiting)
    # Who asked again in the very moment in which it ended has left some.
    ErasureNeedles.objects.exclude(digest__in=left.values("digest")).delete()
    return done
