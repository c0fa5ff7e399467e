"""Writes down what the hub did and what it cost: ids and counts, never text."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any

from django.db import Error, transaction
from django.db.models import Max
from django.utils import timezone

from memory.models import Action, ModelCall
from memory.records import waiting_posts
from memory.records.log_posting import TOLD
from memoryhub import db
from memoryhub.ai.call_recorder import Call
from memoryhub.ai.model_errors import KINDS
from memoryhub.community.models import Guild
from memoryhub.server import instruments

logger = logging.getLogger(__name__)

NAMED = {  # the calls that one of the designs has kinds of its own for, by purpose and outcome
    ("extraction", "ok"): "memory_extract_call",  # what fails is told with the messages that wait
    ("embedding", "ok"): "memory_embedding_call",
    ("embedding", "failed"): "memory_embedding_error",
}
LATELY, IN_A_ROW = 500, 3  # calls that are looked at, and that must all have failed
PERMANENT: dict[str, str] = {reason: kind.message for reason, kind in KINDS.items() if kind.permanent}
PASSING: dict[str, str] = {reason: kind.message for reason, kind in KINDS.items() if kind.again}


def log(kind: str, *, guild: Guild | None = None, actor: str = "", now: datetime | None = None, **detail: Any) -> None:
    """Add a line to the action log; `detail` holds ids, counts and reasons. Moderators are told of some kinds."""
    at = now or timezone.now()
    line = Action(kind=kind, guild_id=guild.pk if guild else None, actor=actor, detail=detail, at=at)
    if guild is None or not guild.log_channel or kind not in TOLD:
        db.append([line])
        return
    with transaction.atomic():
        db.lock_guild(guild.pk)
        db.append([line])
        waiting_posts.mark(guild)


def record_call(call: Call) -> None:
    """Keep what a model call cost and how it went; a database that is away must not cost the answer that was paid."""
    copied = ("purpose", "model", "tokens_in", "tokens_out", "seconds", "outcome", "error_class")
    measure(call)
    fields = {name: getattr(call, name) for name in copied}
    row = ModelCall(guild_id=call.guild, cost_usd=call.cost_usd or 0, **fields)
    try:
        row.save(force_insert=True)
        if kind := NAMED.get((call.purpose, call.outcome)):
            detail = {"model": call.model, "tokens": call.tokens_in + call.tokens_out, "error": call.error_class}
            db.insert(Action(kind=kind, guild_id=call.guild, detail=detail))
    except Error:
        logger.exception("a model call could not be recorded", extra={"purpose": call.purpose})


def measure(call: Call) -> None:
    """Count the call among what `/metrics` tells."""
    counted = instruments.counted()
    counted.model_seconds.labels(call.purpose, call.model, call.outcome, call.error_class).observe(call.seconds)
    counted.model_tokens.labels(call.purpose, call.model, "in").inc(call.tokens_in)
    counted.model_tokens.labels(call.purpose, call.model, "out").inc(call.tokens_out)
    counted.model_cost.labels(call.purpose, call.model).inc(float(call.cost_usd or 0))


def models_needing_operator(*, now: datetime) -> dict[str, str]:
    """Return the models whose newest call of the last day met what only an operator can mend, each with what it is."""
    lately = ModelCall.objects.filter(at__gte=now - timedelta(days=1)).exclude(outcome="budget")
    newest = lately.order_by("model").values("model").annotate(newest=Max("pk")).values("newest")
    calls = ModelCall.objects.filter(pk__in=newest, error_class__in=PERMANENT).order_by("model")
    return {call.model: PERMANENT[call.error_class] for call in calls}


def models_unavailable(*, now: datetime) -> dict[str, str]:
    """Return the models whose newest three calls of the last hour met what may pass, and what the last one met."""
    lately = ModelCall.objects.filter(at__gte=now - timedelta(hours=1)).exclude(outcome="budget").order_by("-pk")
    newest: dict[str, list[str]] = {}
    for model, reason in lately.values_list("model", "error_class")[:LATELY]:
        newest.setdefault(model, []).append(reason)
    last = {model: reasons[:IN_A_ROW] for model, reasons in sorted(newest.items())}
    return {m: PASSING[row[0]] for m, row in last.items() if len(row) == IN_A_ROW and PASSING.keys() >= set(row)}
