"""The graph in a browser: drawn without a script; with one, names are dragged, weak ties left out, one's own shown."""

from __future__ import annotations

import re

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from notes.models import ChannelBuffer
from profiles.relationships import relationship_store
from profiles.relationships.strength import Counts
from tests.browser.looking import too_wide, violations
from tests.factories import make_channel, make_guild, make_member, make_message, make_summary

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def paths(transactional_db) -> dict[str, str]:
    make_guild(relationships_on=True)
    alice, bob, mallory = (make_member(name=name) for name in ("Alice", "Bob", "Mallory <b>" + "x" * 60))
    counts = {(alice.pk, bob.pk): Counts(replies=16), (bob.pk, mallory.pk): Counts(mentions=2)}
    relationship_store.set_day(make_channel(), day=timezone.now().date(), counts=counts)
    make_message("Look, Bob!", author=alice, mentions=["u-bob"], sent_at=timezone.now())
    make_summary(text="They build a boat. " + "long" * 60, topics=["planks"])
    now = timezone.now()
    ChannelBuffer.objects.create(
        guild=make_guild(), channel=make_channel(), opened_at=now, last_message_at=now, due_at=now, message_count=3
    )
    channel = f"/channels/{make_channel().pk}/"
    return {
        "graph": "/graph/",
        "pair": f"/graph/pair/?one={alice.pk}&other={bob.pk}",
        "switch": "/graph/switch/?guild=discord:1",
        "channels": "/channels/",
        "channel": channel,
        "flush": f"{channel}flush/",
    }


def place(page: Page, name: str) -> str:
    return page.locator(".dot", has_text=name).get_attribute("transform")


def test_a_name_is_dragged_and_its_ties_come_along(open_page, operator, paths):
    page = open_page(client=operator, viewport={"width": 1440, "height": 1000})
    page.goto("/graph/")
    before, other = place(page, "Alice"), place(page, "Bob")
    tie = page.locator("#drawing .tie").first
    end = tie.get_attribute("x1")
    box = page.locator(".dot", has_text="Alice").locator("circle").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 90, box["y"] + 60, steps=4)
    page.mouse.up()
    expect(page.locator(".dot", has_text="Alice")).not_to_have_attribute("transform", before)
    expect(tie).not_to_have_attribute("x1", end)
    assert place(page, "Bob") == other


def test_weak_ties_are_left_out_while_the_slider_moves(open_page, operator, paths):
    page = open_page(client=operator)
    page.goto("/graph/")
    expect(page.locator("#ties tbody tr:visible")).to_have_count(2)
    page.get_by_role("slider", name="Interaction").fill("0.5")
    expect(page.locator("#ties tbody tr:visible")).to_have_count(1)
    expect(page.locator("#drawing .dot[display=none]")).to_have_count(1)
    expect(page.locator("#shown")).to_have_text("1")
    page.get_by_role("slider", name="Interaction").fill("0")
    expect(page.locator("#drawing .dot[display=none]")).to_have_count(0)


def test_a_click_on_a_name_shows_whose_ties_are_theirs(open_page, operator, paths):
    page = open_page(client=operator)
    page.goto("/graph/")
    page.locator(".dot", has_text="Alice").locator("circle").click()
    expect(page.locator("#drawing .dot.faint")).to_have_count(1)
    page.locator(".dot", has_text="Alice").locator("circle").click()
    expect(page.locator("#drawing .faint")).to_have_count(0)


def test_a_name_is_moved_and_its_ties_shown_by_keys_alone(open_page, operator, paths):
    page = open_page(client=operator)
    page.goto("/graph/")
    alice = page.locator(".dot", has_text="Alice")
    before = place(page, "Alice")
    alice.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(alice).not_to_have_attribute("transform", before)
    page.keyboard.press("Enter")
    expect(page.locator("#drawing .dot.faint")).to_have_count(1)
    expect(alice).to_have_attribute("aria-current", "true")
    page.keyboard.press("Escape")
    expect(page.locator("#drawing .faint")).to_have_count(0)


def test_from_a_name_one_comes_to_the_members_page(open_page, operator, paths):
    page = open_page(client=operator)
    page.goto("/graph/")
    page.locator(".dot", has_text="Alice").locator("circle").click()
    expect(page.locator("#chosen")).to_contain_text("1 tie")
    page.get_by_role("link", name="Open the page").click()
    expect(page.get_by_role("heading", name="Alice", level=1)).to_be_visible()


def test_a_member_is_searched_and_looked_at_by_keys_alone(open_page, operator, paths):
    page = open_page(client=operator)
    page.goto("/graph/")
    page.keyboard.press("/")
    page.keyboard.type("ali")
    expect(page.locator("#drawing .dot.found")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator("#chosen strong")).to_have_text("Alice")
    expect(page.locator("#drawing")).to_have_class(re.compile("zoomed"))
    expect(page.locator(".dot", has_text="Alice")).to_be_focused()


def test_the_picture_is_zoomed_by_buttons_and_keys_and_pulled(open_page, operator, paths):
    page = open_page(client=operator, viewport={"width": 1440, "height": 1000})
    page.goto("/graph/")
    picture, whole = page.locator("#drawing"), page.locator("#drawing").get_attribute("viewBox")
    page.get_by_role("button", name="Zoom in").click()
    expect(picture).not_to_have_attribute("viewBox", whole)
    near = picture.get_attribute("viewBox")
    box = picture.bounding_box()
    page.mouse.move(box["x"] + 60, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 20, box["y"] + 20, steps=3)
    page.mouse.up()
    expect(picture).not_to_have_attribute("viewBox", near)
    page.get_by_role("button", name="All of it").click()
    expect(picture).to_have_attribute("viewBox", re.compile("^0.0 0.0 720.0 520.0$"))
    page.locator(".picture").focus()
    page.keyboard.press("+")
    expect(picture).to_have_class("zoomed")


def test_the_time_is_slid_back_in_place(open_page, operator, paths):
    page = open_page(client=operator)
    page.goto("/graph/")
    page.get_by_label("As of").focus()
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile("back=-1"))
    expect(page.locator("#shown")).to_have_text("0")
    expect(page.get_by_text("or none was there yet")).to_be_visible()
    page.get_by_role("slider", name="Interaction").fill("0")
    expect(page.locator("#shown")).to_have_text("0")


def test_another_time_is_shown_in_place_and_can_still_be_dragged(open_page, operator, paths):
    page = open_page(client=operator)
    page.goto("/graph/")
    page.get_by_label("Counted in").select_option("7")
    expect(page).to_have_url(re.compile("days=7"))
    page.get_by_role("slider", name="Interaction").fill("0.5")
    expect(page.locator("#ties tbody tr:visible")).to_have_count(1)


def test_without_a_script_the_picture_is_drawn_and_filtered(open_page, operator, paths):
    page = open_page(client=operator, java_script_enabled=False)
    page.goto("/graph/?least=0.5")
    expect(page.locator(".zooms")).to_be_hidden()
    expect(page.locator("#drawing .tie:not([display])")).to_have_count(1)
    expect(page.locator("#ties tbody tr:visible")).to_have_count(1)
    page.locator(".dot", has_text="Alice").click()
    expect(page.get_by_text("Only what concerns Alice.")).to_be_visible()
    page.get_by_role("link", name="Why").click()
    page.get_by_label("How much they interact").fill("0.3")
    page.get_by_role("button", name="Set it").click()
    expect(page.get_by_text("The level is set.")).to_be_visible()


def test_a_summary_is_written_after_a_question(open_page, operator, paths):
    page = open_page(client=operator)
    page.goto(paths["channel"])
    page.get_by_role("link", name="Summarise now").click()
    page.get_by_role("dialog").get_by_role("button", name="Summarise now").click()
    expect(page.get_by_text("The summary is written anew.")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_can_be_used_by_everybody(open_page, operator, paths, scheme):
    page = open_page(client=operator, color_scheme=scheme)
    found = {name: violations(page, path) for name, path in paths.items()}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize("width", [360, 1440])
def test_no_page_is_wider_than_the_window(open_page, operator, paths, width):
    page = open_page(client=operator, viewport={"width": width, "height": 740})
    assert too_wide(page, paths.values()) == {}
