"""A real Chromium, a signed-in page in it, and a watch over what the page complains about and whom it calls."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
from django.conf import settings as project
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright

from tests.chromium import FLAGS, find

PASSWORD = "a-long-password"
LONGEST = 60_000  # ms for what takes a tenth of a second: the machine may have other work, and no test measures time


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start Chromium once; fail, not skip, where there is none."""
    expect.set_options(timeout=LONGEST)
    path = find()
    if path is None:
        pytest.fail("No Chromium for the browser tests. Run `make test`, or set CHROMIUM=/path/to/chromium.")
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    # Playwright keeps an event loop running in this thread, which Django takes for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield started
        started.close()
    if before is None:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@dataclass
class Watch:
    """What no page may do: complain in the console, fail in a script, call another host."""

    home: str
    faults: list[str] = field(default_factory=list)

    def over(self, page: Page) -> None:
        """Listen to the page."""
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.faults.append(f"script: {error}"))
        page.on("request", self._see)

    def _hear(self, message: ConsoleMessage) -> None:
        mistaken = "status of 422" in message.text  # the browser's own line on a form that came back with its mistakes
        if message.type in {"error", "warning"} and not mistaken:
            self.faults.append(f"console: {message.text}")

    def _see(self, request: Request) -> None:
        if not request.url.startswith((f"{self.home}/", "data:", "blob:")):
            self.faults.append(f"outside: {request.url}")


Opener = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser, live_server, transactional_db) -> Iterator[Opener]:
    """Return a function that opens an empty page with its own cookies; at the end nothing may have gone wrong."""
    watch, contexts = Watch(live_server.url), []

    def opened(*, client: Client | None = None, **options) -> Page:
        context = browser.new_context(base_url=live_server.url, **options)
        contexts.append(context)
        if client is not None:
            _carry_session(client, context, live_server.url)
        page = context.new_page()
        page.set_default_timeout(LONGEST)
        watch.over(page)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert watch.faults == []


def _carry_session(client: Client, context: BrowserContext, url: str) -> None:
    name = project.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": url}])


@pytest.fixture
def operator(client: Client, transactional_db) -> Client:
    """Return a client in which an operator is signed in."""
    client.force_login(User.objects.create_superuser("olga", password=PASSWORD))
    return client
