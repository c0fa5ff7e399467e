"""How the hub is: in short words for whoever watches it, and in sentences, with what to do, for its operators."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django_q.models import OrmQ, Schedule
from pydantic import BaseModel

from botrunner.history import backfill_rows
from botrunner.models import Shard
from memory.curation.statistics import Activity, Overview
from memory.erasure import left_guilds
from memory.models import JobRun
from memory.records import action_log, model_budgets
from memoryhub import db
from memoryhub.ai import ModelFailed
from memoryhub.ai.model_choice import chosen
from memoryhub.ai.probe import describe

STARTED = time.monotonic()
LATE = timedelta(minutes=5)
"""A running worker takes up what is due within seconds; five minutes allow for a long task before it."""
OFTEN = 3  # times that the history of a channel failed, within a quarter of an hour


class Vitals(BaseModel):
    """`status` is ok, or unavailable when the database is away."""

    status: str
    version: str
    database: str
    queue: str
    vectors: str
    model: str


def check(*, now: datetime) -> Vitals:
    """Look at every part, the database first: the others are not asked when it is away.

    The model is named by its provider only, since this answer needs no key.
    """
    try:
        choice = chosen("fast")
        model = choice.provider if choice else "offline"
    except ModelFailed:
        model = "wrong setting"
    parts = {"version": settings.VERSION, "model": model}
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM django_migrations LIMIT 1")
    except (DatabaseError, InterfaceError):
        return Vitals(status="unavailable", database="away", queue="unknown", vectors="unknown", **parts)
    queue = "ok" if worker_runs(now=now) else "no worker"
    return Vitals(status="ok", database="ok", queue=queue, vectors=db.vector_extension() or "exact", **parts)


def worker_runs(*, now: datetime) -> bool:
    """Say whether a worker takes up what is due; with Redis as broker only the schedules tell."""
    waiting = OrmQ.objects.filter(lock__lte=now - LATE).exists()
    return not (waiting or Schedule.objects.filter(next_run__lte=now - LATE).exclude(repeats=0).exists())


@dataclass(frozen=True)
class HealthWarning:
    """Something that an operator should see: what it is and what to do."""

    text: str
    remedy: str
    page: str = ""  # the URL name of the page where it is looked at or mended


def warnings(overview: Overview, *, now: datetime) -> list[HealthWarning]:
    """Return what an operator should see, the worst first."""
    activity = overview.activity
    late = activity.oldest_waiting is not None and now - activity.oldest_waiting > LATE
    worker = HealthWarning(
        "The worker is not running: new messages wait to be read.",
        "“make run” starts it together with the web server; nothing is lost meanwhile.",
        "work",
    )
    return [
        *([worker] if _up_for() > LATE and (late or not worker_runs(now=now)) else []),
        *_of_bot(now),
        *_of_models(now),
        *_of_failed_work(activity, overview.job_runs),
        *_of_missed_nights(overview.nights_missed),
        *_of_discord(overview.withheld),
        *_of_histories(),
    ]


def _of_bot(now: datetime) -> Iterator[HealthWarning]:
    """Tell of a bot that has a token, and that no process runs: wherever one does, its lease is in the database."""
    if settings.DISCORD_TOKEN and _up_for() > LATE and not Shard.objects.filter(claimed_until__gt=now).exists():
        yield HealthWarning(
            "The Discord bot is not running: nothing that is said on Discord is heard.",
            "“make run” starts it together with the web server, and its log says why it does not connect. What was "
            "said meanwhile is read when it is back.",
        )


def _up_for() -> timedelta:
    """Return how long this process has been up: what came due while the hub was off is no alarm when it starts."""
    return timedelta(seconds=time.monotonic() - STARTED)


def model_name() -> str:
    """Return the model that learns, or nothing when the hub works by rules (or the setting can't be read)."""
    try:
        return str(chosen("fast") or "")
    except ModelFailed:
        return ""


def _of_models(now: datetime) -> Iterator[HealthWarning]:
    """Tell of wrong settings once for all tiers, of models that fail, and of how many budgets are spent, not whose."""
    for message in dict.fromkeys(finding.message for finding in describe() if not finding.ok):
        yield HealthWarning("A model can’t be used.", message)
    for model, reason in action_log.models_needing_operator(now=now).items():
        remedy = "What they were to learn waits. “manage.py doctor --probe” asks each model again."
        yield HealthWarning(f"{model}: {reason}", remedy, "model-calls")
    for model, reason in action_log.models_unavailable(now=now).items():
        remedy = "Three calls in a row failed. What they were to learn waits and is tried again by itself."
        yield HealthWarning(f"{model}: {reason}", remedy, "model-calls")
    if spent := len(model_budgets.guilds_over_budget(now=now)):
        yield HealthWarning(
            f"Guilds that have spent today’s budget for models: {spent}.",
            "The built-in rules do the work until their midnight. The action log names them.",
            "actions",
        )


def _of_failed_work(activity: Activity, job_runs: Sequence[JobRun]) -> Iterator[HealthWarning]:
    if activity.parked_buffers + activity.parked_messages:
        counts = f"conversations {activity.parked_buffers}, messages {activity.parked_messages}"
        yield HealthWarning(
            f"Failed five times and needs attention: {counts}.",
            "Nothing is lost. “Jobs” shows why; mend the cause, then try again there or by "
            "“manage.py parked --replay”.",
            "work",
        )
    if activity.parked_profiles:
        yield HealthWarning(
            f"Profiles that no model could rebuild, five times: {activity.parked_profiles}. They are as they were.",
            "The action log says which rules the answers broke; “manage.py rebuild_profiles --guild KEY” tries again.",
            "actions",
        )
    failed = (run for run in job_runs if run.status in (JobRun.Status.FAILED, JobRun.Status.PARKED))
    if run := next(failed, None):
        yield HealthWarning(
            f"The nightly job failed lately: {run.get_phase_display().lower()} of {run.guild}, {run.day}.",
            "“Jobs” tells the error, and runs it again; so does “manage.py consolidate”.",
            "work",
        )


def _of_missed_nights(missed: int) -> Iterator[HealthWarning]:
    if missed:
        yield HealthWarning(
            f"Days that were never consolidated and are too old to be caught up: {missed:,}.",
            "“manage.py consolidate --late” does all of them in one go, oldest first; interrupted, it goes on.",
            "work",
        )


def _of_histories() -> Iterator[HealthWarning]:
    """Tell of older history that the bot was asked to read, and that fails each time."""
    if channels := backfill_rows.failing(OFTEN):
        yield HealthWarning(
            f"Channels and threads whose older history can’t be read: {channels:,}.",
            "The bot’s log says why, and it is tried again each hour. In Discord “/memory backfill” tells how far each "
            "came, and cancels it.",
        )


def _of_discord(withheld: int) -> Iterator[HealthWarning]:
    """Tell of messages that Discord did not show (the portal's switch is off), and of guilds that the bot left."""
    if withheld:
        yield HealthWarning(
            f"Discord withheld the text of {withheld:,} messages today. They are not stored.",
            "Switch on the message content intent in the developer portal (Bot, Privileged Gateway Intents) and "
            "restart the bot; or write DISCORD_MESSAGE_CONTENT=off if it is to hear only what is said to it.",
        )
    if purges := sorted(when for _, when in left_guilds.guilds_to_purge()):
        yield HealthWarning(
            f"Guilds that the bot was removed from: {len(purges)}. The next is purged on {purges[0]:%d %B %Y}.",
            "Invite the bot again to keep its memory, or change in its settings after how many days it goes.",
            "guild-settings",
        )
