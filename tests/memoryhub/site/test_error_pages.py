"""What a browser is told when it can't have a page."""

import errno
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.db import OperationalError
from django.test import Client
from psycopg.errors import DiskFull

from memoryhub.site import auth
from memoryhub.site.audit import AuditMiddleware
from memoryhub.site.views import home

pytestmark = pytest.mark.django_db
MEMBER = "http://testserver/members/1/"
HTMX = {"HX-Request": "true", "HX-Current-URL": "http://testserver/memories/?q=green+tea"}


def test_a_fragment_whose_session_ended_has_the_page_led_to_the_sign_in_and_back(client):
    answer = client.get("/memories/?q=green", headers=HTMX)
    assert (answer.status_code, answer.content) == (204, b"")
    assert answer.headers["HX-Redirect"] == f"/sign-in/?next={quote('/memories/?q=green+tea', safe='')}"


def test_another_site_is_never_the_way_back(client):
    answer = client.get("/memories/", headers=HTMX | {"HX-Current-URL": "http://evil.example/x"})
    assert answer.headers["HX-Redirect"] == "/sign-in/?next=%2F"


def test_a_page_is_redirected_as_ever(client):
    assert client.get("/memories/").headers["Location"] == "/sign-in/?next=/memories/"


@pytest.mark.parametrize(
    ("page", "back"),
    [("http://testserver/memories/?q=tea", "/memories/?q=tea"), ("http://evil.example/x", "/"), ("", "/")],
)
def test_a_button_whose_session_ended_leads_by_the_sign_in_to_its_page(client, page, back):
    answer = client.post("/memories/1/pin/", headers={"Referer": page}, follow=True)
    assert answer.redirect_chain == [(f"/sign-in/?next={quote(back, safe='')}", 302)]
    assert "nothing was changed" in answer.text


@pytest.mark.parametrize(
    ("path", "fields", "host", "told"),
    [
        ("/memories/bulk/", {"fact": range(1_001)}, "testserver", "more than the hub takes at once"),
        ("/admin/memory/fact/", {"_selected_action": range(1_001)}, "testserver", "more than the hub takes at once"),
        ("/memories/bulk/", {}, "elsewhere.example", "ALLOWED_HOSTS"),
    ],
)
def test_what_is_refused_before_any_page_is_refused_in_words(admin_client, path, fields, host, told):
    answer = admin_client.post(path, fields, headers={"Host": host})
    assert answer.status_code == 400
    assert told in answer.text
    assert "memoryhub</title>" in answer.text


def test_what_was_written_when_the_session_had_ended_can_be_taken_along(client):
    there = {"HTTP_REFERER": "http://testserver/members/1/"}
    answer = client.post("/members/1/lines/", {"text": "Plays the <b>tuba</b>.", "section": ""}, **there)
    assert answer.status_code == 403
    assert "Plays the &lt;b&gt;tuba&lt;/b&gt;.</textarea>" in answer.text
    assert 'href="/sign-in/?next=%2Fmembers%2F1%2F"' in answer.text
    unchanged = {"text": "Plays the tuba.", "initial-text": "Plays the tuba."}
    assert client.post("/lines/1/", unchanged, **there).status_code == 302


def test_the_words_of_a_form_that_is_too_old_are_shown_but_not_those_of_another_site(admin_user):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(admin_user)
    answer = strict.post("/members/1/lines/", {"text": "Plays the <b>tuba</b>."}, headers={"Referer": MEMBER})
    assert answer.status_code == 403
    assert "Plays the &lt;b&gt;tuba&lt;/b&gt;.</textarea>" in answer.text
    assert 'href="/members/1/"' in answer.text
    forged = strict.post(
        "/members/1/lines/", {"text": "Call this number."}, headers={"Referer": "http://evil.example/"}
    )
    assert forged.status_code == 403
    assert "Call this number" not in forged.text


def test_the_way_back_leads_to_no_other_site(admin_user):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(admin_user)
    there = {"Referer": "http://testserver//evil.example/"}
    assert "evil.example" not in strict.post("/sign-out/", headers=there).text


def test_all_lines_of_a_recap_can_be_taken_along(client):
    lines = {"intro": "What a week!", "line-1": "Bob sailed.", "line-2": "", "line-3": "Alice won."}
    answer = client.post("/recaps/1/", lines, headers={"Referer": MEMBER})
    assert "What a week!\n\nBob sailed.\n\nAlice won.</textarea>" in answer.text


def test_the_address_of_a_button_is_told_to_be_no_page(admin_client):
    answer = admin_client.get("/sign-out/")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST, OPTIONS")
    assert "Nothing was changed" in answer.text


def test_a_program_is_told_by_a_problem_as_ever(admin_client):
    assert "405.html" not in [each.name for each in admin_client.put("/api/v1/health").templates]


MCP, MEM0 = {"type", "title", "status", "detail"}, {"detail", "error", "message"}
DOORS = pytest.mark.parametrize(
    ("path", "form"), [("/mcp", MCP), ("/mcp/", MCP), ("/mem0/v3/memories/", MEM0), ("/mem0/x", MEM0), ("/api/x", MCP)]
)


@DOORS
def test_a_program_is_told_in_the_form_of_its_door_what_was_refused_before_any_view(client, path, form):
    answer = client.post(path, "{}", content_type="application/json", headers={"Host": "elsewhere.example"})
    assert (answer.status_code, answer.json().keys()) == (400, form)
    assert "ALLOWED_HOSTS" in answer.json()["detail"]


@DOORS
@pytest.mark.parametrize(("error", "status"), [(ValueError, 500), (OperationalError, 503)])
def test_a_program_is_told_in_the_form_of_its_door_what_went_wrong_outside_of_the_view(
    client, monkeypatch, path, form, error, status
):
    def broken(*_):
        raise error

    client.raise_request_exception = False
    monkeypatch.setattr(AuditMiddleware, "__call__", broken)
    answer = client.post(path, "{}", content_type="application/json")
    assert (answer.status_code, answer.json().keys()) == (status, form)


@pytest.mark.parametrize(("error", "status"), [(ValueError, 500), (OperationalError, 503)])
def test_a_fault_of_the_view_for_models_is_a_problem(client, monkeypatch, error, status):
    def broken(*_, **__):
        raise error

    monkeypatch.setattr(auth, "key_in", broken)
    answer = client.post("/mcp", "{}", content_type="application/json")
    assert (answer.status_code, answer.json()["status"]) == (status, status)


def test_an_address_below_that_for_models_is_a_problem(client):
    for method in (client.get, client.post):
        answer = method("/mcp/sse")
        assert (answer.status_code, answer.headers["Content-Type"]) == (404, "application/problem+json")


@pytest.mark.parametrize(("path", "form"), [("/mcp", MCP), ("/mem0/v3/memories/", MEM0)])
def test_a_key_is_asked_of_a_program_whatever_the_role_of_who_is_signed_in(client, path, form):
    client.force_login(User.objects.create_user("reader"))
    answer = client.post(path, "{}", content_type="application/json")
    assert (answer.status_code, answer.json().keys()) == (401, form)


def test_a_busy_database_is_said_and_can_be_asked_again(admin_client, monkeypatch, caplog):
    def locked(*_, **__):
        raise OperationalError("database is locked")

    monkeypatch.setattr(home, "overview", locked)
    answer = admin_client.get("/?again=1")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert "nothing was changed" in answer.text
    assert 'href="/?again=1"' in answer.text
    assert caplog.text.count("the database gave no answer") == 1
    assert "django.request" not in caplog.text


def test_a_full_disk_is_said(admin_client, monkeypatch):
    def full(*_, **__):
        raise OperationalError("database or disk is full") from DiskFull()

    monkeypatch.setattr(home, "overview", full)
    answer = admin_client.get("/")
    assert answer.status_code == 503
    assert "disk is full" in answer.text


def test_a_session_that_can_not_be_read_is_told_as_what_it_is(admin_client, monkeypatch):
    def locked(*_):
        raise OperationalError("database is locked")

    admin_client.raise_request_exception = False
    monkeypatch.setattr(SessionStore, "load", locked)
    answer = admin_client.get("/members/")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert "nothing was changed" in answer.text


def test_a_file_for_which_the_disk_has_no_room_is_told_too(admin_client, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(home, "overview", full)
    assert "disk is full" in admin_client.get("/").text
