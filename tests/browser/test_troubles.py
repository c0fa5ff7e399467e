"""What a person sees when something comes between: the session ended, the hub refuses, a button is pressed twice."""

from __future__ import annotations

import re

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from memoryhub.models import ApiKey
from tests.browser.conftest import PASSWORD
from tests.factories import make_fact

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
REFUSED = "status => document.dispatchEvent(new CustomEvent('htmx:responseError', {detail: {xhr: {status}}}))"
TWICE = "() => { const form = document.querySelector('form.stack'); form.requestSubmit(); form.requestSubmit(); }"


def test_who_was_signed_out_meanwhile_signs_in_and_is_where_they_were(open_page, operator):
    make_fact("Friday is soup night.")
    page = open_page(client=operator)
    page.goto("/memories/?order=member")
    Session.objects.all().delete()
    page.get_by_role("searchbox").press_sequentially("soup")
    expect(page).to_have_url(re.compile(r"/sign-in/\?next=%2Fmemories%2F%3Forder%3Dmember"))
    page.get_by_label("Name").fill("olga")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(re.compile(r"/memories/\?order=member$"))


@pytest.mark.parametrize(
    ("status", "said"), [(0, "does not answer"), (404, "deleted it meanwhile"), (429, "too often")]
)
def test_a_refusal_is_told_in_words_until_it_is_clicked_away(open_page, operator, status, said):
    page = open_page(client=operator)
    page.goto("/memories/")
    page.evaluate(REFUSED, status)
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text(said)
    alert.click()
    expect(alert).to_have_count(0)


def test_a_hub_that_hangs_is_told_and_can_be_asked_again(open_page, operator):
    make_fact("Friday is soup night.")
    page = open_page(client=operator)
    page.goto("/memories/")
    assert page.evaluate("htmx.config.timeout") == 30_000
    page.evaluate("htmx.config.timeout = 200; console.error = () => {}")  # where htmx tells of it, too
    page.route("**/memories/?*", lambda _route: None)
    page.get_by_role("searchbox").press_sequentially("so")
    expect(page.get_by_role("alert")).to_contain_text("takes too long")
    expect(page.locator(".htmx-request")).to_have_count(0)
    page.unroute("**/memories/?*")
    page.evaluate("htmx.config.timeout = 30000")
    page.get_by_role("searchbox").press_sequentially("up")
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.locator("#facts")).to_contain_text("soup night")


def test_a_form_sent_twice_is_done_once(open_page, operator):
    page = open_page(client=operator)
    page.goto("/keys/")
    page.get_by_label("What it is for").fill("bot")
    page.evaluate(TWICE)
    expect(page.get_by_role("heading", name="The key bot")).to_be_visible()
    assert ApiKey.objects.count() == 1


def test_the_keyboard_goes_on_in_the_part_that_came_anew(open_page, operator):
    for number in range(32):
        make_fact(f"Berth {number} is free.")
    page = open_page(client=operator)
    page.goto("/memories/")
    page.get_by_role("link", name="Older").press("Enter")
    expect(page.locator("#facts")).to_be_focused()


def test_a_key_is_revoked_after_a_question(open_page, operator):
    ApiKey.objects.create(name="bot", digest="0" * 64)
    page = open_page(client=operator)
    page.goto("/keys/")
    page.get_by_role("link", name="Revoke bot").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke it").click()
    expect(page.get_by_text("The key bot opens nothing any more.")).to_be_visible()
    assert ApiKey.objects.get().revoked_at is not None
