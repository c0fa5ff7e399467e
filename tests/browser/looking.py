"""Looks at a page as axe does: what keeps somebody from using it."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page


def violations(page: Page, path: str) -> list[str]:
    """Open the page with everything unfolded and return what axe finds wrong with it."""
    answer = page.goto(path)
    assert answer is not None
    assert answer.status == 200, path
    page.wait_for_load_state("networkidle")
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    return [
        f"{each['id']}: {node['html'][:120]} ({node['failureSummary']})"
        for each in Axe().run(page).response["violations"]
        for node in each["nodes"]
    ]
