"""Journeys of a person from beginning to end: the first visit, and a change of settings that goes wrong at first."""

from __future__ import annotations

import shlex
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Page, expect

from memory import tasks
from memoryhub.community.models import Guild
from memoryhub.models import SavedFilter
from tests.browser.conftest import PASSWORD
from tests.browser.looking import too_wide, violations
from tests.factories import make_fact, make_guild, make_member

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def send(command: str) -> int:
    """Do what the command that a page shows would do in a terminal; return the status of the answer."""
    _, _, address, _, key, _, kind, _, body = shlex.split(command)
    headers = dict(line.split(": ", 1) for line in (key, kind))
    with urlopen(Request(address, body.encode(), headers)) as answer:
        return int(answer.status)


def test_from_the_first_visit_to_the_first_memory(open_page, operator):
    page = open_page()
    page.goto("/")
    page.get_by_label("Name").fill("olga")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Nothing is known yet.")).to_be_visible()
    expect(page.get_by_role("region", name="Needs you")).to_have_count(0)
    page.get_by_role("region", name="Nothing is known yet.").get_by_role("link", name="key").click()
    page.get_by_label("What it is for").fill("my bot")
    page.get_by_label("Scope").select_option("Read and write")
    page.get_by_role("button", name="Create API key").click()
    assert send(page.get_by_label("A first message by curl").text_content() or "") == 201

    page.goto("/")
    steps = page.get_by_role("region", name="First steps").get_by_role("listitem")
    expect(steps.filter(has_text="First message.").get_by_text("Done")).to_have_count(1)
    expect(steps.filter(has_text="First memory.").get_by_text("Not done yet")).to_have_count(1)
    page.goto("/jobs/")
    page.get_by_role("button", name="End now the conversation in").click()
    tasks.tick()
    page.goto("/memories/")
    page.get_by_role("link", name="Lives in Toronto", exact=False).first.click()
    learned = page.get_by_role("region", name="Where it was learned")
    expect(learned.get_by_text("I live in Toronto")).to_be_visible()
    page.goto("/")
    expect(page.get_by_role("region", name="First steps")).to_have_count(0)


def settings_of(page: Page, guild: Guild) -> None:
    page.goto(f"/settings/?guild={guild.key}")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Settings")


def test_two_mistakes_in_the_settings_are_both_told_mended_saved_and_undone(open_page, operator):
    guild = make_guild()
    page = open_page(client=operator)
    settings_of(page, guild)
    page.get_by_label("Time zone").fill("Mars/Olympus")
    page.get_by_label("Tokens a day").fill("5000")
    page.get_by_label("US dollars a day").fill("-1")
    page.get_by_role("button", name="Save", exact=True).click()
    told = page.get_by_role("alert").filter(has_text="Nothing was saved.")
    expect(told.get_by_role("listitem")).to_have_count(2)
    expect(page.get_by_label("Tokens a day")).to_have_value("5000")
    told.get_by_role("link", name="US dollars a day").click()
    expect(page.get_by_label("US dollars a day")).to_be_in_viewport()
    page.get_by_label("US dollars a day").fill("2")
    told.get_by_role("link", name="Time zone").click()
    page.get_by_label("Time zone").fill("Europe/Lisbon")
    page.get_by_role("button", name="Save", exact=True).click()
    said = page.get_by_role("status").filter(has_text="Saved, and in force from now on.")
    assert Guild.objects.values_list("time_zone", "daily_tokens").get() == ("Europe/Lisbon", 5000)
    said.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("The settings are as they were before.")).to_be_visible()
    assert Guild.objects.values_list("time_zone", "daily_tokens", "daily_usd").get() == ("UTC", None, None)
    assert violations(page, page.url) == []


def test_the_settings_are_searched_in_place_and_what_was_typed_stays(open_page, operator):
    page = open_page(client=operator)
    settings_of(page, make_guild())
    page.get_by_label("Tokens a day").fill("77")
    page.get_by_role("searchbox").press_sequentially("journal")
    expect(page.get_by_label("Days that journals stay")).to_be_visible()
    expect(page.get_by_label("Tokens a day")).to_be_hidden()
    page.keyboard.press("Enter")
    page.get_by_role("searchbox").fill("no such thing")
    expect(page.get_by_text("No setting is called so.")).to_be_visible()
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_hidden()
    page.get_by_role("searchbox").fill("")
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_visible()
    expect(page.get_by_label("Tokens a day")).to_have_value("77")


def test_a_filter_is_saved_opened_again_removed_and_that_undone(open_page, operator):
    make_fact("Lives in Porto.", subject=make_member(name="Alice"), confidence=0.9)
    make_fact("May like tea.", subject=make_member(name="Bob"), confidence=0.4)
    page = open_page(client=operator)
    page.goto("/memories/?sure=doubtful")
    page.get_by_text("Save this filter").click()
    page.get_by_label("Its name").fill("Doubtful ones")
    page.get_by_role("button", name="Save", exact=True).click()
    page.goto("/memories/")
    page.get_by_role("link", name="Doubtful ones").click()
    expect(page.get_by_role("link", name="May like tea.", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="Lives in Porto.", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Remove the saved filter Doubtful ones").click()
    expect(page.get_by_role("link", name="Doubtful ones")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("link", name="Doubtful ones")).to_be_visible()
    assert SavedFilter.objects.get().query == "sure=doubtful"
    assert violations(page, page.url) == []
    page.set_viewport_size({"width": 360, "height": 800})
    assert too_wide(page, ["/memories/?sure=doubtful"]) == {}
