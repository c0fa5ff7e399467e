"""Writes down what the hub did and what it cost: ids and counts, never text."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Any

from django.db import DatabaseError
from django.utils import timezone

from memory.models import Action, ModelCall
from memoryhub.ai.recorder import Call
from profiles.models import Guild

logger = logging.getLogger(__name__)


def log(kind: str, *, guild: Guild | None = None, actor: str = "", now: datetime | None = None, **detail: Any) -> None:
    """Add a line to the action log; `detail` holds ids, counts and reasons."""
    Action.objects.create(kind=kind, guild=guild, actor=actor, detail=detail, at=now or timezone.now())


def record_call(call: Call) -> None:
    """Keep what a model call cost and how it went; a database that is away must not cost the answer that was paid."""
    row = ModelCall(
        guild_id=call.guild,
        purpose=call.purpose,
        model=call.model,
        tokens_in=call.tokens_in,
        tokens_out=call.tokens_out,
        cost_usd=call.cost_usd or 0,
        seconds=call.seconds,
        outcome=call.outcome,
        error_class=call.error_class,
    )
    try:
        row.save(force_insert=True)
    except DatabaseError:
        logger.exception("a model call could not be recorded", extra={"purpose": call.purpose})
