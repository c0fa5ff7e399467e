"""Notes, journals, channels in a browser: the calendar by mouse, keys and without a script; usable by everybody."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from notes.models import InteractionNote, Journal
from tests.browser.looking import too_wide, violations
from tests.factories import (
    NOON,
    days,
    make_channel,
    make_entry,
    make_fact,
    make_guild,
    make_member,
    make_message,
    make_note,
    make_summary,
)  # fmt: skip

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
HOSTILE = "\u202eexe.png <b>" + "W" * 90


@pytest.fixture
def paths(transactional_db) -> dict[str, str]:
    make_guild(relationships_on=True)
    alice, mallory = make_member(name="Alice"), make_member(name=HOSTILE, platform_id="u-m")
    said = make_message(HOSTILE, author=mallory, channel=make_channel(name=HOSTILE, platform_id="c-h", private=True))
    note = make_note(HOSTILE[:80], messages=[make_message(author=alice), said], summary=HOSTILE * 3)
    make_note("Long ago", note_date=NOON.date() - days(40), ended_at=NOON - days(40))
    make_note("The day before", note_date=NOON.date() - days(1), ended_at=NOON - days(1))
    porto = make_fact("Lives in Porto.", subject=alice, evidence=[make_message(author=alice)])
    make_fact(
        "Lives in Bristol.", subject=alice, status="superseded", replaced_by=porto, said_at=NOON - days(30)
    )  # fmt: skip
    make_fact(f"{HOSTILE} is their sister.", subject=alice)
    make_entry("Lives in Porto", member=alice, notes=[note])
    make_summary(said.channel, text=HOSTILE, topics=[HOSTILE])
    make_summary(said.channel, kind="profile", text=f"Regulars: {HOSTILE}; Alice")
    line = "- 2026-03-02T12:00:00Z | {} (u-m) | [channel:c-h] {}"
    Journal.objects.create(
        guild=make_guild(), day=NOON.date(), text=line.format("W" * 90, "hello " + "w" * 200), generated_at=NOON
    )
    return {
        "notes": "/notes/",
        "day": "/notes/?from=2026-03-02&to=2026-03-02",
        "note": f"/notes/{note.pk}/",
        "channels": "/channels/",
        "channel": f"/channels/{said.channel_id}/",
        "journal": f"/journals/{make_guild().pk}/2026-03-02/",
        "snapshot": "/snapshot/",
        "graph": "/graph/",
        "member": f"/members/{alice.pk}/",
        "member then": f"/members/{alice.pk}/?as_of=2026-02-20",
        "hostile member": f"/members/{mallory.pk}/",
    }


def test_a_day_of_the_calendar_shows_its_notes_alone(open_page, operator, paths):
    page = open_page(client=operator)
    page.goto("/notes/")
    calendar = page.get_by_role("navigation", name="Calendar")
    calendar.get_by_role("link", name=re.compile("^1 ?: 1 note")).focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("from=2026-03-01&to=2026-03-01"))
    expect(page.locator(".moment")).to_have_count(1)
    expect(page.get_by_role("link", name="The day before")).to_be_visible()
    expect(calendar.locator("[aria-current=date]")).to_have_text(re.compile("^1"))
    page.get_by_role("link", name="Show all days").click()
    expect(page.locator(".moment")).to_have_count(3)


def test_the_calendar_leads_to_the_month_before_where_something_happened(open_page, operator, paths):
    page = open_page(client=operator, java_script_enabled=False)
    page.goto("/notes/")
    page.get_by_role("link", name="Earlier: January 2026").click()
    expect(page.get_by_role("heading", name="January 2026", exact=True)).to_be_visible()
    page.get_by_role("link", name=re.compile("^21 ?: 1 note")).click()
    expect(page.get_by_role("link", name="Long ago")).to_be_visible()
    expect(page.locator(".moment")).to_have_count(1)
    assert InteractionNote.objects.count() == 3


def test_a_filter_changes_the_calendar_in_place(open_page, operator, paths):
    page = open_page(client=operator)
    page.goto("/notes/")
    page.get_by_label("Kind").select_option("topic_cluster")
    expect(page.get_by_role("navigation", name="Calendar")).to_have_count(0)
    expect(page.get_by_text("No notes here.")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_can_be_used_by_everybody(open_page, operator, paths, scheme):
    page = open_page(client=operator, color_scheme=scheme)
    found = {name: violations(page, path) for name, path in paths.items()}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize("width", [360, 1440])
def test_no_page_is_wider_than_the_window(open_page, operator, paths, width):
    page = open_page(client=operator, viewport={"width": width, "height": 740})
    assert too_wide(page, paths.values()) == {}
