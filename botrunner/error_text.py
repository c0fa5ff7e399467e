"""What may be logged of an error: its kind and where it arose. Its own words may quote a message."""

from __future__ import annotations

import traceback


def log_fields(error: BaseException) -> dict[str, object]:
    """Return `error` and `where` for a log line."""
    frames = traceback.extract_tb(error.__traceback__)
    return {"error": type(error).__name__, "where": f"{frames[-1].name}:{frames[-1].lineno}" if frames else ""}
