"""The page behind a link of `manage.py sign_in`."""

from __future__ import annotations

from django.contrib import auth, messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from memoryhub.site.login import user_of_link


@never_cache
@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_by_link(request: HttpRequest) -> HttpResponse:
    """Sign in whom the link is for, after a question: whatever previews a link must not use it up."""
    user = user_of_link(request.GET.get("token", ""))
    if user is None:
        messages.error(request, "This link is used up, or older than ten minutes. “manage.py sign_in” makes another.")
        return redirect("sign-in")
    if request.method != "POST":
        return render(request, "memoryhub/sign_in_link.html", {"name": user.get_username()})
    auth.login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    return redirect("home")
