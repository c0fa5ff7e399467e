"""A POST that names an Idempotency-Key happens once: the same request again gets the same answer.

Of what only reads the key is kept and not the answer, which tells what was said and may not outlive it: the same
request is answered from the memory of now.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime, timedelta

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja.errors import HttpError

from memoryhub.errors import Conflict
from memoryhub.models import ApiKey, KeptAnswer
from memoryhub.site.auth import key_in, only_reads

HEADER = "Idempotency-Key"
LONGEST = 200  # characters
KEPT_FOR = timedelta(hours=24)  # memoryhub.tasks removes them then
GIVEN_UP_AFTER = timedelta(minutes=10)
"""A request whose process died leaves its claim behind; past this time a repeat may take it over."""
RUNNING = 0
"""The status of a claim whose answer is not there yet."""


class KeyInUse(Conflict):
    """The Idempotency-Key stands for another request, or for one that has not been answered yet."""


def once(request: HttpRequest, answer: Callable[[], HttpResponse]) -> HttpResponse:
    """Answer, or repeat the answer kept; only success is kept. Raises KeyInUse."""
    name = request.headers.get(HEADER, "")
    key = key_in(request) if name and request.method == "POST" else None
    if key is None:
        return answer()
    if len(name) > LONGEST:
        raise HttpError(422, f"{HEADER} is longer than {LONGEST} characters.")
    head = f"{request.method} {request.get_full_path()}\n".encode()
    digest = hashlib.sha256(head + request.body).hexdigest()
    row, is_first = _claim(key, name, digest=digest, now=timezone.now())
    reads = only_reads(request)
    if is_first or reads:
        response = answer()
        kept = KeptAnswer.objects.filter(pk=row.pk)
        if response.status_code < 300:
            kept.update(status=response.status_code, body="" if reads else response.content.decode())
        else:
            kept.delete()
        return response
    if row.status == RUNNING:
        raise KeyInUse(f"The first request with this {HEADER} is still running.")
    response = HttpResponse(row.body, status=row.status, content_type="application/json; charset=utf-8")
    response["Idempotency-Replayed"] = "true"
    return response


def _claim(key: ApiKey, name: str, *, digest: str, now: datetime) -> tuple[KeptAnswer, bool]:
    """Return the row of this name and whether this request is to do the work."""
    fresh = {"request_digest": digest, "status": RUNNING, "body": "", "at": now}
    row, new = KeptAnswer.objects.get_or_create(api_key=key, idempotency_key=name, defaults=fresh)
    if new:
        return row, True
    if row.at < now - (GIVEN_UP_AFTER if row.status == RUNNING else KEPT_FOR):
        return row, KeptAnswer.objects.filter(pk=row.pk, at=row.at).update(**fresh) == 1
    if row.request_digest != digest:
        raise KeyInUse(f"This {HEADER} was used for another request.")
    return row, False
