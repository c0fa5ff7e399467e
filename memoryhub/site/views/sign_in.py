"""The page behind a link of `manage.py sign_in`, and one's own password."""

from __future__ import annotations

from django.contrib import auth, messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import PasswordChangeView
from django.contrib.messages.views import SuccessMessageMixin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
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


class ChangePassword(SuccessMessageMixin, PasswordChangeView):  # type: ignore[type-arg]  # it has none when it runs
    """Take a new password in place of the old one, and say that it was taken."""

    template_name = "memoryhub/password.html"
    success_url = reverse_lazy("home")
    success_message = "Your password is changed. Wherever else you were signed in, you are signed out."
