"""The root of mem0's door: its routes, keys as its clients send them, and refusals in the words that these read."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from ninja import NinjaAPI
from ninja.errors import AuthorizationError, HttpError, ValidationError

from memory.mem0 import routers
from memoryhub.common.api_scope import Caller
from memoryhub.site import auth, problems
from memoryhub.site.openapi import names_by_method
from memoryhub.site.request_parser import JsonParser

ONE_GUILD = "mem0's clients need a key that is for one guild: manage.py create_api_key NAME --guild KEY."


def caller(request: HttpRequest) -> Caller | None:
    """Return who calls; raises AuthorizationError for a key of all guilds, or one whose scope is too narrow."""
    row = auth.key_in(request)
    if row is None:
        return None
    if row.guild is None:
        raise AuthorizationError(message=ONE_GUILD)
    return auth.admit(request, row, now=timezone.now())


def answer(request: HttpRequest, error: Exception | type[Exception]) -> HttpResponse:
    """Return a refusal: `detail` for Python's clients, `error` for others; the fields that are wrong stand in it."""
    return _worded(problems.answer(request, error))


def _worded(response: HttpResponse) -> HttpResponse:
    problem = json.loads(response.content)
    fields = [f"{each['field']}: {each['message']}" for each in problem.get("errors") or []]
    told = problem["detail"].replace("Authorization: Bearer", "Authorization: Token")  # as these clients send it
    detail = " ".join([told, *fields])
    response.content = json.dumps({"detail": detail, "error": detail, "message": detail}).encode()
    response["Content-Type"] = "application/json"
    return response


mem0_api = NinjaAPI(
    title="mem0's door", openapi_url=None, docs_url=None, auth=caller, parser=JsonParser(), urls_namespace="mem0-api"
)
for _kind in (Http404, HttpError, ValidationError, Exception):
    mem0_api.add_exception_handler(_kind, answer)
for _router in routers:
    mem0_api.add_router("", _router)


@csrf_exempt
@login_not_required
def _unknown(_request: HttpRequest) -> HttpResponse:
    return _worded(problems.problem(404, "There is no such address among mem0's. docs/mem0.md lists them."))


def _guard(view: Callable[..., HttpResponse], routes: dict[str, str]) -> Callable[..., HttpResponse]:
    """Wrap a view: it asks for keys instead of a sign-in, and what the framework refuses is worded, too."""

    @login_not_required
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        refused = response.status_code >= 400 and not response.get("Content-Type", "").startswith("application/json")
        return _worded(problems.as_problem(response)) if refused else response

    guarded.routes = routes  # type: ignore[attr-defined]
    return guarded


_patterns = [each for each in mem0_api.urls[0] if isinstance(each, URLPattern) and each.name != "api-root"]
_routes = names_by_method(mem0_api)
for _pattern in _patterns:
    _pattern.callback = _guard(_pattern.callback, _routes.get(str(_pattern.name), {}))

mem0_urls: list[URLPattern | URLResolver] = [
    path("mem0/", include((_patterns, "ninja"), namespace=mem0_api.urls_namespace)),
    re_path(r"^mem0(?:/|$)", _unknown),
]
