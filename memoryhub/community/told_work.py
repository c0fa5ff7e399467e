"""Work of a guild whose end in failure is told to those who listen."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memoryhub.community import outbox
from memoryhub.community.models import Event
from memoryhub.db.leases import Lease


class ToldWork(Lease):
    """The columns of a guild's row that waits for work; its policy names the job that is told once it is given up."""

    class Meta:
        abstract = True

    @classmethod
    def on_parked(cls, rows: Sequence[Any], *, now: datetime) -> None:
        """Write an event for each row, by the number of the row."""
        job = cls.policy.job.format
        kind = Event.Kind.FAILED
        outbox.write([Event(guild_id=row.guild_id, kind=kind, row=row.pk, detail=job(row), at=now) for row in rows])
