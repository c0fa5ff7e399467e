"""What is wrong with the hub, in words, with what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.models import JobRun
from memory.overview import Doing, Overview
from memoryhub.ai.failures import ModelFailed
from memoryhub.ai.models import chosen

LATE = timedelta(minutes=10)
"""A closed buffer is taken up within a minute by a worker that runs."""


@dataclass(frozen=True)
class Warn:
    """Something that an operator should see: what it is and what to do."""

    text: str
    remedy: str


def warnings(seen: Overview, *, now: datetime) -> list[Warn]:
    """Return what an operator should see, the worst first."""
    found = [_setting(), _late(seen.doing, now), _parked(seen.doing), _failed(seen)]
    return [warning for warning in found if warning]


def model_name() -> str:
    """Return the model that learns, or nothing when the hub works by rules (or the setting can't be read)."""
    try:
        return str(chosen("fast") or "")
    except ModelFailed:
        return ""


def _setting() -> Warn | None:
    try:
        chosen("fast")
    except ModelFailed as failure:
        return Warn("The model setting can't be used.", str(failure))
    return None


def _late(doing: Doing, now: datetime) -> Warn | None:
    if not doing.oldest_waiting or now - doing.oldest_waiting < LATE:
        return None
    return Warn(
        "Conversations have been waiting to be digested for more than 10 minutes.",
        "Is the worker running? “make run” starts it together with the web server.",
    )


def _parked(doing: Doing) -> Warn | None:
    parked = doing.parked_buffers + doing.parked_messages
    if not parked:
        return None
    return Warn(
        f"Parked after too many failures: conversations {doing.parked_buffers}, messages {doing.parked_messages}.",
        "Nothing is lost. The admin shows the last error of each; mend the cause first.",
    )


def _failed(seen: Overview) -> Warn | None:
    failed = [run for run in seen.job_runs if run.status == JobRun.Status.FAILED]
    if not failed:
        return None
    run = failed[0]
    return Warn(
        f"The nightly job failed lately: {run.get_phase_display().lower()} of {run.guild}, {run.day}.",
        "Read its error in the admin; “manage.py consolidate” runs it again.",
    )
