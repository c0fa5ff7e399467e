"""The only place where an exception becomes an HTTP answer: problem+json (RFC 9457), without internals."""

from __future__ import annotations

import errno
import json
import logging
import traceback
from collections.abc import Mapping, Sequence
from http import HTTPStatus

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from ninja.errors import AuthenticationError, HttpError, ValidationError
from pydantic import BaseModel

from memoryhub.ai import ModelFailed
from memoryhub.common.etags import Stale
from memoryhub.db.trouble import is_full, is_told
from memoryhub.errors import Conflict, NotFound, Refused, wrong_in_field
from memoryhub.site.rate_limit import TooManyRequests
from memoryhub.site.request_parser import NotJson

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
MOST_ERRORS = 20


class FieldError(BaseModel):
    """What is wrong with one field; `field` is its path, as in messages.0.text."""

    field: str
    message: str


class UnknownNames(Refused):
    """A request names parameters or fields that its route does not know."""

    def __init__(self, what: str, names: Sequence[str]) -> None:
        super().__init__(f"There is no such {what} here.")
        message = f"There is no such {what}."
        self.errors = [FieldError(field=name[:100], message=message) for name in names[:MOST_ERRORS]]


ANSWERS: dict[type[Exception], tuple[int, str]] = {
    NotFound: (404, ""),
    Conflict: (409, ""),
    Refused: (422, ""),
    Stale: (412, ""),
    NotJson: (415, ""),
    TooManyRequests: (429, ""),
    ModelFailed: (503, "The language model gave no answer. Try again; if that does not help, see the model calls."),
    AuthenticationError: (401, "Send a key that is known and not revoked: Authorization: Bearer KEY."),
    Http404: (404, ""),
    RequestDataTooBig: (
        413,
        f"The request is too large: {settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 2**20} MB are the most.",
    ),
    SuspiciousOperation: (400, "The request is malformed."),
    OverflowError: (422, "A time or a number lies outside of what can be kept."),  # 9999-12-31T23:59:59-23:59
    UnreadablePostError: (400, "The request broke off."),
    OperationalError: (503, "The database is busy or away. Try again."),
}
"""Status and detail by exception, looked up along its ancestry; an empty detail: the exception's own words."""
EXPECTED: tuple[type[Exception], ...] = (*ANSWERS, ValidationError, HttpError)
RETRY = "5"  # seconds
HEADERS = {401: {"WWW-Authenticate": "Bearer"}, 503: {"Retry-After": RETRY}}
AS_JSON = "Names and texts stand in double quotes, and no comma stands before a closing bracket."
FULL = "The hub's disk is full, so nothing was stored. Send this again once there is room; manage.py doctor says where."
CROWDED = "The hub has as many connections and files open as its system allows. Try again."
UNANTICIPATED = "Something went wrong here. It has been logged under the X-Request-Id of this answer."


class Problem(BaseModel):
    """Every answer that is not a success."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[FieldError] | None = None


def problem(
    status: int, detail: str, errors: Sequence[FieldError] | None = None, *, headers: Mapping[str, str] | None = None
) -> HttpResponse:
    """Return the answer."""
    content = Problem(
        type="about:blank", title=HTTPStatus(status).phrase, status=status, detail=detail,
        errors=list(errors) if errors else None,
    )  # fmt: skip
    body = json.dumps(content.model_dump(exclude_none=True))  # pydantic's own JSON refuses halves of surrogate pairs
    response = HttpResponse(body, status=status, content_type=MEDIA_TYPE, headers=headers or HEADERS.get(status))
    unlogged(response)
    return response


def unlogged(response: HttpResponse) -> None:
    """Have Django log no line of it: that has the address with its query, and a question is chat. Ours has the path."""
    response._has_been_logged = True  # type: ignore[attr-defined]


def answer(_request: HttpRequest, error: Exception | type[Exception]) -> HttpResponse:
    """Return what a caller is told of an exception; ninja's types have it that a bare class may come, too."""
    error = error if isinstance(error, Exception) else error()
    if isinstance(error, ValidationError):
        return _invalid(error)
    cause = error.__cause__ if isinstance(error, HttpError) and error.__cause__ else error
    if known := next((ancestor for ancestor in type(cause).__mro__ if ancestor in ANSWERS), None):
        status, detail = ANSWERS[known]
        if isinstance(cause, OperationalError):
            detail = FULL if is_full(cause) else detail
            if not is_told(cause):
                log.warning("the database gave no answer", exc_info=cause)
        response = problem(status, detail or getattr(cause, "public", "") or str(cause), getattr(cause, "errors", None))
        for name, value in getattr(cause, "headers", {}).items():
            response[name] = value
        return response
    if isinstance(error, HttpError):
        return problem(error.status_code, str(error) if cause is error else _why_unreadable(cause))
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        log.error("too many open files: raise `ulimit -n`, or LimitNOFILE= of the unit")
        return problem(503, CROWDED)
    # An exception's words may hold a message's text, so only its name and the place are logged.
    where = "".join(traceback.format_tb(error.__traceback__)[-8:])
    log.error("unanticipated %s\n%s", type(error).__name__, where)
    return problem(500, UNANTICIPATED)


def as_problem(response: HttpResponse) -> HttpResponse:
    """Return the answer, in our form if the framework refused in its own."""
    if response.status_code < 400 or response.get("Content-Type") in (MEDIA_TYPE, "application/json; charset=utf-8"):
        return response
    detail, allowed = (
        HTTPStatus(response.status_code).description,
        response.get("Allow", "").replace("GET", "GET, HEAD"),
    )
    if allowed:
        return problem(response.status_code, f"This address takes: {allowed}.", headers={"Allow": allowed})
    return problem(response.status_code, detail or "This was refused.")


def _invalid(error: ValidationError) -> HttpResponse:
    """Name the first fields that are wrong, by the path that the caller wrote: without our function's parameter."""
    fields = []
    for entry in error.errors[:MOST_ERRORS]:
        source, *path = entry["loc"]
        if source == "body" or (len(path) > 1 and isinstance(path[1], str)):
            del path[0]
        if source == "query":  # several values of a parameter share its name
            path = [part for part in path if isinstance(part, str)]
        where = ".".join(str(part) for part in path) or str(source)
        fields.append(FieldError(field=where, message=wrong_in_field(entry)))
    count = len(error.errors)
    detail = "1 field can't be accepted." if count == 1 else f"{count} fields can't be accepted."
    return problem(422, f"{detail} The first {MOST_ERRORS} are named." if count > MOST_ERRORS else detail, fields)


def _why_unreadable(cause: BaseException) -> str:
    """Say where JSON breaks off, without repeating it."""
    if isinstance(cause, json.JSONDecodeError):
        return f"The body is no JSON from line {cause.lineno}, column {cause.colno} on. {AS_JSON}"
    return "The body is no JSON in UTF-8, or is nested too deeply."
