"""Which lines of the action log a guild's moderators are told of in a channel, and how far they were told.

Who logs such a line holds the guild's lock, so the lines of a guild become visible in the order of their ids, and one
number says how far was told. Nothing is copied: what a line says is read when it is posted.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import QuerySet

from memory.models import Action, ModeratorLog
from memoryhub.community.models import Guild
from memoryhub.db import leases
from memoryhub.db.guild_scope import in_its_guild

TOLD = frozenset(
    {"channel_switch", "memory_switch", "log_channel", "member_disowned", "erasure_asked", "erasure"}
)  # fmt: skip
"""The kinds of lines that are told."""
LATEST = timedelta(days=7)
"""How long after its time a line is still told: after a longer outage the dashboard's action log says the rest."""


def follow(guild: Guild) -> None:
    """Tell what is logged from now on in the channel that the guild has chosen; nothing where it has none any more.

    A channel that takes another's place goes on where that one ended. Call it with the guild's lock.
    """
    if not guild.log_channel:
        ModeratorLog.objects.of(guild).delete()
        return
    newest = Action.objects.filter(guild=guild).order_by("-pk").values_list("pk", flat=True).first() or 0
    fresh = {**leases.FRESH, **leases.FREE, "last_error": "", "tried_at": None}
    ModeratorLog.objects.update_or_create(
        guild=guild, defaults=fresh, create_defaults={**fresh, "reached": newest}
    )  # fmt: skip


def untold(guild: Guild, *, now: datetime) -> QuerySet[Action]:
    """Return the lines that are still to be told, in order."""
    reached = ModeratorLog.objects.of(guild).values_list("reached", flat=True).first()
    if reached is None or not guild.log_channel:
        return Action.objects.none()
    return Action.objects.filter(guild=guild, kind__in=TOLD, pk__gt=reached, at__gte=now - LATEST).order_by("pk")


def trouble(guild: Guild) -> str:
    """Return why the last line could not be posted; "" where it was, or where there is nothing to post."""
    return ModeratorLog.objects.of(guild).values_list("last_error", flat=True).first() or ""


@in_its_guild
def begin(log: ModeratorLog, *, now: datetime) -> tuple[Action | None, datetime | None]:
    """Return the line to post (None: it is gone), and when somebody else was about to post it; notes that we are."""
    line, before = untold(log.guild, now=now).first(), log.tried_at
    if line is None:
        leases.finish(log, tried_at=None)
    elif before is None:
        leases.hold(log, now=now, tried_at=now)
    return line, before


@in_its_guild
def told(log: ModeratorLog, *, line: Action) -> None:
    """Note that the line stands in the channel."""
    leases.finish(log, reached=line.pk, tried_at=None)


@in_its_guild
def not_told(log: ModeratorLog, *, error: str, now: datetime) -> None:
    """Note why the line could not be posted; it is tried again later, and moderators see why in the settings."""
    leases.fail(log, error=error, now=now)
