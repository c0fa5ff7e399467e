"""Work: conversations that are open, wait or are parked, the nightly job and its phases, the queue; and the way on."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from django_q.models import OrmQ, Schedule
from django_q.tasks import async_task

from memory.curation import attention, parked
from memory.models import JobRun
from memory.schedules import PERIODIC
from memoryhub.common import address
from memoryhub.common.htmx import render_either
from memoryhub.common.permissions import actor, asked_guild, guilds_for, is_operator, visible
from memoryhub.community.days import day_of
from memoryhub.community.models import Guild
from notes.models import ChannelBuffer

SHOWN = 30
NIGHTS = 7
WATCHED = 20  # guilds whose pace is told while none is chosen
PHASES = JobRun.Phase.choices
Status = ChannelBuffer.Status


@dataclass
class Night:
    """One night of one guild: its phases by name; one that has not begun is not there."""

    guild: Guild
    day: date
    phases: dict[str, JobRun] = field(default_factory=dict)

    @property
    def in_order(self) -> list[tuple[str, JobRun | None]]:
        """Return every phase by its title, in the order in which they run."""
        return [(title, self.phases.get(name)) for name, title in PHASES]

    @property
    def running(self) -> bool:
        """Say whether somebody works on it now."""
        return any(run.status == JobRun.Status.RUNNING for run in self.phases.values())

    @property
    def all_done(self) -> bool:
        """Say whether every phase is done, so that a line says enough."""
        return len(self.phases) == len(PHASES) and all(run.status == JobRun.Status.DONE for run in self.phases.values())

    @property
    def again(self) -> bool:
        """Say whether a phase begins again: its record was taken away, while later ones have theirs."""
        names = [name for name, _ in PHASES]
        last = max((names.index(name) for name in self.phases), default=0)
        return any(name not in self.phases for name in names[:last])

    @property
    def ran_at(self) -> datetime | None:
        """Return when the last of its phases ended."""
        return max((run.finished_at for run in self.phases.values() if run.finished_at), default=None)


@require_safe
def work(request: HttpRequest) -> HttpResponse:
    """Show what goes on, what waits and what was given up."""
    guild, now = asked_guild(request), timezone.now()
    scope = Guild.objects.filter(pk=guild.pk) if guild else guilds_for(request.user)
    nights = _nights(visible(JobRun.objects.select_related("guild"), request.user, guild))
    context = {
        "guild": guild,
        "parked": parked.list_parked(
            scope,
            messages_before=address.number(request.GET.get("parked_message")),
            buffers_before=address.number(request.GET.get("parked_buffer")),
            limit=SHOWN,
        ),
        "parked_in": parked.guilds_with_parked(scope),
        "open": _buffers(request, guild, Status.OPEN, "due_at"),
        "closed": _buffers(request, guild, Status.CLOSED, "closed_at"),
        "nights": nights,
        "pace": attention.pace(list(scope[:WATCHED]), now=now),
        "running": any(night.running for night in nights),
        "queue": _queue() if is_operator(request.user) else None,
        "yesterday": (day_of(guild, now) if guild else now.date()) - timedelta(days=1),
        "now": now,
    }
    return render_either(request, "memory/work.html", "memory/_work.html", context)


def _buffers(request: HttpRequest, guild: Guild | None, status: str, order: str) -> list[ChannelBuffer]:
    rows = visible(ChannelBuffer.objects.filter(status=status), request.user, guild)
    return list(rows.select_related("guild", "channel").order_by(order, "pk")[:SHOWN])


def _nights(runs: QuerySet[JobRun]) -> list[Night]:
    """Put the newest runs together by guild and day."""
    nights: dict[tuple[int, date], Night] = {}
    for run in runs.order_by("-day", "guild", "pk")[: NIGHTS * len(PHASES)]:
        nights.setdefault((run.guild_id, run.day), Night(run.guild, run.day)).phases[run.phase] = run
    return list(nights.values())


def _queue() -> dict[str, object]:
    """Return how much waits in the queue, and when each periodic job runs next."""
    jobs = {job.name: job for job in PERIODIC}
    schedules = []
    for row in Schedule.objects.filter(name__in=jobs).order_by("next_run"):
        every = {1: "minute", 60: "hour", 24 * 60: "day"}.get(row.minutes or 0, f"{row.minutes} minutes")
        if row.schedule_type != Schedule.MINUTES:
            every = row.cron or row.get_schedule_type_display().lower()
        schedules.append((jobs[row.name or ""].title, every, row))
    return {"waiting": OrmQ.objects.count(), "schedules": schedules}


@require_POST
def replay(request: HttpRequest) -> HttpResponse:
    """Have parked work tried again: one conversation, one message, or all of a guild."""
    guild = get_object_or_404(guilds_for(request.user), key=request.POST.get("guild", ""))
    chosen = {name: [pk] for name in ("messages", "buffers") if (pk := address.number(request.POST.get(name)))}
    done = parked.replay(guild, actor=actor(request), now=timezone.now(), **chosen)
    counts = f"conversations {done.buffers}, messages {done.messages}"
    messages.success(request, f"To be tried again: {counts}. The worker begins within a minute.")
    return redirect("work")


@require_POST
def run_night(request: HttpRequest) -> HttpResponse:
    """Queue the nightly job of a guild's day, again if it ran before."""
    guild = get_object_or_404(guilds_for(request.user), key=request.POST.get("guild", ""))
    day = address.day(request.POST.get("day", ""))
    if day is None or day > day_of(guild, timezone.now()):
        messages.error(request, "Name a day that has begun, as 2026-02-23.")
    else:
        async_task("memory.tasks.consolidate", guild.pk, day.isoformat())
        messages.success(request, f"The night of {day} is in the queue. This page shows its phases as they run.")
    return redirect("work")
