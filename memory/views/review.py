"""Review: facts that wait until a person approves them, in other words too, or refuses them; one or many at once."""

from __future__ import annotations

from typing import cast

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from memory.curation import fact_review
from memory.curation.browse import with_evidence
from memory.curation.fact_review import ReviewOutcome
from memory.facts.schemas import MAX_FACT
from memory.learning.junk import TITLES
from memory.models import Fact, FactQuerySet
from memory.views.fact import page_before
from memoryhub.common.htmx import Rows, newest, number, render_either
from memoryhub.common.permissions import actor, guilds_for, may_change, named_guild, visible
from memoryhub.community.models import Guild
from memoryhub.errors import Conflict, Refused

DEEDS = {"approve": ("Approved and believed now", True), "refuse": ("Refused, and kept away", False)}
MOST = 200


class WordsForm(forms.Form):
    """Other words for a fact."""

    text = forms.CharField(
        label="In the third person, without the name",
        max_length=MAX_FACT,
        widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}),
    )


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def queue(request: HttpRequest) -> HttpResponse:
    """Show what waits, the newest first; approve or refuse what is posted, by its button or ticked."""
    if request.method == "POST":
        return _decide(request)
    guild = named_guild(request.user, request.GET.get("guild", ""))
    page = _page(request, guild)
    for fact in page.items:
        fact.doubts = [TITLES[sign] for sign in fact.junk_signs if sign in TITLES]  # type: ignore[attr-defined]
    context = {
        "facts": page.items,
        "next": page.next,
        "guild": guild,
        "guilds": guilds_for(request.user),
        "changing": may_change(request.user),
        "ticked": request.GET.get("tick") == "page",
        "junk": fact_review.junk_statistics(Guild.objects.filter(pk=guild.pk) if guild else guilds_for(request.user)),
    }
    return render_either(request, "memory/review.html", "memory/_review.html", context)


def _page(request: HttpRequest, guild: Guild | None) -> Rows[Fact]:
    rows = cast("FactQuerySet", visible(fact_review.waiting(), request.user, guild))
    return newest(with_evidence(rows), before=request.GET.get("before", ""))


def _decide(request: HttpRequest) -> HttpResponse:
    back = page_before(request, otherwise=reverse("review"))
    told, approved = DEEDS.get(request.POST.get("deed", ""), ("", False))
    ids = [pk for each in request.POST.getlist("fact")[:MOST] if (pk := number(each))]
    facts = list(visible(Fact.objects.all(), request.user).filter(pk__in=ids))
    if not told or not facts:
        messages.error(request, "Select facts first, then choose: approve or refuse.")
        return redirect(back)
    _tell(request, told, fact_review.decide(facts, approved=approved, actor=actor(request), now=timezone.now()))
    return redirect(back)


def _tell(request: HttpRequest, told: str, decided: ReviewOutcome) -> None:
    if decided.done:
        messages.success(request, f"{told}: {len(decided.done)}. Each can be undone on its own page.")
    if decided.failed:
        messages.error(request, f"Decided by somebody else meanwhile, and left so: {len(decided.failed)}.")


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def reword(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask for other words (a page, or a dialog for htmx); approve the fact in them."""
    waiting = visible(fact_review.waiting(), request.user).select_related("subject", "guild")
    found = get_object_or_404(waiting, pk=pk)
    form = WordsForm(request.POST if request.method == "POST" else None, initial={"text": found.text}, label_suffix="")
    if request.method == "POST" and form.is_valid() and _reworded(request, form, found):
        return redirect(page_before(request, otherwise=reverse("review")))
    context = {"fact": found, "form": form, "back": page_before(request, otherwise=reverse("review"))}
    return render_either(request, "memory/reword_fact.html", "memory/_reword_fact.html", context)


def _reworded(request: HttpRequest, form: WordsForm, fact: Fact) -> bool:
    try:
        fact_review.edit(fact, text=form.cleaned_data["text"], actor=actor(request), now=timezone.now())
    except (Refused, Conflict) as error:
        form.add_error("text", str(error))
        return False
    messages.success(request, "Approved in your words. One undo takes both back.")
    return True
