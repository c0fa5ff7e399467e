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
"""A worker that runs takes up what is due within seconds; five minutes allow for a long task before it."""


class Vitals(BaseModel):
    """`status` is ok, or unavailable when the database is away."""

    status: str
    version: str
    database: str
    queue: str
    vectors: str
    model: str


def take(*, now: datetime) -> Vitals:
    """Look at every part, the database first: the others are not asked when it is away."""
    there = _database_answers()
    return Vitals(
        status="ok" if there else "unavailable",
        version=settings.VERSION,
        database="ok" if there else "away",
        queue=_queue(now) if there else "unknown",
        vectors=_vectors() if there else "unknown",
        model=_model(),
    )


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM django_migrations LIMIT 1")
    except (DatabaseError, InterfaceError):
        return False
    return True


def _queue(now: datetime) -> str:
    """A worker shows itself by what is not overdue; with Redis as broker only the schedules tell."""
    waiting = OrmQ.objects.filter(lock__lte=now - LATE).exists()
    overdue = Schedule.objects.filter(next_run__lte=now - LATE).exclude(repeats=0).exists()
    return "no worker" if waiting or overdue else "ok"


def _vectors() -> str:
    return "sqlite-vec" if db.can_load_vectors() else "exact"


def _model() -> str:
    """Name the kind of model, not the model: this answer needs no key."""
    try:
        choice = chosen("fast")
    except ModelFailed:
        return "wrong setting"
    return choice.provider if choice else "offline"
