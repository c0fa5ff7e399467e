"""Open pages follow what happens: two of them, on a hub that really runs."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import LONGEST
from tests.verification.hub import Hub, a_hub

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
PASSWORD = "a-long-password"


def opened(browser: Browser, hub: Hub) -> Page:
    page = browser.new_context(base_url=f"http://127.0.0.1:{hub.port}").new_page()
    page.set_default_timeout(LONGEST)
    page.goto("/sign-in/")
    page.get_by_label("Name").fill("admin")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/")
    return page


def test_two_open_pages_show_what_is_learned_and_what_waits(browser, tmp_path):
    with a_hub(tmp_path, MEMORYHUB_ADMIN_PASSWORD=PASSWORD) as hub:
        assert hub.manage("prepare").returncode == 0
        hub.serve()
        message = {
            "message_id": "m", "channel": {"id": "c"}, "author": {"id": "u"}, "text": "The boat leaves at nine.",
            "sent_at": "2026-03-02T12:00:00Z",
        }  # fmt: skip
        assert hub.call("POST", "/api/v1/guilds/discord:1/messages", message).status == 201
        one, two = opened(browser, hub), opened(browser, hub)
        feeds = [page.get_by_role("region", name="Learned, changed, forgotten") for page in (one, two)]
        with one.expect_response("**/live/"), two.expect_response("**/live/"):
            one.reload(), two.reload()
        told = {"lore": True, "text": "The boat leaves at nine every day."}
        fact = hub.call("POST", "/api/v1/guilds/discord:1/facts", told).json["id"]
        for feed in feeds:
            # Without news the pages look again after 30 seconds only.
            expect(feed.get_by_role("link", name=told["text"], exact=True)).to_be_visible(timeout=20_000)
        two.goto(f"/memories/{fact}/")
        two.get_by_role("button", name="Archive").click()
        expect(feeds[0].get_by_text("Archived", exact=True)).to_be_visible(timeout=20_000)
        two.goto("/memories/")
        one.goto("/jobs/")
        expect(one.get_by_text("Nobody is talking")).to_have_count(0)
        with two.expect_response("**/live/"), one.expect_response("**/live/?work=1"):
            one.reload(), two.reload()
        hub.call("POST", "/api/v1/guilds/discord:1/facts", {"lore": True, "text": "Tea is at four every day."})
        expect(two.get_by_role("link", name="1 new")).to_be_visible(timeout=20_000)
        expect(two.get_by_text("Tea is at four every day.")).to_have_count(0)
        two.get_by_role("link", name="1 new").click()
        expect(two.get_by_role("link", name="Tea is at four every day.", exact=True)).to_be_visible()
        # The jobs page looks again by itself after 30 seconds only: a message is no event, the stream watches the work.
        hub.call("POST", "/api/v1/guilds/discord:1/messages", message | {"message_id": "n", "channel": {"id": "quay"}})
        expect(one.get_by_role("row", name="quay")).to_be_visible(timeout=20_000)
        for page in (one, two):
            page.context.close()
