"""Shortens what discord.py logs: no pages of traceback with each try to connect, no advice on voice."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import discord

LOGGERS = ("discord.client", "discord.shard", "discord.gateway")


def _shorten(record: logging.LogRecord) -> bool:
    kind = record.exc_info[0] if record.exc_info else None
    if kind:
        record.msg, record.exc_info, record.exc_text = f"{record.msg} ({kind.__name__})", None, None
    return True


@contextmanager
def short_logs() -> Iterator[None]:
    """Shorten the logs while the bot runs."""
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # it neither hears nor speaks
    for name in LOGGERS:
        logging.getLogger(name).addFilter(_shorten)
    try:
        yield
    finally:
        for name in LOGGERS:
            logging.getLogger(name).removeFilter(_shorten)
