"""What Django answers by itself, before or around a view: a problem below /api, a page elsewhere."""

from __future__ import annotations

import sys

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.views import defaults

from memoryhub.site import problems

BELOW = ("/api/", "/admin/api/")
HOST = "This hub does not answer to the host name of your address. Its operator adds the name to ALLOWED_HOSTS."


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a request that Django refuses unseen; an unknown host is told whom to ask."""
    if not request.path_info.startswith(BELOW):
        return defaults.bad_request(request, exception)
    return problems.problem(400, HOST) if isinstance(exception, DisallowedHost) else problems.answer(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer for what went wrong outside of the view, in a middleware."""
    error = sys.exc_info()[1]
    if not request.path_info.startswith(BELOW) or not isinstance(error, Exception):
        return defaults.server_error(request)
    return problems.answer(request, error)
