"""What is imported once, before processes part: each page of it is shared until one of them writes there."""

from __future__ import annotations

import gc
from importlib import import_module

from django.urls import get_resolver

USUAL = 700
"""Objects made until the collector looks through the newest: `manage.py` puts it off for the time of its imports."""


def import_pages() -> None:
    """Import pages and routes, and have Django work out what names them."""
    get_resolver().reverse_dict  # noqa: B018  reading it does both


def keep(*modules: str) -> None:
    """Import more, then keep the collector from touching what is there: each process would get a copy of its own."""
    for module in modules:
        import_module(module)
    gc.collect()
    gc.freeze()
    gc.set_threshold(USUAL)
