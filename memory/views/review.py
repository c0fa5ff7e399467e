"""Review: facts that wait until a person approves them, in other words too, or refuses them; one or many at once."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from memory.curation import fact_review
from memory.curation.browse import with_evidence
from memory.learning.junk import TITLES
from memory.models import FactQuerySet
from memory.views.corrections import WordsForm, page_before, ticked_facts, undo_tag
from memoryhub.common.htmx import newest, render_either
from memoryhub.common.permissions import actor, asked_guild, changers_only, guilds_for, visible
from memoryhub.community.models import Guild
from memoryhub.errors import Conflict, Refused

DECISIONS = {"approve": ("Approved, and current now", True), "refuse": ("Refused, and kept away", False)}


@require_http_methods(["GET", "HEAD", "POST"])
def queue(request: HttpRequest) -> HttpResponse:
    """Show what waits, the newest first; approve or refuse what is posted, by its button or ticked."""
    if request.method == "POST":
        return _decide(request)
    guild = asked_guild(request)
    rows = cast("FactQuerySet", visible(fact_review.waiting(), request.user, guild))
    page = newest(with_evidence(rows), before=request.GET.get("before", ""))
    for fact in page.items:
        fact.doubts = [TITLES[sign] for sign in fact.junk_signs if sign in TITLES]  # type: ignore[attr-defined]
    context = {
        "facts": page.items,
        "next": page.next,
        "guild": guild,
        "ticked": request.GET.get("tick") == "page",
        "junk": fact_review.junk_statistics(Guild.objects.filter(pk=guild.pk) if guild else guilds_for(request.user)),
    }
    return render_either(request, "memory/review.html", "memory/_review.html", context)


def _decide(request: HttpRequest) -> HttpResponse:
    back = page_before(request, otherwise=reverse("review"))
    done, approved = DECISIONS.get(request.POST.get("deed", ""), ("", False))
    facts = ticked_facts(request)
    if not done or not facts:
        messages.error(request, "Select memories first, then choose: approve or refuse.")
        return redirect(back)
    now = timezone.now()
    outcome = fact_review.decide(facts, approved=approved, actor=actor(request), now=now)
    if outcome.done:
        messages.success(request, f"{done}: {len(outcome.done)}.", extra_tags=undo_tag(outcome.done, made=now))
    if outcome.failed:
        messages.error(request, f"Decided by somebody else meanwhile, and left so: {len(outcome.failed)}.")
    return redirect(back)


@require_http_methods(["GET", "HEAD", "POST"])
@changers_only
def reword(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask for other words (a page, or a dialog for htmx); approve the fact in them."""
    waiting = visible(fact_review.waiting(), request.user).select_related("subject", "guild")
    fact = get_object_or_404(waiting, pk=pk)
    back, now = page_before(request, otherwise=reverse("review")), timezone.now()
    form = WordsForm(request.POST if request.method == "POST" else None, initial={"text": fact.text}, label_suffix="")
    if request.method == "POST" and form.is_valid():
        try:
            fact_review.approve(fact, actor=actor(request), now=now, **form.cleaned_data)
        except (Refused, Conflict) as error:
            form.say_refused(error)
        else:
            text = "Approved in your words. One undo takes both back."
            messages.success(request, text, extra_tags=undo_tag([pk], made=now))
            return redirect(back)
    context = {"fact": fact, "form": form.shown(), "back": back}
    status = 422 if form.errors else 200
    return render_either(request, "memory/reword_fact.html", "memory/_reword_fact.html", context, status=status)
