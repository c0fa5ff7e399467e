"""Shortens what discord.py logs when it reconnects: a sentence, without the pages of traceback it adds to each try."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

TALKERS = ("discord.client", "discord.shard", "discord.gateway")


def _shorten(record: logging.LogRecord) -> bool:
    kind = record.exc_info[0] if record.exc_info else None
    if kind:
        record.msg, record.exc_info, record.exc_text = f"{record.msg} ({kind.__name__})", None, None
    return True


@contextmanager
def quiet() -> Iterator[None]:
    """Shorten while the bot runs."""
    for name in TALKERS:
        logging.getLogger(name).addFilter(_shorten)
    try:
        yield
    finally:
        for name in TALKERS:
            logging.getLogger(name).removeFilter(_shorten)
