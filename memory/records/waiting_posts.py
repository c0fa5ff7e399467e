"""What waits to be posted by the bot, in the guilds that its process runs: claimed by one process at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from memory.models import ModeratorLog, Recap
from memory.records import log_posting
from memoryhub.community import due_work
from memoryhub.community.models import DueWork, Guild
from memoryhub.db import leases
from memoryhub.db.guild_scope import inside
from memoryhub.db.transactions import LONG_AGO


def mark(guild: Guild) -> None:
    """Have the bot look at the guild at once."""
    DueWork.objects.update_or_create(guild=guild, work=DueWork.Work.POSTS, defaults={"at": LONG_AGO})


def claim_next(is_here: Callable[[str], bool], *, now: datetime) -> Recap | ModeratorLog | None:
    """Claim what is to be posted next in a guild that is here, by the guild's key; None if there is nothing."""
    due = DueWork.objects.filter(work=DueWork.Work.POSTS, at__lte=now).select_related("guild").order_by("at", "pk")
    for row in due:
        if not is_here(row.guild.key):
            continue
        with inside(row):
            # A mark that comes meanwhile changes the row, so that it is not put off.
            if not DueWork.objects.filter(pk=row.pk, at=row.at).update(at=now):
                continue
            row.at = now
            waiting = _waiting(row.guild, now)
            for rows in waiting:
                claimed: Recap | ModeratorLog | None = leases.claim(rows.order_by("pk"), now=now)
                if claimed:
                    return claimed
            due_work.put_off(row, _next_try(waiting, now))
    return None


def _waiting(guild: Guild, now: datetime) -> Sequence[QuerySet[Any]]:
    logs = ModeratorLog.objects.of(guild)
    told = log_posting.untold(guild, now=now).exists()
    return [logs if told else logs.none(), Recap.objects.of(guild).filter(status=Recap.Status.WAITING)]


def _next_try(waiting: Sequence[QuerySet[Any]], now: datetime) -> datetime | None:
    """Return when one of them may be claimed; None if all wait for a person, or nothing waits."""
    columns = ("claimed_until", "next_attempt_at")
    tries = [pair for rows in waiting for pair in rows.filter(parked_at=None).values_list(*columns)]
    return min((max((at for at in pair if at), default=now) for pair in tries), default=None)
