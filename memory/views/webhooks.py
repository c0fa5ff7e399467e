"""Webhooks of a guild on their page: listed with how they go, added with a secret shown once, replayed, removed."""

from __future__ import annotations

from urllib.parse import quote

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from memory.events import webhooks as registered
from memory.models import Webhook
from memoryhub.common.htmx import ask
from memoryhub.common.permissions import actor, changers_only, named_guild, one_guild, visible
from memoryhub.community.models import Event, Guild
from memoryhub.db.guild_scope import enter

SENT_ALREADY = "Events are sent there already. Remove it first if it is to get others, or another secret."


class WebhookForm(forms.Form):
    """An address, and which events it is sent."""

    url = forms.URLField(
        label="Address", max_length=500, assume_scheme="https",
        help_text="Your program's own, with https://. Private ones must be listed in MEMORYHUB_WEBHOOK_NETWORKS.",
    )  # fmt: skip
    kinds = forms.MultipleChoiceField(
        label="What is sent", choices=Event.Kind.choices, initial=registered.KINDS, widget=forms.CheckboxSelectMultiple
    )


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_variables("secret")
def webhooks(request: HttpRequest) -> HttpResponse:
    """Show a guild's webhooks, the largest one's if none is named; add what is posted and show its secret."""
    posted = named_guild(request.user, request.POST.get("guild", ""))
    guild = one_guild(request, posted)
    if guild is None:
        return render(request, "memory/webhooks.html")
    form, secret = WebhookForm(request.POST or None, label_suffix=""), ""
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        try:
            if Webhook.objects.of(guild).filter(url=given["url"]).exists():  # the page was loaded anew, most likely
                raise registered.WebhookRefused(SENT_ALREADY)
            hook = registered.register(
                guild, url=given["url"], kinds=given["kinds"], actor=actor(request), now=timezone.now()
            )
        except (registered.WebhookRefused, registered.TooManyWebhooks) as error:
            form.add_error("url", str(error))
        else:
            form, secret = WebhookForm(label_suffix=""), registered.secret(hook)
    rows = Webhook.objects.of(guild)
    context = {"guild": guild, "hooks": rows, "form": form, "secret": secret, "all": registered.KINDS}
    return render(request, "memory/webhooks.html", context, status=422 if form.errors else 200)


def _hook(request: HttpRequest, pk: int) -> Webhook:
    """Return the webhook; Http404 when the visitor may not see it."""
    hook = get_object_or_404(visible(Webhook.objects.select_related("guild"), request.user), pk=pk)
    enter(hook)
    return hook


@require_http_methods(["GET", "HEAD", "POST"])
@changers_only
def remove_webhook(request: HttpRequest, pk: int) -> HttpResponse:
    """Send nothing there any more."""
    hook = _hook(request, pk)
    if request.method != "POST":
        text = f"Nothing is sent to {hook.url} any more. Added again it gets another secret."
        return ask(request, "Remove the webhook?", text, button="Remove it", back="webhooks")
    registered.remove(hook, actor=actor(request), now=timezone.now())
    messages.success(request, "The webhook was removed.")
    return _back(hook.guild)


@require_POST
def replay_webhook(request: HttpRequest, pk: int) -> HttpResponse:
    """Have what waits sent now."""
    hook = _hook(request, pk)
    registered.replay(hook, actor=actor(request), now=timezone.now())
    messages.success(request, "What waits is sent within a minute.")
    return _back(hook.guild)


def _back(guild: Guild) -> HttpResponse:
    return redirect(f"{reverse('webhooks')}?guild={quote(guild.key)}")
