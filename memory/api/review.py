"""JSON routes: facts that wait for a person are listed, approved, put in other words, refused."""

from __future__ import annotations

from django.utils import timezone
from ninja import Query, Router

from memory.api.facts import fact_of
from memory.api.schemas.facts import FactOut
from memory.api.schemas.review import DecidedOut, Decisions, WaitingOut, Words
from memory.curation import fact_review
from memory.curation.browse import with_evidence
from memory.models import FactQuerySet
from memoryhub.common.api_scope import Call
from memoryhub.common.pagination import Page, RowId, Window, page
from memoryhub.community.models import Guild

router = Router(tags=["facts"])


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
def approve_fact(request: Call, key: str, fact_id: RowId, body: Words) -> FactOut:
    """Believe a fact that waits, as it is or in other words; returns what stands. One that does not wait: 409."""
    guild, actor, now = request.auth.guild(key), request.auth.actor, timezone.now()
    fact = fact_of(guild, fact_id)
    if body.text is None:
        stands = fact_review.approve(fact, actor=actor, now=now)
    else:
        stands = fact_review.edit(fact, text=body.text, actor=actor, now=now)
    return FactOut.of(fact_of(guild, stands.pk))


@router.post("/guilds/{key}/facts/{fact_id}/refuse", response=FactOut)
def refuse_fact(request: Call, key: str, fact_id: RowId) -> FactOut:
    """Keep a fact that waits away, also when it is said again. One that does not wait: 409."""
    guild = request.auth.guild(key)
    fact_review.refuse(fact_of(guild, fact_id), actor=request.auth.actor, now=timezone.now())
    return FactOut.of(fact_of(guild, fact_id))


def _waiting(guild: Guild) -> FactQuerySet:
    return fact_review.waiting().filter(guild=guild)
