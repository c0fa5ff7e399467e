"""What an operator reads of a failure, and how long the work should wait: never the words of an unexpected error."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta

from memoryhub.ai import ModelFailed

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class FailureNote:
    """A failure in words, and the pause that the provider asks for (zero if none)."""

    words: str
    wait: timedelta = timedelta()


def describe_failure(error: Exception, what: str, **ids: int) -> FailureNote:
    """Return the failure: a model's explains itself; any other may quote a message, so the log has where it was."""
    if isinstance(error, ModelFailed):
        return FailureNote(str(error), timedelta(seconds=error.retry_after or 0))
    logger.error(what, exc_info=error, extra=ids)
    return FailureNote(type(error).__name__)
