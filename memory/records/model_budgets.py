"""A guild's daily budget of tokens and money: counted from the recorded calls, so that it is right across processes."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db import transaction
from django.db.models import F, Q, QuerySet, Sum
from django.utils import timezone

from memory.models import Action, ModelCall
from memory.records.action_log import log
from memoryhub import db
from memoryhub.community.days import begin_of, day_of
from memoryhub.community.models import Guild

SPENT = "model_budget_spent"


@dataclass(frozen=True)
class Spending:
    """What a guild's calls of a day have cost, failed ones included; money only where the price is known."""

    tokens: int
    usd: Decimal


NOTHING = Spending(tokens=0, usd=Decimal())


def spent_today(guild: Guild, *, now: datetime) -> Spending:
    """Return what the guild spent since its own midnight: one look at an index, under a millisecond for a busy day."""
    calls = ModelCall.objects.filter(guild=guild, at__gte=begin_of(guild, day_of(guild, now)))
    return _summed(calls).get(guild.pk, NOTHING)


def _summed(calls: QuerySet[ModelCall]) -> dict[int | None, Spending]:
    """Return what each guild spent with these calls; nothing of who made none."""
    tokens = Sum(F("tokens_in") + F("tokens_out"))
    sums = calls.order_by().values_list("guild").annotate(tokens=tokens, usd=Sum("cost_usd"))
    return {guild: Spending(tokens=used or 0, usd=usd or Decimal()) for guild, used, usd in sums}


def is_spent(guild: Guild, now: datetime) -> bool:
    """Return whether the guild has used up today's tokens or money; a budget of nothing is used up from the start."""
    if guild.daily_tokens is None and guild.daily_usd is None:
        return False
    return _is_used_up(guild, spent_today(guild, now=now))


def _is_used_up(guild: Guild, used: Spending) -> bool:
    limits = ((used.tokens, guild.daily_tokens), (used.usd, guild.daily_usd))
    return any(limit is not None and amount >= limit for amount, limit in limits)


def guilds_over_budget(*, now: datetime) -> list[Guild]:
    """Return the guilds whose budget is used up today: all are summed up at once, each since its own midnight."""
    limited = Guild.objects.filter(Q(daily_tokens__isnull=False) | Q(daily_usd__isnull=False), memory_on=True)
    guilds, since = list(limited), defaultdict[datetime, list[int]](list)
    for guild in guilds:
        since[begin_of(guild, day_of(guild, now))].append(guild.pk)
    today = Q()
    for midnight, there in since.items():
        today |= Q(guild__in=there, at__gte=midnight)
    used = _summed(ModelCall.objects.filter(today)) if guilds else {}
    return [guild for guild in guilds if _is_used_up(guild, used.get(guild.pk, NOTHING))]


def allows_call(guild: int | None) -> bool:
    """Return whether the guild may ask a model now; once a day, the action log notes that it may not.

    Calls under way are not counted yet: a day may end above its budget by as many as run at once.
    """
    row = Guild.objects.filter(pk=guild).first() if guild is not None else None
    now = timezone.now()
    if row is None or not is_spent(row, now):
        return True
    with transaction.atomic():
        db.lock_guild(row.pk)
        if not Action.objects.filter(guild=row, kind=SPENT, at__gte=begin_of(row, day_of(row, now))).exists():
            used = spent_today(row, now=now)
            log(SPENT, guild=row, now=now, tokens=used.tokens, usd=str(used.usd))
    return False
