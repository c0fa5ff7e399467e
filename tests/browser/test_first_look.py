"""What a person does first: sign in, find a memory, delete it, refresh the snapshot; light and dark, without faults."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from memory.erasure import export
from memory.index import writing
from memory.models import Fact, JobRun, ModelCall, Recap, RecapLine, Webhook
from memory.records import action_log, snapshots
from memoryhub.models import AuditEntry
from memoryhub.site import auth
from notes.models import ChannelBuffer, InteractionNote
from tests.browser.conftest import PASSWORD
from tests.browser.looking import contrast, too_wide, violations
from tests.factories import (
    make_arrangement,
    make_channel,
    make_entry,
    make_fact,
    make_guild,
    make_member,
    make_message,
    make_note,
    make_profile,
)

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)> " + "long" * 80


@dataclass
class World:
    """What the pages show."""

    fact: Fact
    paths: dict[str, str]


def some_work(note: InteractionNote) -> None:
    """Have a conversation parked, a night that failed, calls, actions, a key, a look: what the house is kept by."""
    now = timezone.now()
    times = {"opened_at": now, "last_message_at": now, "due_at": now, "parked_at": now}
    error = "The provider refused the key. " + "long" * 60
    ChannelBuffer.objects.create(
        guild=note.guild, channel=note.channel, status="parked", last_error=error, message_count=7, **times
    )
    JobRun.objects.create(guild=note.guild, day=now.date(), phase="cluster", status="done", counts={"topics": 4})
    JobRun.objects.create(guild=note.guild, day=now.date(), phase="profiles", status="failed", last_error=error)
    ModelCall.objects.create(guild=note.guild, purpose="extraction", model="openai:" + "m" * 80, outcome="failed")
    action_log.log("memory_fact", guild=note.guild, now=now, counts={"facts": 2, "refused_instruction": 1})
    auth.issue(name=HOSTILE[:100], guild=note.guild, scope="read")
    AuditEntry.objects.create(actor="api:" + "b" * 90, verb="looked", what="member", guild_id=note.guild_id)


@pytest.fixture
def world(transactional_db) -> World:
    make_guild(), make_guild("sms:44", name="Phone line")
    alice = make_member(name="Alice")
    said = make_message("I moved to Toronto last spring, and I love it.", author=alice)
    fact = make_fact("Lives in Toronto.", subject=alice, evidence=[said], confidence=0.9)
    secret = make_channel(name="crew", private=True)
    others = [
        make_fact("Brews green tea.", subject=make_member(name="Bob"), audience=secret),
        make_fact(HOSTILE[:400], subject=make_member(name="Mallory"), status="archived"),
        make_fact("Friday is soup night."),
    ]
    note = make_note("Moving house", messages=[said, make_message(HOSTILE, author=make_member(name="Mallory"))])
    make_arrangement(said, HOSTILE[:300], due_at=timezone.now() + timedelta(days=2))
    make_arrangement(said, "Friday is soup night, as ever.")
    address = f"https://{'long' * 40}.example.org/"
    Webhook.objects.create(guild=said.guild, url=address, kinds=["note.written"], reached=0)
    make_profile(alice, summary="Moves house.")
    line = make_entry("Lives in Toronto", member=alice, notes=[note])
    some_work(note)
    recap = Recap.objects.create(guild=note.guild, since=timezone.now(), until=timezone.now(), intro=HOSTILE[:600])
    RecapLine.objects.create(recap=recap, section="happened", place=0, text=HOSTILE[:200], note=note)
    snapshots.render_journal(note.guild, day=note.note_date, now=timezone.now())
    writing.index_facts([fact, *others])
    paths = {
        "home": "/",
        "memories": "/memories/?status=any",
        "fact": f"/memories/{fact.pk}/",
        "delete": f"/memories/{fact.pk}/delete/",
        "members": "/members/",
        "member": f"/members/{alice.pk}/",
        "notes": "/notes/",
        "catchup": "/catchup/?since=2026-01-01",
        "ask": "/ask/",
        "who": "/who/?q=Toronto",
        "recaps": "/recaps/",
        "recap": f"/recaps/{recap.pk}/",
        "note": f"/notes/{note.pk}/",
        "plans": "/plans/",
        "webhooks": "/webhooks/",
        "message": f"/messages/{said.pk}/",
        "then": f"/memories/?as_of={timezone.now():%Y-%m-%d}&sure=sure",
        "erase": f"/members/{alice.pk}/erase/",
        "erased": "/members/erased/",
        "export": export.make_link(alice, now=timezone.now()),
        "receipts": "/receipts/",
        "snapshot": "/snapshot/",
        "journal": f"/journals/{note.guild_id}/{note.note_date}/",
        "line": f"/lines/{line.pk}/",
        "work": "/jobs/",
        "model-calls": "/model-calls/",
        "actions": "/actions/",
        "settings": "/settings/",
        "privacy": "/privacy/",
        "people": "/people/",
        "keys": "/keys/",
        "audit": "/audit/",
        "password": "/password/",
    }
    return World(fact, paths)


def test_a_person_signs_in_and_sees_the_hub(open_page, operator, world):
    page = open_page()
    page.goto("/")
    page.get_by_label("Name").fill("olga")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Home", exact=True)).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_a_memory_is_found_while_typing(open_page, operator, world):
    page = open_page(client=operator)
    page.goto("/memories/")
    expect(page.get_by_text("Brews green tea.").first).to_be_visible()
    page.get_by_role("searchbox").press_sequentially("Tor")
    expect(page).to_have_url(re.compile(r"[?&]q=Tor&"))
    page.get_by_role("searchbox").press_sequentially("onto")
    expect(page.get_by_role("link", name="Brews green tea.", exact=True)).to_have_count(0)
    expect(page.get_by_role("link", name="Lives in Toronto.", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile(r"[?&]q=Toronto"))
    page.go_back()
    expect(page.get_by_role("link", name="Brews green tea.", exact=True)).to_be_visible()


def test_a_memory_is_deleted_after_a_question(open_page, operator, world):
    page = open_page(client=operator)
    page.goto("/memories/")
    delete = page.get_by_role("link", name="Delete the memory: Lives in Toronto.")
    dialog = page.get_by_role("dialog")
    delete.click()
    expect(dialog).to_be_visible()
    dialog.get_by_role("link", name="Keep it").click()
    expect(dialog).to_be_hidden()
    assert Fact.objects.filter(pk=world.fact.pk).exists()

    delete.click()
    dialog.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_text("Memory deleted permanently")).to_be_visible()
    expect(page.get_by_role("link", name="Lives in Toronto.", exact=True)).to_have_count(0)
    assert not Fact.objects.filter(pk=world.fact.pk).exists()


def test_a_memory_is_deleted_with_the_keyboard_alone(open_page, operator, world):
    page = open_page(client=operator)
    page.goto("/memories/")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.get_by_role("link", name="Delete the memory: Lives in Toronto.").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Keep it")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Memory deleted permanently")).to_be_visible()


def test_the_snapshot_is_refreshed_in_place(open_page, operator, world):
    page = open_page(client=operator)
    page.goto("/snapshot/")
    page.get_by_role("button", name="Refresh").click()
    expect(page.get_by_text("Refreshed just now")).to_be_visible()
    expect(page.get_by_text("Lives in Toronto", exact=False).first).to_be_visible()


def test_everything_works_without_scripts(open_page, operator, world):
    page = open_page(client=operator, java_script_enabled=False)
    page.goto("/memories/")
    page.get_by_role("searchbox").fill("Toronto")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("link", name="Brews green tea.", exact=True)).to_have_count(0)
    page.get_by_role("link", name="Delete the memory: Lives in Toronto.").click()
    page.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_text("Memory deleted permanently")).to_be_visible()
    page.goto("/snapshot/")
    page.get_by_role("button", name="Refresh").click()
    expect(page.get_by_text("The snapshot is up to date.")).to_be_visible()


def test_the_colours_chosen_stay(open_page, operator, world):
    page = open_page(client=operator, color_scheme="light")
    page.goto("/notes/?kind=conversation")
    page.get_by_role("button", name="Dark").click()
    expect(page).to_have_url(re.compile(r"/notes/\?kind=conversation$"))
    page.goto("/")
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == "rgb(18, 23, 21)"


@pytest.mark.parametrize("height", [720, 480])
def test_the_way_out_is_in_sight_in_a_low_window(open_page, operator, height):
    page = open_page(client=operator, viewport={"width": 1366, "height": height})
    page.goto("/")
    expect(page.get_by_role("button", name="Sign out")).to_be_in_viewport(ratio=1)
    audit = page.get_by_role("link", name="Audit log")
    if height == 720:
        expect(audit).to_be_in_viewport(ratio=1)
    audit.click()
    expect(page.get_by_role("heading", name="Audit log")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_has_the_focus_and_the_days_of_the_calendar_stand_out(open_page, operator, world, scheme):
    page = open_page(client=operator, color_scheme=scheme, reduced_motion="reduce")
    page.goto("/notes/")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    edge = page.evaluate("getComputedStyle(document.activeElement).outlineColor")
    assert contrast(edge, page.evaluate("getComputedStyle(document.body).backgroundColor")) >= 3
    for level in range(1, 5):  # the more notes, the fuller the colour
        day = page.locator("a.level").first
        day.evaluate("(day, level) => { day.className = `level level-${level}` }", level)
        style = day.evaluate("day => [getComputedStyle(day).color, getComputedStyle(day).backgroundColor]")
        assert contrast(*style) >= 4.5, level


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_can_be_used_by_everybody(open_page, operator, world, scheme):
    page = open_page(client=operator, color_scheme=scheme, viewport={"width": 1440, "height": 900})
    found = {name: violations(page, path) for name, path in world.paths.items()}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize("width", [360, 1440])
def test_no_page_is_wider_than_the_window(open_page, operator, world, width):
    page = open_page(client=operator, viewport={"width": width, "height": 740})
    assert too_wide(page, world.paths.values()) == {}
