"""The root of the JSON API: its routes, their keys, its document and the form of every refusal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.utils import timezone
from ninja import NinjaAPI, Status
from ninja.errors import HttpError, ValidationError
from ninja.openapi.docs import ABS_TPL_PATH, Swagger
from ninja.openapi.schema import OpenAPISchema

from memory.api import kept_router
from memory.api import routers as memory_routers
from memoryhub.common import etags
from memoryhub.site import health_endpoint, idempotency, openapi, problems
from memoryhub.site.auth import BearerKey, SignedIn, key_in
from memoryhub.site.health_endpoint import Vitals
from memoryhub.site.request_parser import JsonParser
from notes.api.channels import router as channels_router
from notes.api.notes import router as notes_router
from profiles.api import router as profiles_router

PREFIX = "api/v1"
View = Callable[..., HttpResponse]


class Docs(Swagger):
    """The page that shows the document, with its files from here instead of a content network."""

    template_cdn = str(ABS_TPL_PATH / "swagger.html")


class RootAPI(NinjaAPI):
    """An API at the root of the site, since the source designs' routes lie outside of /api/v1."""

    def get_root_path(self, path_params: dict[str, Any]) -> str:
        """Return where the paths of the document begin."""
        return "/"

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        """Return the document with all refusals declared."""
        document = super().get_openapi_schema(path_prefix=path_prefix, path_params=path_params)
        openapi.complete(document)
        return document

    def get_openapi_operation_id(self, operation: Any) -> str:
        """Name an operation by its function: names are unique, and stay when a module is moved."""
        return str(operation.view_func.__name__)


api = RootAPI(
    title="memoryhub",
    version=settings.VERSION,
    description="Long-term memory for chat communities. Examples for each route: docs/api.md.",
    openapi_url=f"/{PREFIX}/openapi.json",
    docs_url=f"/{PREFIX}/docs",
    docs=Docs(),
    auth=BearerKey(),
    parser=JsonParser(),
    urls_namespace="api",
)
for _kind in (Http404, HttpError, ValidationError, Exception):
    api.add_exception_handler(_kind, problems.answer)


@api.get(f"/{PREFIX}/health", auth=None, response={200: Vitals, 503: Vitals}, tags=["health"])
def show_health(request: HttpRequest) -> Status[Vitals]:
    """Say how the hub is; needs no key."""
    seen = health_endpoint.take(now=timezone.now())
    return Status(200 if seen.status == "ok" else 503, seen)


# The longer addresses first: an id may hold a slash.
for _router in (*memory_routers, profiles_router, channels_router, notes_router):
    api.add_router(PREFIX, _router)
api.add_router("", kept_router, auth=[BearerKey(), SignedIn()])


def _through_the_door(view: View, path: str) -> View:
    """Wrap a view: HEAD is GET, no parameter goes unheard, a repeated POST happens once, refusals are problems."""

    def bodied(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer, or refuse a body that the route takes none of; a repetition of another request was refused before."""
        try:
            _refuse_unasked_fields(request, path)
        except problems.EXPECTED as error:
            return problems.answer(request, error)
        return view(request, *args, **kwargs)

    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        with _head_as_get(request):
            try:
                _refuse_unknown_parameters(request, path)
                response = idempotency.once(request, lambda: bodied(request, *args, **kwargs))
            except problems.EXPECTED as error:
                return problems.answer(request, error)
            return _not_modified(response) if etags.unchanged(request, response) else problems.as_problem(response)

    return answered


@contextmanager
def _head_as_get(request: HttpRequest) -> Iterator[None]:
    """Have HEAD answered as GET is; the web server leaves out the body."""
    method, request.method = request.method, "GET" if request.method == "HEAD" else request.method
    try:
        yield
    finally:
        request.method = method


def _not_modified(response: HttpResponse) -> HttpResponse:
    return HttpResponse(status=304, headers={"ETag": response["ETag"]})


def _refuse_unknown_parameters(request: HttpRequest, path: str) -> None:
    """Raise UnknownNames: a misspelt filter must not widen a list. The source designs' routes let them pass."""
    if not request.GET or not path.startswith(f"/{PREFIX}/") or key_in(request) is None:
        return
    known = _parameters().get((str(request.method), path))
    if known is not None and (strange := request.GET.keys() - known):
        raise problems.UnknownNames("parameter", sorted(strange))


def _refuse_unasked_fields(request: HttpRequest, path: str) -> None:
    """Raise UnknownNames for a body with fields where a POST takes none; no body and `{}` say the same."""
    if (request.method, path) not in _bodiless() or key_in(request) is None or not request.body.strip():
        return
    try:
        said = JsonParser().parse_body(request)
    except (ValueError, RecursionError) as error:
        raise HttpError(400, "Cannot parse request body") from error
    if said:
        raise problems.UnknownNames("field", sorted(said) if isinstance(said, dict) else ["body"])


@cache
def _bodiless() -> set[tuple[str, str]]:
    return openapi.bodiless(api.get_openapi_schema())


@cache
def _parameters() -> dict[tuple[str, str], set[str]]:
    return openapi.parameters(api.get_openapi_schema())


def _written(route: str) -> str:
    """Return a route as the document writes its path."""
    return "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route)


def _unknown(_request: HttpRequest) -> HttpResponse:
    return problems.problem(404, "There is no such address. The document is at /api/v1/openapi.json.")


_unknown.csrf_exempt = True  # type: ignore[attr-defined]


def _addresses() -> list[URLPattern | URLResolver]:
    """Return ninja's patterns, each behind the door; its own root would take the home page's place."""
    patterns = [pattern for pattern in api.urls[0] if isinstance(pattern, URLPattern) and pattern.name != "api-root"]
    for pattern in patterns:
        pattern.callback = _through_the_door(pattern.callback, _written(str(pattern.pattern)))
    known = include((patterns, "ninja"), namespace=api.urls_namespace)
    return [path("", known), re_path(r"^(?:api|admin/api)(?:/|$)", _unknown)]


api_urls = _addresses()
