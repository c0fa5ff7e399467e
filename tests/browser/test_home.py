"""Journeys from home: find something by keyboard, take a change back, switch the guild; also without scripts."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from memory.index import writing
from memory.models import Fact
from memoryhub.community.models import Guild
from tests.browser.looking import violations
from tests.factories import make_fact, make_guild, make_member, make_message

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def fact(transactional_db) -> Fact:
    said = make_message("I moved to Toronto last spring.", author=make_member(name="Alice"))
    fact = make_fact("Lives in Tronto.", subject=said.author, evidence=[said])
    make_fact("Waits to be looked at.", subject=said.author, status="pending")
    writing.index_facts([fact])
    return fact


def test_everything_is_found_by_keyboard_alone(open_page, operator, fact):
    page = open_page(client=operator)
    page.goto("/")
    page.evaluate("htmx.config.defaultSettleDelay = 1000")  # a busy browser comes late to what was swapped in
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog").get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("alice")
    expect(page.get_by_role("dialog").get_by_role("region", name="Members")).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Alice", level=1)).to_be_visible()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog").get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_everything_is_found_without_scripts(open_page, operator, fact):
    page = open_page(client=operator, java_script_enabled=False)
    page.goto("/")
    page.get_by_role("link", name="Find").click()
    page.get_by_role("searchbox").fill("tronto")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("link", name="Lives in Tronto.").click()
    expect(page.get_by_role("heading", name="Lives in Tronto.")).to_be_visible()


def test_a_memory_is_corrected_in_the_feed_and_that_undone(open_page, operator, fact):
    page = open_page(client=operator)
    page.goto(f"/memories/{fact.pk}/correct/")
    page.get_by_label("Memory, such as").fill("Lives in Toronto.")
    page.get_by_role("button", name="Save").click()
    page.goto("/")
    feed = page.get_by_role("region", name="Learned, changed, forgotten")
    expect(feed.get_by_role("link", name="Lives in Tronto. became Lives in Toronto.")).to_be_visible()
    feed.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("The newest change is undone")).to_be_visible()
    fact.refresh_from_db()
    assert fact.text == "Lives in Tronto."


def test_what_waits_leads_to_the_queue(open_page, operator, fact):
    page = open_page(client=operator)
    page.goto("/")
    page.get_by_role("region", name="Needs you").get_by_role("link", name="Review").click()
    page.get_by_role("button", name="Approve the memory: Waits to be looked at.").click()
    expect(page.get_by_text("Approved, and current now: 1.")).to_be_visible()
    expect(page.get_by_role("navigation").get_by_text("waiting for approval")).to_be_hidden()


@pytest.mark.parametrize("width", [1440, 360])
def test_what_needs_somebody_stands_beside_its_sign(open_page, operator, fact, width):
    long_ago = timezone.now() - timedelta(days=90)
    Guild.objects.update(created_at=long_ago)
    make_message("It rained.", sent_at=long_ago)
    page = open_page(client=operator, viewport={"width": width, "height": 900})
    page.goto("/")
    need = page.get_by_role("listitem").filter(has_text="too old to be caught up")
    sign, words = need.locator(".icon").first.bounding_box(), need.locator("p").bounding_box()
    assert sign["x"] + sign["width"] <= words["x"]
    assert words["y"] <= sign["y"] + sign["height"] / 2 <= words["y"] + words["height"]


def test_the_guild_is_switched_once_for_all_pages(open_page, operator, fact):
    make_member(make_guild("discord:2", name="South"), "Bob")
    page = open_page(client=operator)
    page.goto("/members/")
    page.get_by_label("Guild of all pages").select_option("South")
    expect(page.get_by_role("link", name="Bob")).to_be_visible()
    expect(page.get_by_role("link", name="Alice")).to_have_count(0)
    page.goto("/memories/")
    expect(page.get_by_text("Lives in Tronto.")).to_have_count(0)


def test_by_keyboard_the_guild_is_switched_when_the_choice_is_made(open_page, operator, fact):
    make_member(make_guild("discord:2", name="South"), "Bob"), make_guild("discord:3", name="West")
    page = open_page(client=operator)
    page.goto("/members/")
    page.get_by_label("Guild of all pages").focus()
    for key in ("ArrowDown", "ArrowDown", "Tab"):  # past the first one, which stays unvisited
        page.keyboard.press(key)
    expect(page.get_by_role("button", name="Switch")).to_be_focused()
    chosen = page.get_by_label("Guild of all pages").input_value()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Switch")).to_be_hidden()
    expect(page.get_by_label("Guild of all pages")).to_have_value(chosen)


def test_what_has_the_focus_is_not_behind_the_bar_with_save(open_page, operator, fact):
    page = open_page(client=operator, viewport={"width": 1280, "height": 900})
    page.goto("/settings/")
    bar = page.get_by_role("button", name="Save", exact=True).bounding_box()
    page.get_by_label("Bots that are heard").focus()
    for _ in range(12):
        page.keyboard.press("Tab")
        field = page.locator(":focus").bounding_box()
        assert field["y"] + field["height"] <= bar["y"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_home_and_find_can_be_used_by_everybody(open_page, operator, fact, scheme):
    make_guild("discord:2", name="South")
    page = open_page(client=operator, color_scheme=scheme)
    assert violations(page, "/") == []
    assert violations(page, "/find/?q=tronto") == []
