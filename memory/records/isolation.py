"""Lets the failure of one chore, or in one guild, stop no other, and writes it down."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from django.db import Error

from memory.records.action_log import log
from memoryhub.ai import ModelFailed
from memoryhub.community.models import Guild

logger = logging.getLogger(__name__)


@contextmanager
def isolated(chore: str, guild: Guild | None = None) -> Iterator[None]:
    """Let a failure inside stop nothing that follows; the next run tries again."""
    where = {"chore": chore} | ({"guild": guild.pk} if guild else {})
    try:
        yield
    except ModelFailed as error:
        logger.warning("a chore waits for a model", extra=where | {"reason": error.reason})
    except Exception as error:
        logger.exception("a chore failed", extra=where)
        with suppress(Error):  # the database may be what failed
            log("bot_error", guild=guild, scope=f"memory_{chore}", error=type(error).__name__)
