"""What operators do all day, from beginning to end, in a browser; the studio has stories of its own."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from memory import tasks
from memory.index import embeddings, writing
from memory.models import Fact
from memoryhub.community.models import Guild, Member
from notes.models import ChannelBuffer
from tests.browser.conftest import PASSWORD
from tests.browser.looking import violations
from tests.factories import make_channel, make_fact, make_guild, make_member, make_message, make_note

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def city(transactional_db) -> Fact:
    """Alice's city, wrongly spelt, and other facts of Alice and Bob."""
    alice = make_member(name="Alice")
    said = make_message("I live in Tronto now.", author=alice)
    fact = make_fact("Lives in Tronto.", subject=alice, evidence=[said])
    others = [make_fact(text, subject=make_member(name="Bob")) for text in ("Brews green tea.", "Owns a red van.")]
    make_note("Moving house", messages=[said])
    writing.index_facts([fact, *others])
    embeddings.embed_missing(10)
    return fact


def test_a_memory_is_found_by_its_meaning_explained_corrected_and_that_undone(open_page, operator, city):
    page = open_page()
    page.goto("/memories/")
    page.get_by_label("Name").fill("olga")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("searchbox").press_sequentially("Alice's place of residence")
    expect(page.get_by_role("link", name="Brews green tea.", exact=True)).to_have_count(0)
    page.get_by_role("link", name="Lives in Tronto.", exact=True).click()

    learned = page.get_by_role("region", name="Where it was learned")
    expect(learned.get_by_text("I live in Tronto now.")).to_be_visible()
    learned.get_by_role("link", name=re.compile("the message")).click()
    derived = page.get_by_role("region", name="What was learned from it")
    expect(derived.get_by_role("link", name="Moving house")).to_be_visible()
    derived.get_by_role("link", name="Lives in Tronto.").click()

    page.get_by_role("link", name="Edit", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox").fill("Lives in Toronto.")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Lives in Toronto.")).to_be_visible()
    expect(page.get_by_role("region", name="What happened to it").get_by_text("Lives in Tronto.")).to_be_visible()
    page.get_by_role("button", name="Undo the last change").click()
    expect(page.get_by_role("heading", name="Lives in Tronto.")).to_be_visible()
    assert violations(page, page.url) == []


def test_several_memories_are_archived_by_keys_alone(open_page, operator, city):
    page = open_page(client=operator)
    page.goto("/memories/")
    for key in ("j", "j", "x", "k", "x"):
        page.keyboard.press(key)
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(2)
    page.get_by_role("button", name="Archive", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("listitem")).to_have_count(2)
    dialog.get_by_role("button", name="Archive").click()
    expect(page.get_by_text("Archived: 2.")).to_be_visible()
    assert Fact.objects.filter(status="archived").count() == 2

    page.keyboard.press("j")
    page.keyboard.press("p")
    expect(page.get_by_text("Memory pinned: no clean-up takes it.")).to_be_visible()
    expect(page.locator(f"#fact-{city.pk}")).to_be_focused()
    page.keyboard.press("e")
    expect(dialog.get_by_role("textbox")).to_have_value("Lives in Tronto.")
    page.keyboard.press("Escape")
    page.keyboard.press("d")
    dialog.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_text("Memory deleted permanently")).to_be_visible()


def test_the_keys_of_the_list_open_the_memory_and_not_its_member(open_page, operator, city):
    page = open_page(client=operator)
    page.goto(f"/memories/?member={city.subject_id}")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/memories/\d+/$"))


def test_the_page_is_selected_and_deleted_without_scripts(open_page, operator, city):
    page = open_page(client=operator, java_script_enabled=False)
    page.goto("/memories/")
    page.get_by_role("link", name="Select all on this page").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_role("heading", name="Delete for good 3 memories?")).to_be_visible()
    page.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_text("Deleted for good: 3.")).to_be_visible()
    assert not Fact.objects.exists()


BROKEN_WORDS = r"""() => [...document.querySelectorAll(".pairs :is(dt, dd)")].flatMap(each => [...each.childNodes])
    .filter(node => node.nodeType === Node.TEXT_NODE)
    .flatMap(node => [...node.data.matchAll(/\S+/g)].filter(word => {
        const range = document.createRange()
        range.setStart(node, word.index)
        range.setEnd(node, word.index + word[0].length)
        return range.getClientRects().length > 1
    }).map(word => word[0]))"""


def test_a_member_is_erased_and_the_receipt_read(open_page, operator, city):
    page = open_page(client=operator)
    page.goto(f"/members/{city.subject_id}/")
    page.get_by_role("link", name="Erase").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading", name="Erase Alice for good?")).to_be_visible()
    dialog.get_by_role("button", name="Erase for good").click()
    expect(page.get_by_role("heading", name="Receipt of an erasure")).to_be_visible()
    expect(page.get_by_text("No trace was found afterwards.")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate(BROKEN_WORDS) == []
    token = page.get_by_role("region", name="The receipt, signed").get_by_role("code").inner_text()
    assert not Member.objects.filter(pk=city.subject_id).exists()
    assert violations(page, "/members/erased/") == []
    page.goto("/receipts/")
    page.get_by_role("textbox").fill(token)
    page.get_by_role("button", name="Check it").click()
    expect(page.get_by_text("This receipt is genuine")).to_be_visible()


def test_a_night_is_run_and_watched_until_it_is_done(open_page, operator, city):
    page = open_page(client=operator)
    page.goto("/jobs/")
    page.get_by_role("button", name="Run for this day").click()
    expect(page.get_by_text("is in the queue")).to_be_visible()
    expect(page.get_by_text("1 task waiting")).to_be_visible()
    tasks.consolidate(Guild.objects.get().pk, f"{timezone.now():%Y-%m-%d}")  # what the worker does with it
    page.get_by_role("link", name="Refresh").click()
    nights = page.get_by_role("region", name="Nightly runs")
    expect(nights.get_by_text("Done", exact=True)).to_have_count(1)
    nights.get_by_role("heading").filter(has_text="North").click()
    expect(nights.get_by_text(re.compile("Done, "))).to_have_count(4)


def test_parked_work_is_tried_again(open_page, operator, transactional_db):
    now = timezone.now()
    times = {"opened_at": now, "last_message_at": now, "due_at": now, "closed_at": now, "parked_at": now}
    ChannelBuffer.objects.create(
        guild=make_guild(), channel=make_channel(), status="parked", attempts=5, last_error="No key.", **times
    )
    page = open_page(client=operator)
    page.goto("/")
    expect(page.get_by_text("Failed five times and needs attention")).to_be_visible()
    page.get_by_role("region", name="Needs you").get_by_role("link", name="Look at it").first.click()
    page.get_by_role("button", name="Try again the conversation in #general").click()
    expect(page.get_by_text("To be tried again: conversations 1")).to_be_visible()
    expect(page.get_by_role("heading", name="Failed, needs attention")).to_have_count(0)
    assert ChannelBuffer.objects.get().status == "closed"


def test_times_are_told_in_the_readers_own_zone(open_page, operator, transactional_db):
    said = make_message("It is late.", sent_at=datetime(2026, 3, 2, 20, 5, tzinfo=UTC))
    page = open_page(client=operator, timezone_id="Asia/Tokyo")
    page.goto(f"/messages/{said.pk}/")
    expect(page.get_by_role("time").filter(has_text="3 Mar, 05:05")).to_be_visible()
    page = open_page(client=operator, timezone_id="Asia/Tokyo", java_script_enabled=False)
    page.goto(f"/messages/{said.pk}/")
    expect(page.get_by_text("2 Mar, 20:05")).to_be_visible()
