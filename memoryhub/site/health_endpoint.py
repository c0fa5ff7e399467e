"""How the hub is, in short words, for whoever watches it: no names, no paths, no counts of what is known."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django_q.models import OrmQ, Schedule
from pydantic import BaseModel

from memoryhub import db
from memoryhub.ai import ModelFailed
from memoryhub.ai.model_choice import chosen

LATE = timedelta(minutes=5)
"""A running worker takes up what is due within seconds; five minutes allow for a long task before it."""


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
    return Vitals(
        status="ok", database="ok", queue=queue, vectors="sqlite-vec" if db.can_load_vectors() else "exact", **parts
    )


def worker_runs(*, now: datetime) -> bool:
    """Say whether a worker takes up what is due; with Redis as broker only the schedules tell."""
    waiting = OrmQ.objects.filter(lock__lte=now - LATE).exists()
    return not (waiting or Schedule.objects.filter(next_run__lte=now - LATE).exclude(repeats=0).exists())
