"""JSON routes: facts are listed, added, corrected, reviewed, forgotten; their history is shown and undone."""

from __future__ import annotations

from django.db import transaction
from django.http import HttpResponse
from django.utils import timezone
from ninja import Query, Router, Status

from memory.api.insisting import may_insist
from memory.api.schemas.facts import (
    ChangeOut,
    DecidedOut,
    Decisions,
    FactChanges,
    FactFilters,
    FactOut,
    NewFact,
    WaitingOut,
    Words,
)
from memory.curation import corrections, fact_review
from memory.curation.browse import Filters, apply_filters, completed, with_evidence
from memory.models import Fact, FactQuerySet
from memory.withdrawal import withdraw
from memoryhub import db
from memoryhub.common.api_scope import Call, PathRowId, channel_of, member_of, one
from memoryhub.common.etags import refuse_stale, tagged
from memoryhub.common.pagination import Page, Window, page
from memoryhub.community.models import Guild

router = Router(tags=["facts"])
STANDING = {"archived": corrections.archive, "active": corrections.restore}


@router.get("/guilds/{key}/facts", response=Page[FactOut])
def list_facts(request: Call, key: str, filters: Query[FactFilters]) -> Page[FactOut]:
    """List the facts of every audience, the newest first."""
    guild = request.auth.guild(key)
    narrowed = Filters(
        kind=filters.kind or "",
        status="" if filters.status == "all" else filters.status,
        member=member_of(guild, filters.member) if filters.member else None,
    )
    rows = apply_filters(Fact.objects.of(guild), narrowed)
    if filters.q:
        rows = rows.filter(text__icontains=filters.q)
    return page(rows, window=filters, show=FactOut.of)


@router.post("/guilds/{key}/facts", response={201: FactOut})
def remember_fact(request: Call, key: str, body: NewFact) -> Status[FactOut]:
    """Remember what somebody says in so many words: certain at once (lore: 0.72)."""
    guild = request.auth.guild(key)
    request.about = member_of(guild, body.member) if body.member else None
    fact = corrections.remember(
        guild,
        subject=request.about,
        text=body.text,
        kind=body.kind or "other",
        actor=request.auth.actor,
        now=timezone.now(),
        audience=channel_of(guild, body.channel) if body.channel else None,
        insist=may_insist(request, wanted=body.insist),
    )
    return Status(201, FactOut.of(completed(fact)))


@router.get("/guilds/{key}/facts/{fact_id}", response=FactOut)
def show_fact(request: Call, response: HttpResponse, key: str, fact_id: PathRowId) -> FactOut:
    """Show one fact with what it rests on."""
    return tagged(response, FactOut.of(fact_of(request.auth.guild(key), fact_id)))


@router.patch("/guilds/{key}/facts/{fact_id}", response=FactOut)
def change_fact(request: Call, response: HttpResponse, key: str, fact_id: PathRowId, body: FactChanges) -> FactOut:
    """Correct, pin, archive or restore a fact; all of it, or nothing."""
    guild, actor, now = request.auth.guild(key), request.auth.actor, timezone.now()
    insist = may_insist(request, wanted=body.insist)
    if body.text is not None:
        corrections.validated_text(body.text, guild, insist=insist)  # what a text means is looked at before the lock
    with transaction.atomic():
        db.lock_guild(guild.pk)
        fact = fact_of(guild, fact_id)
        refuse_stale(request, FactOut.of(fact))
        body.refuse_if_stale(fact)
        if body.status and body.status != fact.status:
            STANDING[body.status](fact, actor=actor, now=now)
        if fields := body.corrected():
            corrections.correct(fact, actor=actor, now=now, insist=insist, **fields)
    return tagged(response, FactOut.of(fact_of(guild, fact_id)))


@router.delete("/guilds/{key}/facts/{fact_id}", response={204: None})
def forget_fact(request: Call, key: str, fact_id: PathRowId) -> Status[None]:
    """Erase a fact for good, with its evidence and its history."""
    with transaction.atomic():
        guild = request.auth.guild(key)
        db.lock_guild(guild.pk)
        fact = fact_of(guild, fact_id)
        refuse_stale(request, FactOut.of(fact))
        withdraw.forget_fact(fact, actor=request.auth.actor, now=timezone.now())
    return Status(204, None)


@router.get("/guilds/{key}/facts/{fact_id}/history", response=Page[ChangeOut])
def show_history(request: Call, key: str, fact_id: PathRowId, window: Query[Window]) -> Page[ChangeOut]:
    """Show what happened to a fact, the newest change first."""
    fact = fact_of(request.auth.guild(key), fact_id)
    return page(fact.changes.all(), window=window, show=ChangeOut.of)


@router.post("/guilds/{key}/facts/{fact_id}/undo", response=FactOut)
def undo_change(request: Call, key: str, fact_id: PathRowId) -> FactOut:
    """Take back the newest change, with all that was decided together with it."""
    guild = request.auth.guild(key)
    corrections.undo(fact_of(guild, fact_id), actor=request.auth.actor, now=timezone.now())
    return FactOut.of(fact_of(guild, fact_id))


def fact_of(guild: Guild, fact_id: int) -> Fact:
    """Return the guild's fact with all that its answer shows; raises Http404."""
    return one(with_evidence(Fact.objects.of(guild)), "fact", pk=fact_id)


@router.get("/guilds/{key}/review", response=Page[WaitingOut])
def list_waiting(request: Call, key: str, window: Query[Window]) -> Page[WaitingOut]:
    """List the facts that wait for a person, the newest first; they are told nowhere else."""
    guild = request.auth.guild(key)
    return page(with_evidence(_waiting(guild)), window=window, show=WaitingOut.of)


@router.post("/guilds/{key}/review", response=DecidedOut)
def decide_on_facts(request: Call, key: str, body: Decisions) -> DecidedOut:
    """Approve and refuse many at once, each for itself."""
    guild, actor, now = request.auth.guild(key), request.auth.actor, timezone.now()
    done = {
        approved: fact_review.decide(_waiting(guild).filter(pk__in=ids), approved=approved, actor=actor, now=now)
        for approved, ids in ((True, body.approve), (False, body.refuse))
    }
    return DecidedOut.of(body, done[True], done[False])


@router.post("/guilds/{key}/facts/{fact_id}/approve", response=FactOut)
def approve_fact(request: Call, key: str, fact_id: PathRowId, body: Words | None = None) -> FactOut:
    """Approve a fact that waits, as it is or in other words; returns what stands. One that does not wait: 409."""
    guild, actor, now = request.auth.guild(key), request.auth.actor, timezone.now()
    fact, words = fact_of(guild, fact_id), body or Words()
    insist = may_insist(request, wanted=words.insist)
    stands = fact_review.approve(fact, text=words.text, actor=actor, now=now, insist=insist)
    return FactOut.of(fact_of(guild, stands.pk))


@router.post("/guilds/{key}/facts/{fact_id}/refuse", response=FactOut)
def refuse_fact(request: Call, key: str, fact_id: PathRowId) -> FactOut:
    """Keep a fact that waits away, also when it is said again. One that does not wait: 409."""
    guild = request.auth.guild(key)
    fact_review.refuse(fact_of(guild, fact_id), actor=request.auth.actor, now=timezone.now())
    return FactOut.of(fact_of(guild, fact_id))


def _waiting(guild: Guild) -> FactQuerySet:
    return fact_review.waiting().filter(guild=guild)
