"""What is answered where no view answers: to a program in its own door's form, else a page that says what to do."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import TypeGuard
from urllib.parse import urlencode, urlsplit

from django.contrib import messages
from django.core.exceptions import DisallowedHost, RequestDataTooBig, TooManyFieldsSent
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views import defaults
from ninja.errors import HttpError

from memoryhub.common.htmx import details
from memoryhub.common.permissions import READS
from memoryhub.db.trouble import is_full, is_told
from memoryhub.site import mem0_api, problems

logger = logging.getLogger(__name__)
ENDED = "You were signed out meanwhile, and nothing was changed. Sign in and do it once more."
WORDS = ("text", "intro")  # and the lines of a recap: the fields in which whole sentences are written
Answer = Callable[[HttpRequest, Exception], HttpResponse]
DOORS: dict[str, Answer] = {
    "/api/": problems.answer, "/admin/api/": problems.answer, "/mcp/": problems.answer, "/mem0/": mem0_api.answer,
}  # fmt: skip
"""By which what stands below an address is asked by programs: how each is told what went wrong."""
HOST = "This hub does not answer to the host name of your address. Its operator adds the name to ALLOWED_HOSTS."
TOO_MUCH = "That is more than the hub takes at once, and nothing was changed. Select less, and do it in several steps."
UNREADABLE: dict[type[Exception], str] = {
    DisallowedHost: HOST, TooManyFieldsSent: TOO_MUCH, RequestDataTooBig: TOO_MUCH,
}  # fmt: skip
UNREAD = "What was sent can't be read, and nothing was changed. Load the page anew, and do it once more."
"""What is said of a request that is none of those."""


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a request that Django refuses before any view; an unknown host is told whom to ask.

    Nothing on the page asks the request, which may be what can't be read.
    """
    answer = _door(request)
    if answer is None:
        words = next((words for kind, words in UNREADABLE.items() if isinstance(exception, kind)), UNREAD)
        return HttpResponse(render_to_string("400.html", {"words": words}), status=400)
    return answer(request, HttpError(400, HOST) if isinstance(exception, DisallowedHost) else exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer for what went wrong outside of the view, in a middleware: who is signed in could not be read, say."""
    error, answer = sys.exc_info()[1], _door(request)
    if answer and isinstance(error, Exception):
        return answer(request, error)
    return _unavailable(request, error) if _without_room_or_database(error) else defaults.server_error(request)


def _door(request: HttpRequest) -> Answer | None:
    """Return how a program is answered at this address; None where people look at pages."""
    path = f"{request.path_info}/"
    return next((answer for below, answer in DOORS.items() if path.startswith(below)), None)


def _without_room_or_database(error: BaseException | None) -> TypeGuard[Exception]:
    return isinstance(error, Exception) and (isinstance(error, OperationalError) or is_full(error))


def _unavailable(request: HttpRequest, error: Exception) -> HttpResponse:
    """Say what is the matter; nothing on the page asks the database."""
    if not is_told(error):
        logger.error("the database gave no answer", exc_info=error)
    page = render_to_string("503.html", {"request": request, "full": is_full(error)})
    response = HttpResponse(page, status=503, headers={"Retry-After": problems.RETRY})
    problems.unlogged(response)
    return response


def form_too_old(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form whose token Django refuses: its page is too old, or cookies are off. What was written is shown.

    Not where another site sent it: those would be its words.
    """
    logger.warning("a form was refused: %s", reason)
    page = _page_before(request)
    return render(request, "403_csrf.html", {"back": page, "written": _written(request) if page else ""}, status=403)


def _page_before(request: HttpRequest) -> str:
    """Return the path of the page that a form or button stands on; "" if that is not one of ours."""
    before = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(before, allowed_hosts={request.get_host()}):
        return ""
    path = urlsplit(before)._replace(scheme="", netloc="").geturl()
    return path if url_has_allowed_host_and_scheme(path, allowed_hosts=None) else ""  # "//else.where/" is none


def _written(request: HttpRequest) -> str:
    """Return the words that somebody wrote into a form, without what stood there before."""
    names = [name for name in request.POST if name in WORDS or name.startswith("line-")]
    fields = {name: request.POST.get(name, "").strip() for name in names}
    return "\n\n".join(text for name, text in fields.items() if text and text != request.POST.get(f"initial-{name}"))


def _back_to_the_page(request: HttpRequest) -> HttpResponse:
    """Lead who pressed a button when their session had ended to the sign-in, and back to where the button stands.

    What they wrote is shown first: on the page that they come back to it stands no more.
    """
    back = _page_before(request) or reverse("home")
    sign_in = f"{reverse('sign-in')}?{urlencode({'next': back})}"
    if written := _written(request):
        return render(request, "signed_out.html", {"written": written, "sign_in": sign_in}, status=403)
    messages.error(request, ENDED)
    return redirect(sign_in)


class ErrorPages:
    """Leads a fragment's page, or a button's, to the sign-in when the session ended; says what is no page or busy."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Have htmx open the sign-in as a page; following a redirect, it would swap it into a corner of the old one."""
        response = self.get_response(request)
        if isinstance(response, HttpResponseNotAllowed) and _door(request) is None:
            page = render(request, "405.html", status=405)
            page.headers["Allow"] = response.headers["Allow"]
            return page
        if not response.headers.get("Location", "").startswith(f"{reverse('sign-in')}?next="):
            return response
        if not details(request):
            return response if request.method in READS else _back_to_the_page(request)
        back = details(request).current_url_abs_path or reverse("home")
        target = f"{reverse('sign-in')}?{urlencode({'next': back})}"
        return HttpResponse(status=204, headers={"HX-Redirect": target, "Vary": "HX-Request"})

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Say at a program's door whatever went wrong, and on a page that the database gave no answer."""
        if answer := _door(request):
            return answer(request, exception)
        return _unavailable(request, exception) if _without_room_or_database(exception) else None
