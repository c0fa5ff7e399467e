"""A member's rights: what is held of them is handed out, or erased for good with a receipt that anybody can check."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memory import erasure
from memory.erasure import export
from memory.models import Erasure
from memoryhub.common.htmx import render_either
from memoryhub.common.permissions import actor, changers_only, visible_member

ERASURE, RECEIPT = "erasure", "receipt"  # in the session, so that the page can be looked at again
LONGEST = 20_000  # characters


@require_POST
def export_member(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Hand out all that is held of the member, as a zip."""
    member, now = visible_member(request, pk), timezone.now()
    export.log_export(member, actor=actor(request), now=now)
    return export.download_response(member, now=now)


@require_POST
@never_cache
def link_export(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a link that whoever has it gets the same zip by, without an account here, for 24 hours."""
    member = visible_member(request, pk)
    address = request.build_absolute_uri(export.make_link(member, now=timezone.now()))
    context = {"member": member, "address": address}
    return render_either(request, "memory/export_link.html", "memory/_export_link.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@changers_only
def erase_member(request: HttpRequest, pk: int) -> HttpResponse:
    """Say what would go; erase it when that is confirmed, and lead to the receipt."""
    member = visible_member(request, pk)
    if request.method == "POST" and request.POST.get("confirm") == "yes":
        guild, by = member.guild, actor(request)
        job = erasure.request_erasure(guild, member=member.platform_id, now=timezone.now(), by=by)
        request.session[ERASURE] = str(job.pk) if job else ""
        return redirect("erased")
    context = {"member": member, "planned": [(name, count) for name, count in erasure.preview(member).items() if count]}
    return render_either(request, "memory/erase.html", "memory/_erase.html", context)


@require_safe
@never_cache
def erased(request: HttpRequest) -> HttpResponse:
    """Show how far the erasure is that was asked for last in this session, and its receipt once it is done."""
    number = request.session.get(ERASURE)
    if job := Erasure.objects.filter(pk=number).first() if number else None:
        if not job.finished_at:
            running = {
                "job": job, "doing": erasure.doing(job), "done": erasure.steps_done(job), "steps": len(erasure.STEPS),
            }  # fmt: skip
            return render_either(request, "memory/erased.html", "memory/_erased.html", running)
        request.session[RECEIPT] = job.receipt
    token = request.session.get(RECEIPT, "")
    try:
        receipt = erasure.verify(token) if token else None
    except erasure.ReceiptInvalid:
        receipt = None
    return render_either(request, "memory/erased.html", "memory/_erased.html", {"receipt": receipt})


@require_safe
@login_not_required
@never_cache
def export_by_link(request: HttpRequest, token: str) -> HttpResponseBase:
    """Tell what a link leads to, without sign-in; only a second click downloads, as a preview in a chat clicks once."""
    now = timezone.now()
    response: HttpResponseBase
    try:
        member = export.member_of_link(token, now=now)
    except export.LinkExpired as expired:
        response = render(request, "memory/export.html", {"error": str(expired)}, status=410)
    else:
        if "download" in request.GET:
            export.log_export(member, actor=f"member:{member.platform_id}", now=now)
            response = export.download_response(member, now=now)
        else:
            response = render(request, "memory/export.html", {"member": member})
    response["X-Robots-Tag"] = "noindex, nofollow"
    response["Referrer-Policy"] = "no-referrer"  # the address is the key
    return response


@require_safe
@login_not_required
def receipts(request: HttpRequest) -> HttpResponse:
    """Show what a receipt says, if it was signed here; anybody may ask."""
    token = request.GET.get("receipt", "")[:LONGEST]
    try:
        receipt = erasure.verify(token) if token else None
        return render(request, "memory/receipts.html", {"receipt": receipt, "token": token})
    except erasure.ReceiptInvalid as refused:
        return render(request, "memory/receipts.html", {"error": str(refused), "token": token}, status=422)
