"""JSON routes: the nightly job and its runs, numbers, model calls, the action log."""

from __future__ import annotations

from datetime import timedelta
from zoneinfo import ZoneInfo

from django.utils import timezone
from django_q.tasks import async_task
from ninja import Query, Router, Status
from ninja.errors import HttpError

from memory.api.schemas.jobs import (
    ActionFilters,
    ActionOut,
    CallFilters,
    CallOut,
    Consolidation,
    JobOut,
    Queued,
    Stats,
)
from memory.curation.statistics import overview
from memory.models import Action, JobRun, ModelCall
from memoryhub.common.api_scope import Call
from memoryhub.common.pagination import Page, Window, page

router = Router(tags=["work and numbers"])


@router.post("/guilds/{key}/consolidate", response={202: Queued})
def start_consolidation(request: Call, key: str, body: Consolidation | None = None) -> Status[Queued]:
    """Queue the nightly job of a day for the worker; needs scope admin."""
    guild = request.auth.guild(key)
    today = timezone.now().astimezone(ZoneInfo(guild.time_zone)).date()
    day = body.day if body and body.day else today - timedelta(days=1)
    if day > today:
        raise HttpError(422, "That day has not begun.")
    job = async_task("memory.tasks.consolidate", guild.pk, day.isoformat())
    return Status(202, Queued(job=job, day=day))


@router.get("/guilds/{key}/jobs", response=Page[JobOut])
def list_jobs(request: Call, key: str, window: Query[Window]) -> Page[JobOut]:
    """List what the nightly job did, the newest first."""
    return page(JobRun.objects.of(request.auth.guild(key)), window=window, show=JobOut.of)


@router.get("/guilds/{key}/stats", response=Stats)
def show_stats(request: Call, key: str) -> Stats:
    """Show how much is known, what waits, and what the models used in the last 30 days."""
    return Stats.of(overview(request.auth.guild(key), now=timezone.now()))


@router.get("/guilds/{key}/model-calls", response=Page[CallOut])
def list_calls(request: Call, key: str, filters: Query[CallFilters]) -> Page[CallOut]:
    """List the calls of models, the newest first; sums by day and purpose are in `stats`."""
    rows = ModelCall.objects.filter(guild=request.auth.guild(key))
    if filters.purpose:
        rows = rows.filter(purpose=filters.purpose)
    return page(rows, window=filters, show=CallOut.of)


@router.get("/guilds/{key}/actions", response=Page[ActionOut])
def list_actions(request: Call, key: str, filters: Query[ActionFilters]) -> Page[ActionOut]:
    """List the action log, the newest first."""
    rows = Action.objects.filter(guild=request.auth.guild(key))
    if filters.kind:
        rows = rows.filter(kind=filters.kind)
    return page(rows, window=filters, show=ActionOut.of)
