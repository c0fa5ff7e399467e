"""Takes pictures of a running hub: `MEMORYHUB_ADMIN_PASSWORD=... .venv/bin/python -m tests.browser.shooting ADDRESS`.

Each page in light and dark, 360 and 1440 wide, into the folder screenshots/, which git ignores; with `--readme` the few
of the README into docs/images/. Meant for the sample community (`make demo`).
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.chromium import FLAGS, find

ROOT = Path(__file__).parents[2]
PAGES = (
    "/", "/memories/", "/memories/?q=who+sails", "/review/", "/members/", "/who/?q=boats", "/notes/",
    "/catchup/?since=2026-01-01", "/recaps/", "/plans/", "/channels/", "/graph/", "/ask/", "/studio/", "/snapshot/",
    "/jobs/", "/model-calls/", "/actions/", "/settings/", "/webhooks/", "/people/", "/keys/", "/audit/",
    "/find/?q=alice", "/password/", "/members/erased/", "/receipts/", "/privacy/", "/api/v1/docs", "/sign-in/",
    "/not-there/",
)  # fmt: skip
FIRST = {
    "/memories/": r"/memories/\d+/", "/members/": r"/members/\d+/", "/notes/": r"/notes/\d+/",
    "/plans/": r"/messages/\d+/", "/channels/": r"/channels/\d+/", "/recaps/": r"/recaps/\d+/",
    "/graph/": r"/graph/pair/.*", "/snapshot/": r"/journals/.*/",
}  # fmt: skip
"""By list: the address of one of its rows; the first that it links is taken."""
README = {
    "home": "/",
    "memories": "/memories/?q=Where+does+Alice+live%3F",
    "member": "/members/2/",
    "studio": "/studio/?text=Where+does+Alice+live+now%3F&author=Alice&budget=600",
}
SIZES = (360, 1440)
SCHEMES = ("light", "dark")


def opened(browser: Browser, address: str, *, scheme: str, width: int, height: int = 900) -> Page:
    """Return a page in which the administrator is signed in."""
    context = browser.new_context(
        base_url=address, color_scheme=scheme, viewport={"width": width, "height": height}, reduced_motion="reduce"
    )  # fmt: skip
    page = context.new_page()
    page.goto("/sign-in/")
    page.get_by_label("Name").fill("admin")
    page.get_by_label("Password").fill(os.environ["MEMORYHUB_ADMIN_PASSWORD"])
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{address}/")
    return page


def addresses(page: Page) -> list[str]:
    """Return the pages, and one row of each list that has any."""
    rows = []
    for path, pattern in FIRST.items():
        page.goto(path)
        links = page.eval_on_selector_all("main a[href]", "links => links.map(link => link.getAttribute('href'))")
        rows += [link for link in links if re.fullmatch(pattern, link)][:1]
    return [*PAGES, *rows]


def shoot(page: Page, path: str, file: Path, *, whole: bool) -> None:
    """Write a picture of the page to the file."""
    page.goto(path)
    page.wait_for_load_state("load")
    file.parent.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=file, full_page=whole)
    print(file.relative_to(ROOT), f"{file.stat().st_size // 1024} kB")  # noqa: T201


def main(address: str, *, readme: bool) -> None:
    """Take all of them."""
    chromium = find()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        if readme:
            page = opened(browser, address, scheme="light", width=1180, height=760)
            for name, path in README.items():
                shoot(page, path, ROOT / "docs" / "images" / f"{name}.png", whole=False)
            return
        for scheme in SCHEMES:
            for width in SIZES:
                page = opened(browser, address, scheme=scheme, width=width)
                for path in addresses(page):
                    name = re.sub(r"\W+", "-", path).strip("-") or "home"
                    shoot(page, path, ROOT / "screenshots" / f"{name}-{scheme}-{width}.png", whole=True)


if __name__ == "__main__":
    main(sys.argv[1].rstrip("/"), readme="--readme" in sys.argv)
