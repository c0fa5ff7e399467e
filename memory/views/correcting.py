"""One click on a fact, wherever it is shown: pin it, let it go again, or put it in other words."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from memory import corrections
from memory.corrections import FactConflict, FactRefused
from memory.models import Fact
from memory.shapes import MAX_FACT
from memory.views.memories import page_before
from memoryhub.access import actor, visible
from memoryhub.fragments import render_either


@require_POST
@login_required
def pin_fact(request: HttpRequest, pk: int) -> HttpResponse:
    """Pin the fact, so that no clean-up takes it; pinned already, let go of it."""
    found = _fact(request, pk)
    corrections.correct(found, actor=actor(request), now=timezone.now(), pinned=not found.pinned)
    messages.success(request, "The fact is pinned: it stays." if found.pinned else "The fact is pinned no longer.")
    return redirect(page_before(request, found))


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def correct_fact(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask for other words (a page, or a dialog for htmx); change the fact when they are posted."""
    found = _fact(request, pk)
    back = page_before(request, found)
    if request.method != "POST":
        return _ask(request, found, back)
    text = " ".join(request.POST.get("text", "").split())
    try:
        corrections.correct(found, actor=actor(request), now=timezone.now(), text=text)
    except (FactRefused, FactConflict) as error:
        return _ask(request, found, back, text=text, trouble=str(error))
    messages.success(request, "The fact is corrected. Its history keeps the old words, and they can be brought back.")
    return redirect(back)


def _ask(request: HttpRequest, found: Fact, back: str, *, text: str | None = None, trouble: str = "") -> HttpResponse:
    words = found.text if text is None else text
    context = {"fact": found, "back": back, "text": words, "trouble": trouble, "most": MAX_FACT}
    return render_either(request, "memory/correct_fact.html", "memory/_correct_fact.html", context)


def _fact(request: HttpRequest, pk: int) -> Fact:
    return get_object_or_404(visible(Fact.objects.select_related("subject", "guild"), request.user), pk=pk)
