"""What a browser is told when it can't have a page: the session ended meanwhile, or the database is busy."""

from __future__ import annotations

import logging
from collections.abc import Callable
from urllib.parse import urlencode, urlsplit

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from memoryhub.common.htmx import details

logger = logging.getLogger(__name__)
RETRY = "5"  # seconds


class Troubles:
    """Leads a fragment's page to the sign-in, and turns a busy database into a page that says so."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Have htmx open the sign-in as a page; following a redirect, it would swap it into a corner of the old one."""
        response = self.get_response(request)
        sign_in = reverse("sign-in")
        if not details(request) or urlsplit(response.headers.get("Location", "")).path != sign_in:
            return response
        back = details(request).current_url_abs_path or reverse("home")
        there = f"{sign_in}?{urlencode({'next': back})}"
        return HttpResponse(status=204, headers={"HX-Redirect": there, "Vary": "HX-Request"})

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Say that the database gave no answer; the JSON API does so by itself."""
        if not isinstance(exception, OperationalError):
            return None
        logger.error("The database gave no answer: %s", type(exception).__name__, exc_info=exception)
        response = render(request, "503.html", status=503)
        response.headers["Retry-After"] = RETRY
        return response
