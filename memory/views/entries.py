"""One line of a profile: worded, moved, pinned, refused or brought back by a person; and a new line."""

from __future__ import annotations

from collections.abc import Callable

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from memory.curation import entries
from memoryhub.common.htmx import render_either
from memoryhub.common.permissions import actor, guilds_for, visible
from memoryhub.community.models import Member
from memoryhub.errors import Conflict, Refused
from profiles.models import ProfileEntry
from profiles.revision.schemas import ENTRY_CHARS


class EntryForm(forms.Form):
    """A line and where it stands."""

    text = forms.CharField(label="Line", max_length=ENTRY_CHARS, widget=forms.Textarea(attrs={"rows": 2}))
    section = forms.ChoiceField(choices=ProfileEntry.Section.choices)


class NewEntryForm(EntryForm):
    """The same for a new line: its section may be left to the words."""

    section = forms.ChoiceField(choices=[("", "As the words say"), *ProfileEntry.Section.choices], required=False)


def _edit(entry: ProfileEntry, form: EntryForm, by: str) -> str:
    chosen = form.cleaned_data
    entries.edit_entry(entry, text=chosen["text"], section=chosen["section"], actor=by, now=timezone.now())
    return "The line is worded and pinned: no revision changes it."


def _pin(entry: ProfileEntry, _form: EntryForm, by: str) -> str:
    entries.pin_entry(entry, pinned=not entry.pinned, actor=by, now=timezone.now())
    return "Pinned: no revision changes it." if entry.pinned else "No longer pinned: what is said later may change it."


def _refuse(entry: ProfileEntry, _form: EntryForm, by: str) -> str:
    entries.refuse_entry(entry, actor=by, now=timezone.now())
    return "Taken out. It comes back only if it is said again."


def _restore(entry: ProfileEntry, _form: EntryForm, by: str) -> str:
    entries.restore_entry(entry, actor=by, now=timezone.now())
    return "The line is back, and pinned."


DEEDS: dict[str, Callable[[ProfileEntry, EntryForm, str], str]] = {
    "edit": _edit,
    "pin": _pin,
    "refuse": _refuse,
    "restore": _restore,
}


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def entry(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one line with its sources and what can be done to it; do what is posted."""
    rows = ProfileEntry.objects.select_related("profile__member__guild", "audience").prefetch_related("sources__note")
    found = get_object_or_404(rows.filter(profile__member__guild__in=guilds_for(request.user)), pk=pk)
    deed = request.POST.get("deed", "")
    shown = {"text": found.text, "section": found.section}
    form = EntryForm(request.POST if deed == "edit" else None, initial=shown, label_suffix="")
    if deed in DEEDS and (deed != "edit" or form.is_valid()) and _done(request, found, DEEDS[deed], form):
        return redirect("member", found.profile.member_id)
    context = {"entry": found, "member": found.profile.member, "form": form}
    return render_either(request, "memory/entry.html", "memory/_entry.html", context)


def _done(
    request: HttpRequest, found: ProfileEntry, deed: Callable[[ProfileEntry, EntryForm, str], str], form: EntryForm
) -> bool:
    try:
        messages.success(request, deed(found, form, actor(request)))
    except (Refused, Conflict) as refused:
        messages.error(request, str(refused))
        return False
    return True


@require_POST
@login_required
def add_entry(request: HttpRequest, pk: int) -> HttpResponse:
    """Add a line to a member's profile, in the words of whoever is signed in."""
    member = get_object_or_404(visible(Member.objects.select_related("guild"), request.user), pk=pk)
    form = NewEntryForm(request.POST)
    if not form.is_valid():
        messages.error(request, f"Write one line of at most {ENTRY_CHARS} characters.")
        return redirect("member", pk)
    try:
        chosen = form.cleaned_data
        entries.add_entry(
            member, text=chosen["text"], section=chosen["section"] or None, actor=actor(request), now=timezone.now()
        )
        messages.success(request, "The line is in the profile, pinned.")
    except (Refused, Conflict) as refused:
        messages.error(request, str(refused))
    return redirect("member", pk)
