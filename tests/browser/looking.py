"""Looks at a page: what axe finds that keeps somebody from using it, its colours, and whether it fits the window."""

from __future__ import annotations

import re
from collections.abc import Iterable

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


def contrast(one: str, other: str) -> float:
    """Return how two colours of a page, as `rgb(1, 2, 3)`, stand out from each other: 1 (the same) to 21."""
    lights = []
    for colour in (one, other):
        parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        lights.append(0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)
    return max(lights) / min(lights)


def too_wide(page: Page, paths: Iterable[str]) -> dict[str, int]:
    """Open each of the pages and return the widths, in pixels, of those that are wider than the window."""
    assert page.viewport_size is not None
    widths = {}
    for path in paths:
        page.goto(path)
        widths[path] = page.evaluate("document.documentElement.scrollWidth")
    return {path: width for path, width in widths.items() if width > page.viewport_size["width"]}
