"""Every door of the web application."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import include, path, re_path
from django.views.generic import RedirectView

from memoryhub.site.api import api_urls
from memoryhub.site.mem0_api import mem0_urls
from memoryhub.site.metrics import show_metrics
from memoryhub.site.views import audit, find, home, keys, live, model_context, privacy, sign_in, users

admin.autodiscover()

handler400, handler500 = "memoryhub.site.error_pages.bad_request", "memoryhub.site.error_pages.server_error"
urlpatterns = [
    *mem0_urls,
    *api_urls,  # before the pages and the admin, whose addresses some of the kept routes share
    path("", home.home, name="home"),
    path("mcp", model_context.serve, name="mcp"),
    re_path(r"^mcp/", model_context.unknown),
    path("metrics", show_metrics, name="metrics"),
    path("theme/", home.theme, name="theme"),
    path("live/", live.live, name="live"),
    path("live/counts/", live.counts, name="counts"),
    path("find/", find.find, name="find"),
    path("guild/", home.choose_guild, name="choose-guild"),
    path("sample/", home.sample, name="load-sample"),
    path(
        "sign-in/",
        LoginView.as_view(template_name="memoryhub/sign_in.html", redirect_authenticated_user=True),
        name="sign-in",
    ),
    path("sign-in/link/", sign_in.sign_in_by_link, name="sign-in-link"),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
    path("password/", sign_in.ChangePassword.as_view(), name="password"),
    path("privacy/", privacy.privacy, name="privacy"),
    path("privacy/<path:key>/", privacy.privacy, name="guild-privacy"),
    path("people/", users.people, name="people"),
    path("people/add/", users.add_person, name="add-person"),
    path("people/<int:pk>/", users.change_role, name="change-role"),
    path("people/<int:pk>/dismiss/", users.dismiss, name="dismiss"),
    path("people/<int:pk>/password/", users.new_password, name="new-password"),
    path("keys/", keys.keys, name="keys"),
    path("keys/add/", keys.add_key, name="add-key"),
    path("keys/<int:pk>/revoke/", keys.revoke_key, name="revoke-key"),
    path("audit/", audit.audit, name="audit"),
    path("", include("memory.urls")),
    path("", include("notes.urls")),
    path("", include("profiles.urls")),
    # A design that memoryhub joins had its page here; the admin's own index of the app stays at admin/memory/.
    path("admin/memory", RedirectView.as_view(pattern_name="memories", query_string=True)),
    path("admin/", admin.site.urls),
]
