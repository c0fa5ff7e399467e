"""Finds a Chromium for the browser tests, or installs one: the distribution's package, else Playwright's own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def find() -> str | None:
    """Return the path of a Chromium: CHROMIUM, one on the PATH, or Playwright's."""
    named = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    return named or _playwrights()


def _playwrights() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def install() -> None:
    """Try the package manager as root, then Playwright."""
    apt = shutil.which("apt-get")
    if apt and os.geteuid() == 0:
        quiet = {"stdout": subprocess.DEVNULL, "env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}}
        subprocess.run([apt, "update", "-qq"], check=False, **quiet)
        subprocess.run([apt, "install", "-y", "-qq", "--no-install-recommends", "chromium"], check=False, **quiet)
    if find() is None:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)


def main() -> None:
    """Leave with a message when there is no Chromium and none could be installed."""
    if find() is None:
        sys.stderr.write("No Chromium found; installing one for the browser tests (about a minute) ...\n")
        install()
    if find() is None:
        sys.exit(
            "No Chromium. Install the chromium package (or Chrome), or set CHROMIUM=/path/to/chromium, and try again."
        )


if __name__ == "__main__":
    main()
