"""Keys of the JSON API: made and shown once, listed, revoked. For operators only."""

from __future__ import annotations

from datetime import UTC

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memoryhub.common import key_use
from memoryhub.common.charts import chart
from memoryhub.common.htmx import ask
from memoryhub.common.permissions import asked_guild, largest_guild, operators_only
from memoryhub.community.models import Guild
from memoryhub.models import ApiKey
from memoryhub.site import auth


class KeyForm(forms.Form):
    """What a key is for and what it opens."""

    name = forms.CharField(label="What it is for", max_length=100, strip=True)
    guild = forms.ModelChoiceField(Guild.objects.all(), required=False, empty_label="All guilds")
    scope = forms.ChoiceField(
        choices=ApiKey.Scope.choices,
        initial=ApiKey.Scope.READ,
        help_text="The least that does is the best: a bot that hands over messages needs “Read and write”.",
    )
    per_minute = forms.IntegerField(
        label="Requests a minute",
        min_value=1,
        max_value=1_000_000,
        required=False,
        initial=6000,
        help_text="Beyond it requests are refused with 429. 6000 is 100 a second; empty: no limit.",
    )


@require_safe
@operators_only
def keys(request: HttpRequest) -> HttpResponse:
    """List the keys, those in use first."""
    # One guild is less than all of them: the one that is chosen, else the largest.
    guild = asked_guild(request) or largest_guild(request.user)
    return _list(request, KeyForm(label_suffix="", initial={"guild": guild}))


def _list(request: HttpRequest, form: KeyForm, *, status: int = 200) -> HttpResponse:
    rows = list(ApiKey.objects.select_related("guild").order_by("revoked_at", "-created_at"))
    now = timezone.now()
    for row in rows:
        uses = key_use.added(row.uses, key_use.waiting(row.digest), now=now)
        days = key_use.by_day(uses, today=now.astimezone(UTC).date())
        row.chart = chart("Requests", days) if uses else None  # type: ignore[attr-defined]
    return render(request, "memoryhub/keys.html", {"keys": rows, "form": form}, status=status)


@require_POST
@operators_only
@sensitive_variables("key")
def add_key(request: HttpRequest) -> HttpResponse:
    """Make a key and show it: only its digest is kept."""
    form = KeyForm(request.POST, label_suffix="")
    if not form.is_valid():
        return _list(request, form, status=422)
    try:
        key = auth.issue(**form.cleaned_data)
    except auth.NameTaken as error:
        form.add_error("name", str(error))
        return _list(request, form, status=422)
    return render(request, "memoryhub/key_added.html", {"key": key, "now": timezone.now(), **form.cleaned_data})


@require_http_methods(["GET", "HEAD", "POST"])
@operators_only
def revoke_key(request: HttpRequest, pk: int) -> HttpResponse:
    """Close a key for good."""
    row = get_object_or_404(ApiKey, pk=pk)
    if request.method != "POST":
        return ask(
            request, f"Revoke the key {row.name}?",
            "Whoever uses it is refused from now on. It can't be undone; a new key can be made.",
            button="Revoke it", back="keys",
        )  # fmt: skip
    auth.revoke(row, now=timezone.now())
    messages.success(request, f"The key {row.name} opens nothing any more.")
    return redirect("keys")
