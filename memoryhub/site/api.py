"""The root of the JSON API: its routes, their keys, its document and the form of every refusal."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, wraps
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET
from ninja import NinjaAPI, Status
from ninja.errors import HttpError, ValidationError
from ninja.openapi.docs import Swagger
from ninja.openapi.schema import OpenAPISchema
from ninja.renderers import JSONRenderer
from ninja.utils import normalize_path
from pydantic_core import PydanticSerializationError, to_json

from memory.api import events_router, kept_router
from memory.api import routers as memory_routers
from memoryhub.common import etags
from memoryhub.site import health, idempotency, openapi, problems
from memoryhub.site.auth import BearerKey, SignedIn, key_in
from memoryhub.site.request_parser import JsonParser
from notes.api.arrangements import router as arrangements_router
from notes.api.channels import router as channels_router
from notes.api.notes import router as notes_router
from profiles.api import routers as profile_routers

PREFIX = "api/v1"
TEMPLATE = settings.BASE_DIR / "templates" / "memoryhub" / "api_docs.html"
View = Callable[..., HttpResponse]


class Docs(Swagger):
    """The page that shows the document in the house's colours, with its files from here and a way back."""

    template_cdn = str(TEMPLATE)


class Renderer(JSONRenderer):
    """Writes answers in compiled code: a context names hundreds of times, and Python's encoder is called for each."""

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> Any:
        """Return the answer; what pydantic cannot write, such as half a character, Python's encoder can."""
        try:
            return to_json(data)
        except PydanticSerializationError:
            return super().render(request, data, response_status=response_status)


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
    description="Long-term memory for chat communities. A key goes into the header Authorization, as `Bearer KEY`. "
    "Begin with a message, wait a moment, then ask for a context. More examples: docs/api.md.",
    openapi_url=f"/{PREFIX}/openapi.json",
    docs_url=f"/{PREFIX}/docs",
    docs=Docs(),
    auth=BearerKey(),
    parser=JsonParser(),
    renderer=Renderer(),
    urls_namespace="api",
)
for _kind in (Http404, HttpError, ValidationError, Exception):
    api.add_exception_handler(_kind, problems.answer)


@api.get(f"/{PREFIX}/health", auth=None, response={200: health.Vitals, 503: health.Vitals}, tags=["health"])
def show_health(request: HttpRequest, response: HttpResponse) -> Status[health.Vitals]:
    """Say how the hub is; needs no key."""
    vitals = health.check(now=timezone.now())
    if vitals.status == "ok":
        return Status(200, vitals)
    response.headers["Retry-After"] = problems.RETRY
    problems.unlogged(response)
    return Status(503, vitals)


# The longer addresses first: an id may hold a slash.
for _router in (*memory_routers, *profile_routers, channels_router, notes_router, arrangements_router):
    api.add_router(PREFIX, _router)
api.add_router(PREFIX, events_router, auth=[BearerKey(), SignedIn()])  # pages follow it too
api.add_router("", kept_router, auth=[BearerKey(), SignedIn()])


def _guard(view: View, path: str, routes: dict[str, str]) -> View:
    """Wrap a view: HEAD is GET, unknown names are refused, a repeated POST happens once, errors are problems.

    `routes` says by method whose name stands in the audit log.
    """

    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer, or refuse a body where the route takes none: inside `once`, which refuses another request first."""
        try:
            _refuse_unknown_fields(request, path)
        except problems.EXPECTED as error:
            return problems.answer(request, error)
        return view(request, *args, **kwargs)

    @login_not_required  # the API asks for keys instead
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        method, request.method = request.method, "GET" if request.method == "HEAD" else request.method
        try:
            # A misspelt filter must not widen a list; the source designs' routes ignore parameters they do not know.
            if request.GET and path.startswith(f"/{PREFIX}/") and key_in(request) is not None:
                known = known_names()[0].get((str(request.method), path))
                if known is not None and (unknown := request.GET.keys() - known):
                    raise problems.UnknownNames("parameter", sorted(unknown))
            response = idempotency.once(request, lambda: checked(request, *args, **kwargs))
            if etags.unchanged(request, response):
                return HttpResponse(status=304, headers={"ETag": response["ETag"]})
            return problems.as_problem(response)
        except problems.EXPECTED as error:
            return problems.answer(request, error)
        finally:
            request.method = method  # the web server leaves out the body of an answer to HEAD

    guarded.routes = routes  # type: ignore[attr-defined]
    return guarded


def _refuse_unknown_fields(request: HttpRequest, path: str) -> None:
    """Raise UnknownNames for a body with fields where a POST takes none; no body and `{}` say the same."""
    if (request.method, path) not in known_names()[1] or key_in(request) is None or not request.body.strip():
        return
    try:
        body = JsonParser().parse_body(request)
    except (ValueError, RecursionError) as error:
        raise HttpError(400, "Cannot parse request body") from error
    if body:
        raise problems.UnknownNames("field", sorted(body) if isinstance(body, dict) else ["body"])


@cache
def known_names() -> tuple[dict[tuple[str, str], set[str]], set[tuple[str, str]]]:
    """Return, by method and path, the query parameters of each route, and the POSTs that take no body.

    Read from the routes: the document takes .3 s to make, for which the first caller of each process would wait.
    """
    routes = [
        (method, _documented(f"{router.prefix}/{path}" if path else router.prefix), operation)
        for router in api._get_bound_routers()
        for path, view in router.path_operations.items()
        for operation in view.operations
        for method in operation.methods
    ]
    return openapi.parameters(routes), openapi.bodiless(routes)


def _documented(path: str) -> str:
    """Return a path as the document writes it: from the root, and of its parameters only the names."""
    return normalize_path("/" + re.sub(r"[{<](?:\w+:)?(\w+)[}>]", r"{\1}", path))


@csrf_exempt
@login_not_required
def _unknown(_request: HttpRequest) -> HttpResponse:
    return problems.problem(404, "There is no such address. The document is at /api/v1/openapi.json.")


# Ninja's own root would take the home page's place.
_patterns = [pattern for pattern in api.urls[0] if isinstance(pattern, URLPattern) and pattern.name != "api-root"]
_routes = openapi.names_by_method(api)
for _pattern in _patterns:
    _path = _documented(str(_pattern.pattern))
    if _pattern.name in ("openapi-json", "openapi-view"):  # Ninja shows these whatever the method
        _pattern.callback = csrf_exempt(require_GET(_pattern.callback))
    _pattern.callback = _guard(_pattern.callback, _path, _routes.get(str(_pattern.name), {}))

api_urls: list[URLPattern | URLResolver] = [
    path("", include((_patterns, "ninja"), namespace=api.urls_namespace)),
    re_path(r"^(?:api|admin/api)(?:/|$)", _unknown),
]
