"""What a person does to facts, wherever they are shown: correct, pin, archive, restore, undo, delete; one or many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Self, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST

from memory.curation import corrections
from memory.curation.refusals import WordsRefused
from memory.facts.schemas import MAX_FACT
from memory.models import Fact
from memory.withdrawal import withdraw
from memoryhub.common import address
from memoryhub.common.htmx import details, render_either
from memoryhub.common.permissions import actor, changers_only, only_asks, visible
from memoryhub.common.text_direction import TURNING
from memoryhub.errors import Conflict, DomainError, Refused

MOST = 200  # facts that are changed at once
KINDS = [choice for choice in Fact.Kind.choices if choice[0] != Fact.Kind.LORE]
CHANGES: dict[str, tuple[Callable[..., Fact], str]] = {
    "archive": (corrections.archive, "Memory archived: it is not recalled, and can be restored."),
    "restore": (corrections.restore, "The memory is current again."),
    "undo": (corrections.undo, "The newest change is undone, with all that was decided together with it."),
}
"""By the button of a fact's page: what it does, and what is said afterwards."""
BULK_CHANGES = {
    "pin": ("Pin", "Pinned", "No clean-up takes them then."),
    "unpin": ("Unpin", "Unpinned", "The clean-up may take them when they grow old and doubtful."),
    "archive": ("Archive", "Archived", "They are not recalled then, and can be restored."),
    "restore": ("Restore", "Restored", "They are current and recalled again."),
    "delete": (
        "Delete for good", "Deleted for good",
        "Their evidence and their history go with them, for good. The messages they came from stay.",
    ),
}  # fmt: skip
"""What the button says, what is said afterwards, and what it means."""
CHANGED_SINCE = "Somebody changed this since you opened it. It is now"


def _as_sent(value: object) -> str:
    """Return a value as a page sends it back: without turning signs, and whatever became of its line breaks."""
    return " ".join(str(value).translate(TURNING).split())


class InsistForm(forms.Form):
    """Takes words that a guard may refuse; who wrote them may then tick that they are stored all the same.

    The page sends along what it showed. So what is left as it was stays as somebody else put it since, and where both
    changed the same, who saves second sees both and decides.
    """

    insist = forms.BooleanField(label="Store it although it reads like an order, code or a question", required=False)
    field_order = ("text", "section", "kind", "sure", "insist")
    insistable = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in self.initial:
            if name in self.fields:
                self.fields[name].show_hidden_initial = True

    def clean(self) -> dict[str, Any]:
        """Compare what is saved with what was shown and with what stands now; what is sent without the former wins."""
        for name in self.cleaned_data.keys() & self.initial.keys():
            stands, sent = self.initial[name], (self.data.get(self.add_initial_prefix(name)), self.data.get(name))
            shown, given, current = map(_as_sent, (*sent, stands))
            if sent[0] is None:
                continue
            if given == shown:
                self.cleaned_data[name] = stands
            elif current not in {shown, given}:
                said = dict(getattr(self.fields[name], "choices", ())).get(stands, stands)
                self.add_error(name, f"{CHANGED_SINCE} “{said}”. Save again to replace that with yours.")
                sent_again = {name: self.data[name] for name in self.data}
                self.data = sent_again | {self.add_initial_prefix(name): str(stands)}
        return self.cleaned_data

    def say_refused(self, error: DomainError) -> None:
        """Tell why beside the words."""
        self.add_error("text", str(error))
        self.insistable = isinstance(error, WordsRefused) and error.insistable

    def shown(self) -> Self:
        """Return the form as a page shows it: with the tick where it helps."""
        if not self.insistable:
            del self.fields["insist"]
        return self


class WordsForm(InsistForm):
    """Other words for a fact."""

    text = forms.CharField(
        label='Memory, such as "Lives in Porto"',
        max_length=MAX_FACT,
        widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}),
    )


class CorrectForm(WordsForm):
    """Its words, and beside them its kind and how sure it is; what is left empty stays as it is."""

    kind = forms.ChoiceField(choices=KINDS, required=False)
    sure = forms.IntegerField(label="Confidence, in percent", min_value=30, max_value=100, required=False)


@require_POST
def pin_fact(request: HttpRequest, pk: int) -> HttpResponse:
    """Pin the fact, so that no clean-up takes it, or unpin it, as the button said."""
    fact, now = _fact(request, pk), timezone.now()
    pinned = request.POST.get("pinned") != "no"
    done = "Memory pinned: no clean-up takes it." if pinned else "Memory unpinned."
    if fact.pinned == pinned:  # somebody else pressed it first
        messages.success(request, done)
        return redirect(page_before(request))
    try:
        corrections.correct(fact, actor=actor(request), now=now, pinned=pinned)
        messages.success(request, done, extra_tags=undo_tag([pk], made=now))
    except Conflict as conflict:
        messages.error(request, str(conflict))
    return redirect(page_before(request))


@require_POST
def change_fact(request: HttpRequest, pk: int) -> HttpResponse:
    """Archive, restore or undo, as the button said."""
    fact, now = _fact(request, pk), timezone.now()
    change, done = CHANGES.get(request.POST.get("deed", ""), (None, ""))
    if change is None:
        messages.error(request, "Choose what to do with the memory: archive, restore or undo.")
        return redirect(page_before(request))
    undone = {"made": address.moment(request.POST.get("made", ""))} if change is corrections.undo else {}
    try:
        change(fact, actor=actor(request), now=now, **undone)
        messages.success(request, done, extra_tags="" if undone else undo_tag([pk], made=now))
    except Conflict as conflict:
        messages.error(request, str(conflict))
    return redirect(page_before(request))


@require_POST
def settle_fact(request: HttpRequest, pk: int) -> HttpResponse:
    """Settle whether the fact contradicts another: both are true, or only one, as the button said."""
    fact, beside, now = _fact(request, pk), None, timezone.now()
    if other := address.number(request.POST.get("other", "")):
        beside = _fact(request, other)
    ends = {"this": beside, "other": fact}.get(request.POST.get("holds", ""))
    try:
        corrections.settle(fact, beside=beside, ends=ends, actor=actor(request), now=now)
        done = "The other is archived, and can be restored." if ends else "Settled: they are no longer marked."
        messages.success(request, done, extra_tags=undo_tag([(ends or fact).pk], made=now))
    except Conflict as conflict:
        messages.error(request, str(conflict))
    return redirect(page_before(request))


@require_http_methods(["GET", "HEAD", "POST"])
@changers_only
def correct_fact(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask for other words (a page, or a dialog for htmx); change the fact when they are posted."""
    fact, now = _fact(request, pk), timezone.now()
    initial = {"text": fact.text, "kind": fact.kind, "sure": round(fact.confidence * 100)}
    form = CorrectForm(request.POST or None, initial=initial, label_suffix="")
    if fact.subject_id is None:
        del form.fields["kind"]
    if form.is_valid():
        given = {name: form.cleaned_data[name] for name in initial if name in form.cleaned_data}
        changed = {name: value for name, value in given.items() if value and value != initial[name]}
        percent = changed.get("sure")
        try:
            corrections.correct(
                fact, actor=actor(request), now=now, text=changed.get("text"),
                kind=changed.get("kind") or None, confidence=percent / 100 if percent else None,
                insist=form.cleaned_data["insist"],
            )  # fmt: skip
        except (Refused, Conflict) as error:
            form.say_refused(error)
        else:
            text = "Memory edited. Its history keeps the old words." if changed else "Nothing was changed."
            messages.success(request, text, extra_tags=undo_tag([pk] if changed else [], made=now))
            return redirect(page_before(request))
    context = {"fact": fact, "back": page_before(request), "form": form.shown()}
    status = 422 if form.errors else 200
    return render_either(request, "memory/correct_fact.html", "memory/_correct_fact.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@changers_only
def delete_fact(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask whether the fact is to be forgotten (a page, or a dialog for htmx); forget it when the answer is posted."""
    fact = _fact(request, pk)
    back = page_before(request, gone=fact)
    if request.method != "POST":
        context = {"fact": fact, "back": back}
        return render_either(request, "memory/delete_fact.html", "memory/_delete_fact.html", context)
    withdraw.forget_fact(fact, actor=actor(request), now=timezone.now())
    messages.success(request, "Memory deleted permanently.")
    return redirect(back)


@require_POST
def change_facts(request: HttpRequest) -> HttpResponse:
    """Ask whether it is to be done to the ticked facts (a page, or a dialog for htmx); do it when that is confirmed."""
    facts, action, back = ticked_facts(request), request.POST.get("deed", ""), page_before(request)
    now = timezone.now()
    if action not in BULK_CHANGES:
        messages.error(request, "Choose what to do with the memories: pin, unpin, archive, restore or delete.")
        return redirect(back)
    button, done, meaning = BULK_CHANGES[action]
    if not facts or request.POST.get("confirm") != "yes":
        only_asks(request)
        context = {
            "facts": facts, "deed": action, "button": button, "meaning": meaning, "back": back,
            "ticked": len(request.POST.getlist("fact")), "most": MOST,
        }  # fmt: skip
        return render_either(request, "memory/bulk.html", "memory/_bulk.html", context)
    outcome = corrections.correct_all(facts, deed=cast("corrections.BulkAction", action), actor=actor(request), now=now)
    idle = f" So already: {outcome.idle}." if outcome.idle else ""
    undoable = outcome.changed if action != "delete" else []
    messages.success(request, f"{done}: {outcome.done}.{idle}", extra_tags=undo_tag(undoable, made=now))
    for reason in sorted(set(outcome.refused)):
        messages.error(request, f"Left as they were: {outcome.refused.count(reason)}. {reason}")
    return redirect(back)


@require_POST
def undo_facts(request: HttpRequest) -> HttpResponse:
    """Take back what was just done to these facts; one that stands otherwise meanwhile is left so."""
    facts, made = ticked_facts(request), address.moment(request.POST.get("made", ""))
    done = corrections.undo_all(facts, made=made, actor=actor(request), now=timezone.now()) if made else 0
    left = len(facts) - done
    rest = f" Changed otherwise meanwhile, and left so: {left}." if left else ""
    messages.success(request, f"Undone: {done}.{rest}")
    return redirect(page_before(request))


def undo_tag(facts: Sequence[int], *, made: datetime) -> str:
    """Return what has a message offer to undo what was done to these facts in a moment.

    Nothing for none, or more than fit a cookie.
    """
    return f"undo-{made:{address.MOMENT}}-{'-'.join(map(str, facts))}" if 0 < len(facts) <= MOST else ""


def ticked_facts(request: HttpRequest) -> list[Fact]:
    """Return the facts that were ticked on a list, at most MOST, of the guilds that the visitor sees."""
    ids = [pk for value in request.POST.getlist("fact")[:MOST] if (pk := address.number(value))]
    return list(visible(Fact.objects.select_related("subject", "guild"), request.user).filter(pk__in=ids))


def _fact(request: HttpRequest, pk: int) -> Fact:
    return get_object_or_404(visible(Fact.objects.select_related("subject", "guild"), request.user), pk=pk)


def page_before(request: HttpRequest, *, gone: Fact | None = None, otherwise: str = "") -> str:
    """Return the page to go back to: the one the form stood on, if it is ours and not that of the fact that is gone."""
    path = request.POST.get("back") or details(request).current_url_abs_path or ""
    ours = path.startswith("/") and url_has_allowed_host_and_scheme(path, allowed_hosts=None)
    lost = gone is not None and path.startswith(reverse("fact", args=[gone.pk]))
    return path if ours and not lost else otherwise or reverse("memories")
