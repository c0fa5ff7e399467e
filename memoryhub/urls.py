"""Every door of the web application."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import include, path
from django.views.generic import RedirectView

from memoryhub import views
from memoryhub.api import api_urls

urlpatterns = [
    *api_urls,  # before the pages and the admin, whose addresses some of the kept routes share
    path("", views.home, name="home"),
    path("theme/", views.theme, name="theme"),
    path(
        "sign-in/",
        LoginView.as_view(template_name="memoryhub/sign_in.html", redirect_authenticated_user=True),
        name="sign-in",
    ),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
    path("", include("memory.urls")),
    path("", include("notes.urls")),
    path("", include("profiles.urls")),
    # Seed 002 kept its memories here; the admin's own index of the app stays at admin/memory/.
    path("admin/memory", RedirectView.as_view(pattern_name="memories", query_string=True)),
    path("admin/", admin.site.urls),
]
