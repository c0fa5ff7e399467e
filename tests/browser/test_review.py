"""The review queue in a browser: decided on by keys alone, by ticks, and without a script."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from memory.models import Fact
from tests.browser.looking import violations
from tests.factories import make_fact, make_member, make_message

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def waiting(transactional_db) -> list[Fact]:
    """Three facts that wait, the first shown first."""
    alice = make_member(name="Alice")
    return [
        make_fact(
            text, subject=alice, evidence=[make_message(f"We say: {text}", author=alice)], status="pending", junk=0.9,
            junk_signs=["vague"],
        )
        for text in ("Loves it.", "Works well together.", "Lives in Rome.")
    ]  # fmt: skip


def statuses() -> list[str]:
    return list(Fact.objects.order_by("pk").values_list("status", flat=True))


def test_the_queue_is_worked_off_by_keys_alone(open_page, operator, waiting):
    page = open_page(client=operator)
    page.goto("/review/")
    assert violations(page, "/review/") == []
    bulk = page.get_by_label("Decide on what is selected")
    expect(bulk.get_by_role("button", name="Refuse")).to_be_hidden()
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(bulk.get_by_role("button", name="Refuse")).to_be_visible()
    page.keyboard.press("x")
    page.keyboard.press("a")
    expect(page.get_by_text("Approved, and current now: 1.")).to_be_visible()
    page.wait_for_load_state()  # the keys come with a script
    page.keyboard.press("j")
    page.keyboard.press("e")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Memory, such as").fill("Works well with Bob.")
    dialog.get_by_role("button", name="Save and approve").click()
    expect(page.get_by_text("Approved in your words.")).to_be_visible()
    page.wait_for_load_state()
    page.keyboard.press("j")
    page.keyboard.press("r")
    expect(page.get_by_text("Nothing waits.")).to_be_visible()
    assert statuses() == ["refused", "active", "active"]


def test_without_a_script_the_page_is_ticked_and_refused(open_page, operator, waiting):
    page = open_page(client=operator, java_script_enabled=False)
    page.goto("/review/")
    page.get_by_role("link", name="Select all on this page").click()
    page.get_by_label("Decide on what is selected").get_by_role("button", name="Refuse").click()
    expect(page.get_by_text("Refused, and kept away: 3.")).to_be_visible()
    assert statuses() == ["refused"] * 3
