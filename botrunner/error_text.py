"""What may be logged of an error: its kind and where it arose. Its own words may quote a message."""

from __future__ import annotations

import traceback

OURS = ("botrunner.", "memory.", "memoryhub.", "notes.", "profiles.")


def log_fields(error: BaseException) -> dict[str, object]:
    """Return `error` and `where` for a log line: the last place in our code and where that led, with their modules."""
    places = [
        f"{frame.f_globals.get('__name__', '')}.{frame.f_code.co_qualname}:{line}"
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    own = [place for place in places if place.startswith(OURS)]
    return {"error": type(error).__name__, "where": ">".join(dict.fromkeys([*own[-1:], *places[-1:]]))}
