"""Public pages: a member fetches their export by a link, and anybody sees whether a receipt is genuine."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from memory import erasure
from memory.erasure import export as exporting

LONGEST = 20_000  # characters


@require_safe
@never_cache
def export(request: HttpRequest, token: str) -> HttpResponseBase:
    """Tell what the link leads to; hand it out on a second click, so that a preview in a chat fetches nothing."""
    now = timezone.now()
    try:
        member = exporting.member_of_link(token, now=now)
    except exporting.LinkExpired as expired:
        return _private(render(request, "memory/export.html", {"error": str(expired)}, status=410))
    if "download" not in request.GET:
        return _private(render(request, "memory/export.html", {"member": member}))
    exporting.log_export(member, actor=f"member:{member.platform_id}", now=now)
    return _private(exporting.download_response(member, now=now))


def _private(response: HttpResponseBase) -> HttpResponseBase:
    response["X-Robots-Tag"] = "noindex, nofollow"
    response["Referrer-Policy"] = "no-referrer"  # the address is the key
    return response


@require_safe
def receipts(request: HttpRequest) -> HttpResponse:
    """Show what a receipt says, if it was signed here."""
    token = request.GET.get("receipt", "")[:LONGEST]
    try:
        receipt = erasure.verify(token) if token else None
        return render(request, "memory/receipts.html", {"receipt": receipt, "token": token})
    except erasure.ReceiptInvalid as refused:
        return render(request, "memory/receipts.html", {"error": str(refused), "token": token}, status=422)
