"""The same done to several facts of a page: asked first, with what goes, then done."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from memory.curation import bulk
from memory.curation.bulk import Outcome
from memory.models import Fact
from memory.views.fact import page_before
from memoryhub.common.htmx import number, render_either
from memoryhub.common.permissions import actor, visible

MOST = 200
DEEDS = {
    "pin": ("Pin", "Pinned", "No clean-up takes them then."),
    "unpin": ("Unpin", "Unpinned", "The clean-up may take them when they grow old and doubtful."),
    "archive": ("Archive", "Archived", "They are not recalled then, and can be restored."),
    "restore": ("Restore", "Restored", "They are believed and recalled again."),
    "delete": (
        "Delete for good", "Deleted for good",
        "Their evidence and their history go with them, for good. The messages they came from stay.",
    ),
}  # fmt: skip
"""What the button says, what is told afterwards, and what it means."""


@require_POST
@login_required
def change_facts(request: HttpRequest) -> HttpResponse:
    """Ask whether it is to be done to the chosen facts (a page, or a dialog for htmx); do it when that is confirmed."""
    facts, deed, back = _chosen(request), request.POST.get("deed", ""), page_before(request)
    if deed not in DEEDS:
        messages.error(request, "Choose what to do with the facts: pin, unpin, archive, restore or delete.")
        return redirect(back)
    if facts and request.POST.get("confirm") == "yes":
        outcome = bulk.apply(facts, deed=cast("bulk.BulkAction", deed), actor=actor(request), now=timezone.now())
        _tell(request, DEEDS[deed][1], outcome)
        return redirect(back)
    button, _, meaning = DEEDS[deed]
    context = {"facts": facts, "deed": deed, "button": button, "meaning": meaning, "back": back}
    return render_either(request, "memory/bulk.html", "memory/_bulk.html", context)


def _chosen(request: HttpRequest) -> list[Fact]:
    ids = [pk for each in request.POST.getlist("fact")[:MOST] if (pk := number(each))]
    return list(visible(Fact.objects.select_related("subject", "guild"), request.user).filter(pk__in=ids))


def _tell(request: HttpRequest, done: str, outcome: Outcome) -> None:
    idle = f" So already: {outcome.idle}." if outcome.idle else ""
    messages.success(request, f"{done}: {outcome.done}.{idle}")
    for reason in sorted(set(outcome.refused)):
        messages.error(request, f"Left as they were: {outcome.refused.count(reason)}. {reason}")
