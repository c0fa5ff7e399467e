"""How the failure of a step of a long job is written down."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any

from memory.models import JobRun
from memory.records.action_log import log
from memoryhub.ai import ModelFailed
from memoryhub.community.models import Channel
from memoryhub.db import leases
from notes.models import ChannelBuffer

logger = logging.getLogger(__name__)


def fail(row: ChannelBuffer | JobRun, error: Exception, what: str, *, now: datetime, **fields: Any) -> None:
    """End the step with what an operator may read: a model's failure explains itself, any other may quote a message.

    A provider that asks for a pause is given it; where anything else failed stands in the log.
    """
    words, wait = type(error).__name__, timedelta()
    if isinstance(error, ModelFailed):
        words, wait = str(error), timedelta(seconds=error.retry_after or 0)
    else:
        logger.error(what, exc_info=error, extra={"row": row.pk})
        voice = isinstance(row, ChannelBuffer) and row.channel.kind == Channel.Kind.VOICE
        step = row.step if isinstance(row, ChannelBuffer) else row.phase
        log("voice_error" if voice else "bot_error", guild=row.guild, now=now, scope=f"memory_{step}", error=words)
    leases.fail(row, error=words, now=now, wait=wait, **fields)
