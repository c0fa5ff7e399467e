"""One line of a profile: worded, moved, pinned, refused or brought back by a person; and a new line."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from memory.curation import entries
from memory.views.corrections import InsistForm
from memoryhub.common.htmx import render_either
from memoryhub.common.permissions import actor, guilds_for, visible_member
from memoryhub.errors import Conflict, Refused
from profiles.models import EntrySource, ProfileEntry
from profiles.revision.schemas import ENTRY_CHARS


class EntryForm(InsistForm):
    """A line and where it stands."""

    text = forms.CharField(label="Line", max_length=ENTRY_CHARS, widget=forms.Textarea(attrs={"rows": 2}))
    section = forms.ChoiceField(choices=ProfileEntry.Section.choices)


class NewEntryForm(EntryForm):
    """The same for a new line: its section may be left to the words."""

    section = forms.ChoiceField(choices=[("", "As the words say"), *ProfileEntry.Section.choices], required=False)


BACK = {"pin": "pin", "refuse": "restore", "restore": "refuse"}
"""By what was done to a line: what takes it back."""


@require_http_methods(["GET", "HEAD", "POST"])
def entry(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one entry with its sources and what can be done to it; do what is posted."""
    rows = ProfileEntry.objects.select_related("profile__member__guild", "audience")
    row = get_object_or_404(rows.filter(profile__member__guild__in=guilds_for(request.user)), pk=pk)
    sources = EntrySource.objects.told(row.profile.member.guild).filter(entry=row)
    action = request.POST.get("deed", "")
    initial = {"text": row.text, "section": row.section}
    form = EntryForm(request.POST if action == "edit" else None, initial=initial, label_suffix="")
    if action != "edit" or form.is_valid():
        try:
            if done := _change(row, action, form, by=actor(request)):
                messages.success(request, done, extra_tags=f"line-{pk}-{BACK[action]}" if action in BACK else "")
                return redirect("member", row.profile.member_id)
        except (Refused, Conflict) as error:
            if action == "edit":
                form.say_refused(error)
            else:
                messages.error(request, str(error))
    sources = sources.select_related("note", "message__author", "message__guild")
    context = {"entry": row, "sources": sources, "member": row.profile.member, "form": form.shown()}
    status = 422 if form.errors else 200
    return render_either(request, "memory/entry.html", "memory/_entry.html", context, status=status)


def _change(entry: ProfileEntry, action: str, form: EntryForm, *, by: str) -> str:
    """Do what the button said and return what is said of it; "" for no known button. Raises Refused, Conflict."""
    now = timezone.now()
    match action:
        case "edit":
            entries.edit_entry(entry, actor=by, now=now, **form.cleaned_data)
            return "The line is worded and pinned: no revision changes it."
        case "pin":
            entries.pin_entry(entry, pinned=not entry.pinned, actor=by, now=now)
            if entry.pinned:
                return "Pinned: no revision changes it."
            return "No longer pinned: what is said later may change it."
        case "refuse":
            entries.refuse_entry(entry, actor=by, now=now)
            return "Taken out. It comes back only if it is said again."
        case "restore":
            entries.restore_entry(entry, actor=by, now=now)
            return "The line is back, and pinned."
    return ""


@require_POST
def add_entry(request: HttpRequest, pk: int) -> HttpResponse:
    """Add a line to a member's profile, in the words of whoever is signed in."""
    member = visible_member(request, pk)
    form = NewEntryForm(request.POST, label_suffix="")
    if form.is_valid():
        told = {**form.cleaned_data, "section": form.cleaned_data["section"] or None}
        try:
            entries.add_entry(member, actor=actor(request), now=timezone.now(), **told)
        except (Refused, Conflict) as error:
            form.say_refused(error)
        else:
            messages.success(request, "The line is in the profile, pinned.")
            return redirect("member", pk)
    return render(request, "memory/add_entry.html", {"member": member, "form": form.shown()}, status=422)
