"""What a person does to one fact, wherever it is shown: correct, pin, archive, restore, undo, delete."""

from __future__ import annotations

from collections.abc import Callable

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST

from memory.curation import corrections
from memory.facts.schemas import MAX_FACT
from memory.models import Fact
from memory.withdrawal import withdraw
from memoryhub.common.htmx import details, render_either
from memoryhub.common.permissions import actor, visible
from memoryhub.errors import Conflict, Refused

KINDS = [choice for choice in Fact.Kind.choices if choice[0] != Fact.Kind.LORE]


class CorrectForm(forms.Form):
    """The words of a fact, and beside them its kind and how sure it is; what is left empty stays as it is."""

    text = forms.CharField(
        label="In the third person, without the name",
        max_length=MAX_FACT,
        widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}),
    )
    kind = forms.ChoiceField(choices=KINDS, required=False)
    sure = forms.IntegerField(label="How sure, in percent", min_value=30, max_value=100, required=False)


@require_POST
@login_required
def pin_fact(request: HttpRequest, pk: int) -> HttpResponse:
    """Pin the fact, so that no clean-up takes it; pinned already, let go of it."""
    found = _fact(request, pk)
    corrections.correct(found, actor=actor(request), now=timezone.now(), pinned=not found.pinned)
    messages.success(request, "The fact is pinned: it stays." if found.pinned else "The fact is pinned no longer.")
    return redirect(page_before(request))


DEEDS: dict[str, tuple[Callable[..., Fact], str]] = {
    "archive": (corrections.archive, "The fact is put aside: it is not recalled, and can be restored."),
    "restore": (corrections.restore, "The fact is believed again."),
    "undo": (corrections.undo, "The newest change is undone, with all that was decided together with it."),
}


@require_POST
@login_required
def change_fact(request: HttpRequest, pk: int) -> HttpResponse:
    """Archive, restore or undo, as the button said."""
    found = _fact(request, pk)
    verb, done = DEEDS.get(request.POST.get("deed", ""), (None, ""))
    if verb is None:
        messages.error(request, "Choose what to do with the fact: archive, restore or undo.")
        return redirect(page_before(request))
    try:
        verb(found, actor=actor(request), now=timezone.now())
        messages.success(request, done)
    except Conflict as refused:
        messages.error(request, str(refused))
    return redirect(page_before(request))


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def correct_fact(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask for other words (a page, or a dialog for htmx); change the fact when they are posted."""
    found = _fact(request, pk)
    shown = {"text": found.text, "kind": found.kind, "sure": round(found.confidence * 100)}
    form = CorrectForm(request.POST or None, initial=shown, label_suffix="")
    if found.subject_id is None:
        del form.fields["kind"]
    if form.is_valid() and _corrected(request, found, form):
        return redirect(page_before(request))
    context = {"fact": found, "back": page_before(request), "form": form}
    return render_either(request, "memory/correct_fact.html", "memory/_correct_fact.html", context)


def _corrected(request: HttpRequest, found: Fact, form: CorrectForm) -> bool:
    given = {name: form.cleaned_data.get(name) for name in form.changed_data}
    sure = given.get("sure")
    try:
        corrections.correct(
            found, actor=actor(request), now=timezone.now(), text=given.get("text"), kind=given.get("kind") or None,
            confidence=sure / 100 if sure else None,
        )  # fmt: skip
    except (Refused, Conflict) as error:
        form.add_error("text", str(error))
        return False
    messages.success(request, "The fact is corrected. Its history keeps the old words, and they can be brought back.")
    return True


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def delete_fact(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask whether the fact is to be forgotten (a page, or a dialog for htmx); forget it when the answer is posted."""
    found = _fact(request, pk)
    back = page_before(request, gone=found)
    if request.method != "POST":
        context = {"fact": found, "back": back}
        return render_either(request, "memory/delete_fact.html", "memory/_delete_fact.html", context)
    withdraw.forget_fact(found, actor=actor(request), now=timezone.now())
    messages.success(request, "The fact is forgotten, and with it its evidence and its history.")
    return redirect(back)


def _fact(request: HttpRequest, pk: int) -> Fact:
    return get_object_or_404(visible(Fact.objects.select_related("subject", "guild"), request.user), pk=pk)


def page_before(request: HttpRequest, *, gone: Fact | None = None, otherwise: str = "") -> str:
    """Return the page to go back to: the one the form stood on, if it is ours and not that of the fact that is gone."""
    asked = request.POST.get("back") or details(request).current_url_abs_path or ""
    ours = asked.startswith("/") and url_has_allowed_host_and_scheme(asked, allowed_hosts=None)
    lost = gone is not None and asked.startswith(reverse("fact", args=[gone.pk]))
    return asked if ours and not lost else otherwise or reverse("memories")
