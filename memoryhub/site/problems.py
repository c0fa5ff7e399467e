"""The only place where an exception becomes an HTTP answer: problem+json (RFC 9457), without internals."""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from ninja.errors import AuthenticationError, HttpError, ValidationError
from pydantic import BaseModel

from memory.curation.corrections import FactConflict, FactRefused, NothingToUndo
from memory.curation.entries import EntryConflict, EntryRefused
from memory.curation.guild_settings import SettingsRefused
from memory.erasure import ReceiptInvalid
from memoryhub.ai import ModelFailed
from memoryhub.common.etags import Stale
from memoryhub.community.identity import GuildUnknown
from memoryhub.site.auth import ScopeTooNarrow
from memoryhub.site.idempotency import AnotherRequest, StillRunning
from memoryhub.site.rate_limit import TooManyRequests
from memoryhub.site.request_parser import NotJson
from notes.messages.message_store import MessageUnknown
from notes.summaries.summarize import MemoryOff
from profiles.relationships.relationship_store import RelationshipRefused

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
MOST_ERRORS = 20


class FieldError(BaseModel):
    """What is wrong with one field; `field` is its path, as in messages.0.text."""

    field: str
    message: str


class Unasked(ValueError):
    """A request names what its route does not know: parameters of the address, or fields where no body is taken."""

    def __init__(self, what: str, names: Sequence[str]) -> None:
        super().__init__(f"There is no such {what} here.")
        told = f"There is no such {what}."
        self.errors = [FieldError(field=name[:100], message=told) for name in names[:MOST_ERRORS]]


ANSWERS: dict[type[Exception], tuple[int, str]] = {
    AuthenticationError: (401, "Send a key that is known and not revoked: Authorization: Bearer KEY."),
    ScopeTooNarrow: (403, ""),
    GuildUnknown: (404, "There is no such guild, or this key is not for it."),
    MessageUnknown: (404, "There is no such message in this guild."),
    Http404: (404, ""),
    NothingToUndo: (409, ""),
    FactConflict: (409, ""),
    MemoryOff: (409, ""),
    EntryConflict: (409, ""),
    AnotherRequest: (409, ""),
    StillRunning: (409, ""),
    Stale: (412, ""),
    RequestDataTooBig: (413, "The request is too large."),
    SuspiciousOperation: (400, "The request is malformed."),
    NotJson: (415, ""),
    FactRefused: (422, ""),
    RelationshipRefused: (422, ""),
    SettingsRefused: (422, ""),
    EntryRefused: (422, ""),
    ReceiptInvalid: (422, ""),
    TooManyRequests: (429, ""),
    ModelFailed: (503, "The language model gave no answer. Try again; if that does not help, see the model calls."),
    Unasked: (422, ""),
    OverflowError: (422, "A time or a number lies outside of what can be kept."),  # 9999-12-31T23:59:59-23:59
    UnreadablePostError: (400, "The request broke off."),
    OperationalError: (503, "The database is busy or away. Try again."),
}
"""Status and detail by exception, looked up along its ancestry; an empty detail: the exception's own words."""
NINJAS = (ValidationError, HttpError)
PLAINER = {"extra_forbidden": "There is no such field.", "missing": "This is required."}
HEADERS = {401: {"WWW-Authenticate": "Bearer"}, 503: {"Retry-After": "5"}}
FULL = "The hub's disk is full, so nothing was stored. Send this again once there is room; manage.py doctor says where."
UNANTICIPATED = "Something went wrong here. It has been logged under the X-Request-Id of this answer."


class Problem(BaseModel):
    """Every answer that is not a success."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[FieldError] | None = None


def problem(status: int, detail: str, errors: Sequence[FieldError] | None = None) -> HttpResponse:
    """Return the answer."""
    said = Problem(
        type="about:blank", title=HTTPStatus(status).phrase, status=status, detail=detail,
        errors=list(errors) if errors else None,
    )  # fmt: skip
    body = json.dumps(said.model_dump(exclude_none=True))  # pydantic's own JSON refuses halves of surrogate pairs
    response = HttpResponse(body, status=status, content_type=MEDIA_TYPE, headers=HEADERS.get(status))
    # Django would log the address with its query, and a question is chat; our own line has the path.
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


def answer(_request: HttpRequest, error: Exception | type[Exception]) -> HttpResponse:
    """Return what a caller is told of an exception; ninja's types have it that a bare class may come, too."""
    error = error if isinstance(error, Exception) else error()
    if isinstance(error, ValidationError):
        return _invalid(error)
    cause = error.__cause__ if isinstance(error, HttpError) and error.__cause__ else error
    for ancestor in type(cause).__mro__:
        if ancestor in ANSWERS:
            status, detail = ANSWERS[ancestor]
            said = problem(status, _full(cause) or detail or str(cause), getattr(cause, "errors", None))
            for name, value in getattr(cause, "headers", {}).items():
                said[name] = value
            return said
    if isinstance(error, HttpError):
        return problem(error.status_code, _unreadable(cause) if cause is not error else str(error))
    return _unanticipated(error)


def _full(cause: BaseException) -> str:
    """SQLite has one exception for all that can befall a file: its words alone tell a full disk from a lock."""
    return FULL if isinstance(cause, OperationalError) and "is full" in str(cause) else ""


def as_problem(response: HttpResponse) -> HttpResponse:
    """Return the answer, in our form if the framework refused in its own."""
    if response.status_code < 400 or response.get("Content-Type") in (MEDIA_TYPE, "application/json; charset=utf-8"):
        return response
    said = problem(response.status_code, HTTPStatus(response.status_code).description or "This was refused.")
    if "Allow" in response:
        said["Allow"] = response["Allow"].replace("GET", "GET, HEAD")
    return said


def _invalid(error: ValidationError) -> HttpResponse:
    found = [FieldError(field=_path(one["loc"]), message=_said(one)) for one in error.errors[:MOST_ERRORS]]
    count = len(error.errors)
    detail = "1 field can't be accepted." if count == 1 else f"{count} fields can't be accepted."
    return problem(422, f"{detail} The first {MOST_ERRORS} are named." if count > MOST_ERRORS else detail, found)


def _path(place: Sequence[Any]) -> str:
    """Name the field in the caller's own words: without where it stood and what our function calls the whole."""
    source, *named = place
    if source == "body" or (len(named) > 1 and isinstance(named[1], str)):
        del named[0]
    return ".".join(str(part) for part in named) or str(source)


def _said(error: dict[str, Any]) -> str:
    return PLAINER.get(error["type"]) or str(error["msg"]).removeprefix("Value error, ")


def _unreadable(cause: BaseException) -> str:
    """Say where JSON breaks off, without repeating it."""
    if isinstance(cause, json.JSONDecodeError):
        return f"The body is no JSON: {cause.msg} at line {cause.lineno}, column {cause.colno}."
    return "The body is no JSON in UTF-8, or is nested too deeply."


def _unanticipated(error: BaseException) -> HttpResponse:
    """Log where it happened; an exception's words may hold a message's text, so they are left out."""
    where = "".join(traceback.format_tb(error.__traceback__)[-8:])
    log.error("unanticipated %s\n%s", type(error).__name__, where)
    return problem(500, UNANTICIPATED)
