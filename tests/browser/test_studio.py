"""The context studio in a browser: asked while typing, its address shared, a fact pinned, corrected and forgotten."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from memory.index import writing
from memory.models import Fact
from tests.browser.looking import too_wide, violations
from tests.factories import (
    make_channel,
    make_entry,
    make_fact,
    make_guild,
    make_member,
    make_message,
    make_note,
    make_profile,
    make_summary,
)

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
HOSTILE = "</pre><script>alert(1)</script>" + "long" * 60


@pytest.fixture
def fact(transactional_db) -> Fact:
    """A guild with something in every part of a context, and the fact of Alice's city."""
    alice, bob = make_member(name="Alice"), make_member(name="Bob")
    said = make_message("I moved to Toronto last spring!", author=alice)
    note = make_note("Moving house", messages=[said, make_message(HOSTILE, author=bob)])
    make_profile(alice, summary="Moves house and knits.")
    make_entry("Knits jumpers", member=alice, notes=[note])
    make_summary(text="They talk about moving.")
    city = make_fact("Lives in Toronto.", subject=alice, evidence=[said])
    secret = make_fact("Plans a Toronto party.", audience=make_channel(name="crew", private=True))
    facts = [city, secret, make_fact(HOSTILE[:300], subject=bob)]
    writing.index_facts(facts), writing.index_notes([note]), writing.index_messages([said])
    return city


def asked(**more: str) -> str:
    fields = {"guild": make_guild().key, "channel": make_channel().pk, "author": "u-alice", "text": "Toronto?", **more}
    return "/studio/?" + "&".join(f"{name}={value}" for name, value in fields.items())


def test_why_a_bot_said_something_is_found_in_one_step(open_page, operator, fact):
    page = open_page(client=operator)
    page.goto(asked())
    expect(page.get_by_role("img", name=re.compile("Tokens by part"))).to_be_visible()
    page.get_by_label("Why did the bot say this?").fill("You live in Toronto now.")
    page.keyboard.press("Enter")
    why = page.get_by_role("region", name="Why it said that")
    expect(why.get_by_role("link", name="Lives in Toronto.", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile(r"said=You"))
    why.get_by_role("link", name=re.compile("message 1")).first.click()
    expect(page.get_by_text("I moved to Toronto last spring!").first).to_be_visible()


def test_a_changed_budget_is_answered_in_place(open_page, operator, fact):
    page = open_page(client=operator)
    page.goto(asked())
    page.get_by_label("Tokens", exact=True).fill("120")
    page.keyboard.press("Tab")
    expect(page.get_by_role("heading", name=re.compile("of 120 tokens"))).to_be_visible()
    expect(page).to_have_url(re.compile(r"budget=120"))


def test_a_fact_is_pinned_corrected_and_forgotten_from_there(open_page, operator, fact):
    page = open_page(client=operator)
    page.goto(asked())
    page.get_by_role("button", name="Pin the memory: Lives in Toronto.").click()
    expect(page.get_by_text("Memory pinned")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/studio/\?.*text=Toronto"))

    page.get_by_role("link", name="Edit the memory: Lives in Toronto.").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox").fill("Lives in Toronto's east end.")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Memory edited")).to_be_visible()
    fact.refresh_from_db()
    assert (fact.text, fact.pinned) == ("Lives in Toronto's east end.", True)

    page.get_by_role("link", name=re.compile("Delete the memory: Lives in Toronto's")).first.click()
    dialog.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_text("Memory deleted permanently")).to_be_visible()
    assert not Fact.objects.filter(pk=fact.pk).exists()


def test_it_works_without_scripts(open_page, operator, fact):
    page = open_page(client=operator, java_script_enabled=False)
    page.goto("/studio/")
    page.get_by_label("What is said to the bot").fill("Toronto?")
    page.get_by_label("Who says it").fill("Alice")
    page.get_by_role("button", name="Show what it gets").click()
    expect(page.get_by_text("<background_facts>")).to_be_visible()
    page.get_by_role("link", name="Edit the memory: Lives in Toronto.").click()
    page.get_by_role("textbox").fill("Lives in Porto.")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Memory edited")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_use_it(open_page, operator, fact, scheme):
    page = open_page(client=operator, color_scheme=scheme, viewport={"width": 1440, "height": 900})
    correcting = f"/memories/{fact.pk}/correct/"
    paths = ["/studio/", asked(said="Toronto it is", budget="300"), asked(format="messages", role="user"), correcting]
    assert {path: lines for path in paths if (lines := violations(page, path))} == {}


@pytest.mark.parametrize("width", [360, 1440])
def test_it_is_no_wider_than_the_window(open_page, operator, fact, width):
    page = open_page(client=operator, viewport={"width": width, "height": 740})
    assert too_wide(page, ("/studio/", asked(said="Toronto it is"), f"/memories/{fact.pk}/correct/")) == {}
