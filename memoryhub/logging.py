"""Structured log lines, each with the id of the request or run that it belongs to; message text never gets here."""

from __future__ import annotations

import logging
import time
import traceback
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.encoding import escape_uri_path

from memoryhub.db.trouble import brief

_run: ContextVar[str] = ContextVar("run", default="-")
_PLAIN = set(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "run", "taskName", "request"}

log = logging.getLogger("memoryhub.request")


@contextmanager
def run(name: str) -> Iterator[str]:
    """Give every line logged inside the block one id: the name and eight random digits."""
    token = _run.set(f"{name}-{uuid.uuid4().hex[:8]}")
    try:
        yield _run.get()
    finally:
        _run.reset(token)


class RunFilter(logging.Filter):
    """Puts the current run's id on each record."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep the record, with its run."""
        record.run = _run.get()
        return True


class LineFormatter(logging.Formatter):
    """One line a record: time, level, run, logger, message, then `extra` as name=value.

    What befell the database follows in a sentence: where in the code it was met says nothing, and it meets everybody.
    """

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802
        """Return the time in UTC."""
        return time.strftime(datefmt or "%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created))

    def format(self, record: logging.LogRecord) -> str:
        """Return the line; the traceback of any other error follows on lines of its own."""
        extra = "".join(f" {k}={v}" for k, v in record.__dict__.items() if k not in _PLAIN)
        start = f"{self.formatTime(record)} {record.levelname} [{getattr(record, 'run', '-')}]"
        line = f"{start} {record.name}: {record.getMessage()}{extra}"
        if not record.exc_info:
            return line
        if trouble := brief(record.exc_info[1]):
            return f"{line}: {trouble}"
        return f"{line}\n{self.formatException(record.exc_info)}"

    def formatException(self, ei: Any) -> str:  # noqa: N802  the name is logging's
        """Return where it happened and the kind of error; what an error says may quote a message."""
        kind, _, where = ei
        return "".join(traceback.format_tb(where)) + (kind.__name__ if kind else "")


class RequestIdMiddleware:
    """Names each request, answers with its id in X-Request-Id, and logs path, status and time."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer the request inside a run of its own."""
        started = time.perf_counter()
        with run("web") as name:
            response = self.get_response(request)
            response["X-Request-Id"] = name
            spent = round((time.perf_counter() - started) * 1000)
            # Escaped: a line break in an address would begin a line that looks like one of ours.
            path = escape_uri_path(_without_token(request))
            log.info("%s %s %s", request.method, path, response.status_code, extra={"ms": spent})
        return response


def _without_token(request: HttpRequest) -> str:
    """Return the path; where a part of it is all that lets somebody in, who reads the log must not get in by it."""
    token = request.resolver_match.kwargs.get("token") if request.resolver_match else None
    return request.path.replace(token, "...") if token else request.path
