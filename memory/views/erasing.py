"""A member's rights on their page: what is held of them is handed out, or erased for good with a receipt."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memory import erasure
from memory.erasure import export
from memoryhub.common.htmx import render_either
from memoryhub.common.permissions import actor, visible
from memoryhub.community.models import Member

RECEIPT = "receipt"  # in the session, so that the page can be looked at again


@require_POST
@login_required
def export_member(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Hand out all that is held of the member, as a zip."""
    found, now = _member(request, pk), timezone.now()
    export.log_export(found, actor=actor(request), now=now)
    return export.download_response(found, now=now)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def erase_member(request: HttpRequest, pk: int) -> HttpResponse:
    """Say what would go; erase it when that is confirmed, and lead to the receipt."""
    found = _member(request, pk)
    if request.method == "POST" and request.POST.get("confirm") == "yes":
        receipt = erasure.erase_member(found, now=timezone.now(), by=actor(request))
        request.session[RECEIPT] = receipt.token
        return redirect("erased")
    context = {"member": found, "planned": [(name, count) for name, count in erasure.preview(found).items() if count]}
    return render_either(request, "memory/erase.html", "memory/_erase.html", context)


@require_safe
@login_required
@never_cache
def erased(request: HttpRequest) -> HttpResponse:
    """Show the receipt of the erasure that was done last in this session."""
    token = request.session.get(RECEIPT, "")
    try:
        receipt = erasure.verify(token) if token else None
    except erasure.ReceiptInvalid:
        receipt = None
    return render(request, "memory/erased.html", {"receipt": receipt})


def _member(request: HttpRequest, pk: int) -> Member:
    return get_object_or_404(visible(Member.objects.select_related("guild"), request.user), pk=pk)
