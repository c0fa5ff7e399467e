"""JSON routes: the nightly job, numbers, model calls, the action log, and what was given up after five attempts."""

from __future__ import annotations

from datetime import timedelta

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
    ParkedOut,
    ParkedWindow,
    Queued,
    Replay,
    ReplayedOut,
    Stats,
)
from memory.curation import parked
from memory.curation.statistics import overview
from memory.models import Action, JobRun, ModelCall
from memoryhub.common.api_scope import Call
from memoryhub.common.pagination import Page, Window, page
from memoryhub.community.days import day_of
from notes.models import Message

router = Router(tags=["work and numbers"])


@router.post("/guilds/{key}/consolidate", response={202: Queued})
def start_consolidation(request: Call, key: str, body: Consolidation | None = None) -> Status[Queued]:
    """Queue the nightly job of a day for the worker; needs scope admin."""
    guild = request.auth.guild(key)
    today = day_of(guild, timezone.now())
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


@router.get("/guilds/{key}/parked", response=ParkedOut, tags=["parked"])
def list_parked(request: Call, key: str, window: Query[ParkedWindow]) -> ParkedOut:
    """Show the messages and conversations that failed five times: which, why, since when."""
    page = parked.list_parked(
        [request.auth.guild(key)], messages_before=window.messages_cursor, buffers_before=window.buffers_cursor,
        limit=window.limit,
    )  # fmt: skip
    return ParkedOut.of(page)


@router.post("/guilds/{key}/parked/replay", response=ReplayedOut, tags=["parked"])
def replay_parked(request: Call, key: str, body: Replay | None = None) -> ReplayedOut:
    """Have them tried again by the worker; needs scope admin. What is not parked is left as it is."""
    guild, which = request.auth.guild(key), body or Replay()
    messages = buffers = None
    if which.messages is not None:
        rows = Message.objects.of(guild).filter(platform_id__in=which.messages)
        messages = list(rows.values_list("pk", flat=True))
    if which.buffers is not None:
        buffers = [int(number) for number in which.buffers]
    done = parked.replay(guild, actor=request.auth.actor, now=timezone.now(), messages=messages, buffers=buffers)
    return ReplayedOut.of(done)
