"""`POST /mcp`, and what `manage.py mcp` calls: a key's access, its count and its line in the audit log for models."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import TypeVar, cast
from urllib.parse import urlsplit

from asgiref.sync import async_to_sync, sync_to_async
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from ninja.errors import AuthenticationError, AuthorizationError

from memory.model_context.visits import NotDone, Visit
from memoryhub.common.api_scope import Call
from memoryhub.models import ApiKey
from memoryhub.site import audit, auth, problems

T = TypeVar("T")
WHICH = "This key is for all guilds. Name one: /mcp?guild=KEY, or manage.py mcp --guild KEY."
NOT_KEPT = ("Content-Length", "Transfer-Encoding")  # of an answer: the web server writes its own


@csrf_exempt
@login_not_required  # it asks for keys instead
def serve(request: HttpRequest) -> HttpResponse:
    """Answer one message of a client; there are no streams and no sessions, so nothing but POST is taken."""
    if request.method != "POST":
        return problems.problem(405, "This address takes: POST.", headers={"Allow": "POST"})
    try:
        _refuse_strangers(request)
        visit = admit(request, guild=request.GET.get("guild", ""))
        body = request.body
    except problems.EXPECTED as error:
        return problems.answer(request, error)
    from memory.model_context.sdk_server import exchange  # takes a second to import

    async def door(work: Callable[[Visit], T]) -> T:
        return await sync_to_async(attempt)(visit, work)  # in this request's own thread

    headers = {name: value for name, value in request.headers.items() if name != "Authorization"}
    answered = async_to_sync(exchange)(door, headers=headers, body=body)
    response = HttpResponse(answered.body, status=answered.status)
    for name, value in (answered.headers or {}).items():
        if name.title() not in NOT_KEPT:
            response[name] = value
    response._has_been_logged = True  # type: ignore[attr-defined]  # our own line has the path
    return response


@csrf_exempt
@login_not_required
def unknown(_request: HttpRequest) -> HttpResponse:
    """Tell a client of an address below the door's where it is."""
    return problems.problem(404, "There is no such address. MCP is spoken at /mcp, without anything behind it.")


def _refuse_strangers(request: HttpRequest) -> None:
    """Raise AuthorizationError for a page of another site: a browser says where it comes from, programs say nothing."""
    origin = request.headers.get("Origin")
    if origin and urlsplit(origin).netloc != request.get_host() and origin not in settings.CSRF_TRUSTED_ORIGINS:
        raise AuthorizationError(message="Pages of another site may not ask; see CSRF_TRUSTED_ORIGINS.")


def admit(request: HttpRequest, *, guild: str) -> Visit:
    """Return the visit of the key in the request, counted; `guild` names one where the key is for all.

    Raises AuthenticationError, AuthorizationError, GuildUnknown, TooManyRequests.
    """
    row = auth.key_in(request)
    if row is None:
        raise AuthenticationError
    call = cast("Call", request)
    call.auth = auth.admit(request, row, now=timezone.now())
    key = guild or (call.auth.bound.key if call.auth.bound else "")
    if not key:
        raise AuthorizationError(message=WHICH)
    where = call.auth.guild(key)

    writes = auth.WIDTH[ApiKey.Scope(row.scope)] >= auth.WIDTH[ApiKey.Scope.WRITE]
    return Visit(request=call, guild=where, writes=writes, write_down=partial(audit.announce, request, guild=where))


def attempt(visit: Visit, work: Callable[[Visit], T]) -> T:
    """Do a piece of work; raises NotDone with the words of whatever refused it, and for a fault of ours with none."""
    try:
        return work(visit)
    except NotDone:
        audit.take_back(visit.request)
        raise
    except Exception as error:  # noqa: BLE001  the one place of this door where errors become answers
        audit.take_back(visit.request)
        raise NotDone(words_of(visit.request, error)) from None


def words_of(request: HttpRequest, error: Exception) -> str:
    """Return what a caller is told of an exception, with the fields that are wrong."""
    problem = json.loads(problems.answer(request, error).content)
    fields = [f"{each['field']}: {each['message']}" for each in problem.get("errors") or []]
    return " ".join([problem["detail"], *fields])
