"""Takes pictures of a running hub: `MEMORYHUB_ADMIN_PASSWORD=... .venv/bin/python -m tests.browser.shooting ADDRESS`.

Each page in light and dark, 360 and 1440 wide, into the folder screenshots/, which git ignores; with `--readme` the few
of the README into docs/images/. Meant for the sample community (`make demo`).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.chromium import FLAGS, find

ROOT = Path(__file__).parents[2]
PAGES = (
    "/", "/memories/", "/memories/1/", "/members/", "/members/2/", "/notes/", "/channels/", "/graph/", "/studio/",
    "/snapshot/", "/review/", "/jobs/", "/model-calls/", "/actions/", "/settings/", "/people/", "/keys/", "/audit/",
)  # fmt: skip
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
                for path in PAGES:
                    name = path.strip("/").replace("/", "-") or "home"
                    shoot(page, path, ROOT / "screenshots" / f"{name}-{scheme}-{width}.png", whole=True)


if __name__ == "__main__":
    main(sys.argv[1].rstrip("/"), readme="--readme" in sys.argv)
